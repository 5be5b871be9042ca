//! One gang after the other.

use std::collections::HashMap;

use super::fleet::Demand;
use super::packing::Packing;
use super::room::Room;
use super::search::Found;
use super::shortage::explain;
use super::{Outcome, Placed, Verdict};
use crate::capacity::gang::{Gang, GangPart};

/// Places gangs.
pub struct Placer<'a> {
    gangs: &'a [Gang],
    packing: Packing<'a>,
    /// What became of gangs, by namespace and name.
    outcomes: HashMap<(&'a str, &'a str), Outcome>,
}

impl<'a> Placer<'a> {
    /// Of these gangs with their demands.
    pub fn of(gangs: &'a [Gang], demands: &'a [Vec<Demand>], room: Room<'a>, effort: u64) -> Self {
        Self {
            gangs,
            packing: Packing::of(demands, room, effort),
            outcomes: HashMap::new(),
        }
    }

    /// What becomes of each.
    pub fn place_all(mut self) -> Vec<Verdict> {
        let gangs = self.gangs.iter().enumerate();
        let mut verdicts: Vec<Verdict> = gangs.map(|(i, gang)| self.place(i, gang)).collect();
        let numbered = verdicts.iter_mut().enumerate();
        for (number, verdict) in numbered.filter(|(_, v)| v.outcome == Outcome::Fits) {
            self.finish(number, verdict);
        }
        verdicts
    }

    /// A scaled gang starts after its base gang.
    fn place(&mut self, number: usize, gang: &'a Gang) -> Verdict {
        let base = gang.base.as_ref();
        let base = base.and_then(|base| self.outcomes.get(&(&*gang.namespace, &**base)));
        let verdict = match base {
            None | Some(Outcome::Fits) => self.judge(number, gang),
            Some(outcome) => waiting(gang, *outcome),
        };
        let name = (&*gang.namespace, &*gang.name);
        self.outcomes.insert(name, verdict.outcome);
        verdict
    }

    fn judge(&mut self, number: usize, gang: &Gang) -> Verdict {
        let outcome = self.packing.find_outcome(number);
        let mut verdict = Verdict {
            outcome,
            guaranteed: gang.guaranteed(),
            best_effort: 0,
            places: Vec::new(),
            reasons: Vec::new(),
        };
        if outcome != Outcome::Fits {
            let demands = self.packing.demands_of(number);
            let (placed, reasons) = explain(&self.packing.room, gang, demands);
            let wanted: u32 = demands.iter().map(|demand| demand.pods).sum();
            verdict.guaranteed -= wanted.saturating_sub(placed);
            verdict.reasons = reasons;
            self.add_reasons(gang, demands, &mut verdict);
        }
        verdict
    }

    fn add_reasons(&mut self, gang: &Gang, demands: &[Demand], verdict: &mut Verdict) {
        let placed = verdict.guaranteed;
        if verdict.outcome == Outcome::Unknown {
            let all = gang.guaranteed();
            let reason = format!("too large to decide: {placed} of {all} placed");
            verdict.reasons.insert(0, reason);
        } else if demands.iter().any(|demand| !demand.packs.is_empty()) {
            let unbound = demands.iter().cloned().map(|demand| Demand {
                packs: Vec::new(),
                ..demand
            });
            let unbound: Vec<Demand> = unbound.collect();
            if matches!(self.packing.find_beside(&unbound), Found::Placement(_)) {
                let reason = "without its topology constraint it would fit";
                verdict.reasons.push(reason.to_owned());
            }
        }
    }

    /// Places best-effort pods, and says where all pods are.
    fn finish(&mut self, number: usize, verdict: &mut Verdict) {
        let (placed, shares) = self.packing.finish(number);
        let demands = self.packing.demands_of(number);
        let extra: u32 = demands.iter().map(|demand| demand.extra).sum();
        let all = self.gangs.get(number).map_or(0, Gang::best_effort);
        verdict.best_effort = all.saturating_sub(extra.saturating_sub(placed));
        let nodes = self.packing.room.fleet.nodes;
        let places = shares.into_iter().filter_map(|((demand, node), pods)| {
            Some(Placed {
                part: demands.get(demand)?.part,
                node: nodes.get(node)?.name.clone(),
                guaranteed: pods.0,
                best_effort: pods.1,
            })
        });
        verdict.places = places.collect();
    }
}

fn waiting(gang: &Gang, base: Outcome) -> Verdict {
    let why = match base {
        Outcome::Unknown => "of which it is not known whether it fits",
        _ => "which does not fit",
    };
    let base = gang.base.clone().unwrap_or_default();
    let held = |part: &GangPart| part.guaranteed - part.guaranteed_left();
    Verdict {
        outcome: Outcome::WaitsForBase,
        guaranteed: gang.parts.iter().map(held).sum(),
        best_effort: 0,
        places: Vec::new(),
        reasons: vec![format!("starts after {base}, {why}")],
    }
}
