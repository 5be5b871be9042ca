//! A clique or group that follows the targets of a coherent update.

use std::collections::BTreeSet;

use domain::update::{self, Component, Limits, OldUnit, Part};

/// A clique or group of the model: the version of each unit that exists, and whether it is up.
#[derive(Clone, Debug)]
pub struct Model {
    pub minimum: i32,
    pub max_unavailable: i32,
    /// `Some(true)`: new; `Some(false)`: old; `None`: it is being replaced.
    pub units: Vec<Option<bool>>,
    /// Units that are up.
    pub up: Vec<bool>,
    pub reached: i32,
    pub from: Option<i32>,
}

impl Model {
    pub fn new(total: i32, minimum: i32, max_unavailable: i32) -> Self {
        let len = usize::try_from(total).unwrap();
        Self {
            minimum,
            max_unavailable,
            units: vec![Some(false); len],
            up: vec![true; len],
            reached: total,
            from: None,
        }
    }

    pub fn indexes(&self, version: Option<bool>) -> Vec<i32> {
        let all = self.units.iter().enumerate().rev();
        all.filter(|(_, unit)| **unit == version)
            .map(|(index, _)| i32::try_from(index).unwrap())
            .collect()
    }

    pub fn available(&self) -> i32 {
        let all = self.units.iter().zip(&self.up);
        i32::try_from(all.filter(|(unit, up)| unit.is_some() && **up).count()).unwrap()
    }

    pub fn part(&self, name: usize) -> Part {
        let desired = i32::try_from(self.units.len()).unwrap();
        let new = self.indexes(Some(true));
        let starting = new.iter().filter(|k| !self.up[index(**k)]).count();
        let existing: BTreeSet<i32> = new
            .iter()
            .copied()
            .chain(self.indexes(Some(false)))
            .collect();
        Part {
            name: format!("part-{name}"),
            numbers: Component {
                desired,
                minimum: self.minimum,
                available: self.available(),
                old: i32::try_from(self.indexes(Some(false)).len()).unwrap(),
                starting: i32::try_from(starting).unwrap(),
                reached: Some(self.reached),
                limits: Limits {
                    max_unavailable: self.max_unavailable,
                    max_surge: 0,
                },
                ..Component::default()
            },
            old: self
                .indexes(Some(false))
                .into_iter()
                .map(|k| OldUnit {
                    index: k,
                    is_available: self.up[index(k)],
                })
                .collect(),
            new: i32::try_from(new.len()).unwrap(),
            unplaced: 0,
            vacant: update::find_vacant(&existing, desired),
            from: self.from,
            is_base_down: false,
        }
    }

    /// Deletes old units from the target on, within the budget.
    pub fn delete(&mut self, name: usize) {
        let deletable = self.part(name).numbers.deletable();
        let from = self.from.unwrap_or(i32::MAX);
        let old = self.indexes(Some(false)).into_iter().filter(|k| *k >= from);
        let (up, down): (Vec<i32>, Vec<i32>) = old.partition(|k| self.up[index(*k)]);
        for k in down.into_iter().chain(up.into_iter().take(deletable)) {
            self.units[index(k)] = None;
        }
    }

    /// Missing units are created: above the target new ones.
    pub fn create(&mut self) {
        for k in 0..self.units.len() {
            if self.units[k].is_none() {
                self.units[k] = Some(i32::try_from(k).unwrap() >= self.from.unwrap_or(i32::MAX));
                self.up[k] = false;
            }
        }
    }

    /// The number of units that stay old by the stored target.
    pub fn old_by_target(&self) -> i32 {
        let len = i32::try_from(self.units.len()).unwrap();
        self.from.unwrap_or(len).min(len)
    }
}

pub fn index(k: i32) -> usize {
    usize::try_from(k).unwrap()
}
