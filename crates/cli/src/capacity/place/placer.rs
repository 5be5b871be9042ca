//! One gang after the other.

use std::collections::BTreeMap;

use super::fleet::Demand;
use super::free_resources::FreeResources;
use super::greedy::{Filling, PodPlacement, Wanted};
use super::shortage::find_shortages;
use super::{GangVerdict, Outcome, Placed};
use crate::capacity::gang::{Gang, GangPart};

/// Places gangs.
pub struct Placer<'a> {
    gangs: &'a [Gang],
    demands: &'a [Vec<Demand>],
    room: FreeResources<'a>,
    /// Guaranteed pods of the gangs that fit, by number of the gang.
    fitting: BTreeMap<usize, Vec<PodPlacement>>,
}

impl<'a> Placer<'a> {
    /// Of these gangs with their demands.
    pub fn of(gangs: &'a [Gang], demands: &'a [Vec<Demand>], room: FreeResources<'a>) -> Self {
        Self {
            gangs,
            demands,
            room,
            fitting: BTreeMap::new(),
        }
    }

    /// The verdict on each gang.
    pub fn place_all(mut self) -> Vec<GangVerdict> {
        let mut verdicts: Vec<GangVerdict> = Vec::new();
        for (number, gang) in self.gangs.iter().enumerate() {
            let verdict = match self.base_outcome(gang, &verdicts) {
                None | Some(Outcome::Fits) => self.place_guaranteed(number, gang),
                Some(_) => waiting(gang),
            };
            verdicts.push(verdict);
        }
        for (number, gang) in self.gangs.iter().enumerate() {
            if let Some(verdict) = verdicts.get_mut(number)
                && verdict.outcome == Outcome::Fits
            {
                self.place_best_effort(number, gang, verdict);
            }
        }
        verdicts
    }

    fn base_outcome(&self, gang: &Gang, verdicts: &[GangVerdict]) -> Option<Outcome> {
        let base = gang.base.as_ref()?;
        self.gangs
            .iter()
            .zip(verdicts)
            .find(|(known, _)| (&known.namespace, &known.name) == (&gang.namespace, base))
            .map(|(_, verdict)| verdict.outcome)
    }

    fn demands_of(&self, number: usize) -> &'a [Demand] {
        self.demands.get(number).map_or(&[], Vec::as_slice)
    }

    fn place_guaranteed(&mut self, number: usize, gang: &Gang) -> GangVerdict {
        let demands = self.demands_of(number);
        let wanted = numbered(demands, |demand| demand.pods);
        let mut filling = Filling::of(&mut self.room, gang.node_order);
        let missing = count(&wanted).saturating_sub(filling.fill(&wanted));
        let mut verdict = GangVerdict {
            outcome: Outcome::Fits,
            guaranteed: gang.guaranteed().saturating_sub(missing),
            best_effort: 0,
            places: Vec::new(),
            reasons: Vec::new(),
        };
        if missing == 0 {
            self.fitting.insert(number, filling.placements);
            return verdict;
        }
        verdict.outcome = Outcome::NoPlacementFound;
        verdict.reasons = find_shortages(filling.room, gang, demands, &filling.placements);
        filling.undo(&wanted, 0);
        if self.fits_without_packs(gang, demands) {
            let reason = "without its topology constraint it would fit";
            verdict.reasons.push(reason.to_owned());
        }
        verdict
    }

    fn fits_without_packs(&mut self, gang: &Gang, demands: &[Demand]) -> bool {
        let unbound: Vec<Demand> = demands
            .iter()
            .map(|demand| Demand {
                packs: Vec::new(),
                ..demand.clone()
            })
            .collect();
        if unbound == demands {
            return false;
        }
        let wanted = numbered(&unbound, |demand| demand.pods);
        let mut filling = Filling::of(&mut self.room, gang.node_order);
        let placed = filling.fill(&wanted);
        filling.undo(&wanted, 0);
        placed == count(&wanted)
    }

    /// Places the best-effort pods of a gang that fits, and lists the nodes of all its pods.
    fn place_best_effort(&mut self, number: usize, gang: &Gang, verdict: &mut GangVerdict) {
        let demands = self.demands_of(number);
        let wanted = numbered(demands, |demand| demand.extra);
        let mut filling = Filling::of(&mut self.room, gang.node_order);
        let missing = count(&wanted).saturating_sub(filling.fill(&wanted));
        verdict.best_effort = gang.best_effort().saturating_sub(missing);
        let mut places: BTreeMap<PodPlacement, (u32, u32)> = BTreeMap::new();
        for placement in self.fitting.get(&number).into_iter().flatten() {
            places.entry(*placement).or_default().0 += 1;
        }
        for placement in filling.placements {
            places.entry(placement).or_default().1 += 1;
        }
        verdict.places = places
            .into_iter()
            .filter_map(|((demand, node), (guaranteed, best_effort))| {
                Some(Placed {
                    part: demands.get(demand)?.part,
                    node: self.room.fleet.nodes.get(node)?.name.clone(),
                    guaranteed,
                    best_effort,
                })
            })
            .collect();
    }
}

fn waiting(gang: &Gang) -> GangVerdict {
    let base = gang.base.clone().unwrap_or_default();
    let held = |part: &GangPart| part.guaranteed - part.guaranteed_left();
    GangVerdict {
        outcome: Outcome::WaitsForBase,
        guaranteed: gang.parts.iter().map(held).sum(),
        best_effort: 0,
        places: Vec::new(),
        reasons: vec![format!("starts after {base}, which has no placement")],
    }
}

/// Demands with their numbers, and the number of pods wanted of each.
fn numbered(demands: &[Demand], wanted: impl Fn(&Demand) -> u32) -> Vec<Wanted<'_>> {
    demands
        .iter()
        .enumerate()
        .map(|(number, demand)| (number, demand, wanted(demand)))
        .collect()
}

fn count(wanted: &[Wanted<'_>]) -> u32 {
    wanted.iter().map(|(_, _, pods)| *pods).sum()
}
