//! The steps of a whole turn, by the operator's planner (docs/semantics.md §14.9).

use domain::update::{self, Component, Limits, OldUnit, Part};

/// A clique or group that a turn replaces as a whole.
pub(super) struct Size<'a> {
    /// Its name in the template.
    pub(super) name: &'a str,
    /// The number of its units.
    pub(super) total: i32,
    /// `minAvailable`.
    pub(super) minimum: i32,
}

/// The number of new units of each part after a batch.
struct Stop {
    new: Vec<i32>,
    /// Whether the batch has a minimum of each part.
    is_whole: bool,
}

/// The number of new units of each part after each step. The planner has a budget for all units
/// here, so a step has at most two batches. The first step begins with a minimum of each part, and
/// each later one ends with it.
pub(super) fn ends_of_steps(sizes: &[Size<'_>]) -> Vec<Vec<i32>> {
    let mut parts: Vec<Part> = sizes.iter().map(old_part).collect();
    let stops: Vec<Stop> = std::iter::from_fn(|| replace_batch(&mut parts)).collect();
    let has_rest = stops.get(1).is_some_and(|stop| !stop.is_whole);
    let last_of_first = usize::from(has_rest);
    let later = stops.iter().skip(last_of_first).skip(1);
    let later = later.filter(|stop| stop.is_whole);
    let ends = stops.get(last_of_first).into_iter().chain(later);
    ends.map(|stop| stop.new.clone()).collect()
}

/// All units are old, and available.
fn old_part(size: &Size<'_>) -> Part {
    let old = (0..size.total).rev().map(|index| OldUnit {
        index,
        is_available: true,
    });
    Part {
        name: size.name.to_owned(),
        numbers: Component {
            desired: size.total,
            minimum: size.minimum,
            available: size.total,
            reached: Some(size.total),
            limits: Limits {
                max_unavailable: i32::MAX,
                max_surge: 0,
            },
            ..Component::default()
        },
        old: old.collect(),
        ..Part::default()
    }
}

/// Replaces the next batch, whose units are available at once; `None` if nothing is left.
fn replace_batch(parts: &mut [Part]) -> Option<Stop> {
    let before: Vec<i32> = parts.iter().map(|part| part.new).collect();
    let step = update::next_step(parts);
    for part in &mut *parts {
        let mut targets = step.targets.iter();
        let target = targets.find(|target| target.component == part.name)?;
        let old = part.old.len();
        part.old.retain(|unit| unit.index < target.from);
        let gone = old.saturating_sub(part.old.len());
        let gone = i32::try_from(gone).unwrap_or(i32::MAX);
        part.new = part.new.saturating_add(gone);
        part.from = Some(target.from);
    }
    let new: Vec<i32> = parts.iter().map(|part| part.new).collect();
    let mut shares = parts.iter().zip(&before);
    let is_whole =
        shares.all(|(part, before)| part.new.saturating_sub(*before) >= part.numbers.minimum);
    (new != before).then_some(Stop { new, is_whole })
}
