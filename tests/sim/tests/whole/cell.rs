//! One run: a scenario with one fault.

use std::collections::BTreeMap;
use std::time::Duration;

use sim::Resource;

use crate::disturbance::Disturbance;
use crate::mutant::Mutant;
use crate::operators::has_other_end;
use crate::ring::{Ring, WATCHED, in_paused_time};
use crate::scenarios::Before;
use crate::slots::fewest_ready;
use crate::trouble::Trouble;
use crate::undisturbed::{Reference, WARM_UP, judge_events, judge_slots};

/// Simulated time within which a run comes to the right end: lost events are detected after ten
/// minutes.
const LIMIT: Duration = Duration::from_mins(12);
/// The same if only the next full list replaces the lost events.
const LIMIT_OF_LISTS: Duration = Duration::from_mins(35);
/// How long two operators run.
const TOGETHER: Duration = Duration::from_mins(1);

/// A scenario, and its fault.
pub struct Cell {
    /// The course of the scenario without a fault.
    pub reference: &'static Reference,
    /// The fault.
    pub disturbance: Disturbance,
}

impl Cell {
    /// In the form that [`crate::replay`] reads.
    pub fn name(&self) -> String {
        format!("{}: {}", self.reference.scenario.name, self.disturbance)
    }

    /// Runs it and returns whether the fault occurred; `tell` sees the end.
    ///
    /// # Errors
    ///
    /// The problem, after that many `lines` of the story.
    pub fn run(
        &self,
        lines: usize,
        mutant: Option<Mutant>,
        tell: impl FnOnce(&Ring),
    ) -> Result<bool, String> {
        in_paused_time(async {
            let mut ring = Ring::start(self.reference.begin.clone());
            ring.wire.be(mutant);
            let result = self.judge(&mut ring).await;
            tell(&ring);
            let is_met = ring.wire.state().plan.is_none();
            let story = |wrong| format!("{}\n{}: {wrong}", ring.story(lines), self.name());
            result.map(|()| is_met).map_err(story)
        })
    }

    async fn judge(&self, ring: &mut Ring) -> Result<(), String> {
        let (scenario, begin) = (self.reference.scenario, &self.reference.begin);
        self.start(ring).await?;
        ring.wire.server.with_store(scenario.step);
        if self.disturbance.has_two_operators() {
            ring.pass(TOGETHER).await?;
            ring.end_others();
        }
        let limit = match self.disturbance {
            Disturbance::Watch(_, Trouble::LostForeign(_)) => LIMIT_OF_LISTS,
            _ => LIMIT,
        };
        if let Disturbance::OldLists(_, kind) = self.disturbance {
            return self.judge_old_lists(ring, kind, limit).await;
        }
        ring.come_to(&self.reference.end, limit).await?;
        self.judge_lists(ring)?;
        let least = usize::from(!self.disturbance.may_refuse_event());
        let state = ring.wire.state();
        ring.wire.server.with_store(|store| {
            let twins = state.twins.of_slots(store);
            judge_slots(scenario, store, begin.store.log.len(), &twins)?;
            judge_events(scenario, store, least)
        })
    }

    /// Too much may have been done for a while, and undone. Where the end may be another one, the update
    /// keeps its budget if only the list of sets was old: it leaves one pod.
    async fn judge_old_lists(
        &self,
        ring: &mut Ring,
        kind: Option<Resource>,
        limit: Duration,
    ) -> Result<(), String> {
        let (scenario, begin) = (self.reference.scenario, &self.reference.begin);
        if !has_other_end(scenario) {
            return ring.come_to(&self.reference.end, limit).await;
        }
        ring.come_to_end(scenario.ends_with, limit).await?;
        let begin = begin.store.log.len();
        let server = &ring.wire.server;
        let fewest = server.with_store(|store| fewest_ready(&store.log, begin));
        if kind == Some(Resource::PodCliqueSet) && fewest == 0 {
            return Err("no pod was Ready for a while".to_owned());
        }
        Ok(())
    }

    /// Only a full list reports an event that a lost watch did not.
    fn judge_lists(&self, ring: &Ring) -> Result<(), String> {
        let Disturbance::Watch(kind, trouble) = self.disturbance else {
            return Ok(());
        };
        let state = ring.wire.state();
        let is_listed = state.lists.contains_key(&kind);
        if !trouble.needs_list() || state.plan.is_some() || is_listed {
            return Ok(());
        }
        Err(format!("{kind} was not listed again"))
    }

    async fn start(&self, ring: &mut Ring) -> Result<(), String> {
        match &self.disturbance {
            Disturbance::OneNamespace => ring.watch_namespace("default"),
            Disturbance::TwoOperators => ring.start_operator(),
            Disturbance::OldLists(_, kind) => {
                let version = ring.wire.server.with_store(|store| store.version());
                let old = WATCHED
                    .into_iter()
                    .filter(|k| kind.is_none_or(|kind| kind == *k));
                ring.list_later_at(
                    old.map(|kind| (kind, version))
                        .collect::<BTreeMap<Resource, u64>>(),
                );
            }
            _ => {}
        }
        let disturbance = Some(self.disturbance.clone());
        if self.reference.scenario.before == Before::Left {
            ring.wire.begin(disturbance);
            ring.start_operator();
            return Ok(());
        }
        ring.start_operator();
        ring.pass(WARM_UP).await?;
        ring.wire.begin(disturbance);
        Ok(())
    }
}
