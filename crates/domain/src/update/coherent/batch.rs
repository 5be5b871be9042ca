//! The units that a coherent update replaces next (docs/semantics.md §14.9).

use api::podcliqueset::ComponentFrom;

use super::Part;

/// The next step of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The lowest index that may be replaced, for each clique and group.
    pub targets: Vec<ComponentFrom>,
    /// The reason for which no further unit may be replaced now; `None` if one more may, or if no old
    /// one is left.
    pub waits_for: Option<String>,
    /// Whether units are being replaced.
    pub is_in_flight: bool,
}

/// Lowers the indexes from which the parts are replaced, by one batch: once all units of the batch
/// before are available, but for as many as were not available when the turn began.
///
/// The whole turn has as many steps as the part with the fewest has minimums. The first step begins
/// with a minimum of each part, which makes the first whole new version; each later one ends with a
/// minimum of each part, so that the old version stays whole up to its last units. In between, a part
/// gives at most `maxUnavailable` at once.
///
/// While the base gang is down there are no steps: it comes last in them, and scaled gangs start once
/// it is up.
pub fn next_step(parts: &[Part]) -> Step {
    let parts: Vec<&Part> = parts.iter().filter(|part| part.total() > 0).collect();
    if parts.iter().any(|part| part.is_base_down) {
        return Step {
            targets: targets(&parts, |_| 0),
            waits_for: None,
            is_in_flight: true,
        };
    }
    let waits_for = parts.iter().find_map(|part| part.explain_flight());
    if waits_for.is_some() {
        return Step {
            targets: targets(&parts, Part::index),
            waits_for,
            is_in_flight: true,
        };
    }
    let batch = Batch::of(&parts);
    let is_held = |part: &&&Part| part.is_held(batch.goal(part));
    let held = parts.iter().find(is_held);
    let lowered = targets(&parts, |part| match held {
        Some(_) if batch.is_whole => part.index(),
        _ => part.lowered(batch.goal(part), part.allowed()),
    });
    let stays = lowered == targets(&parts, Part::index);
    Step {
        targets: lowered,
        waits_for: held.filter(|_| stays).map(|part| part.explain_losses()),
        is_in_flight: false,
    }
}

fn targets(parts: &[&Part], index: impl Fn(&Part) -> i32) -> Vec<ComponentFrom> {
    let all = parts.iter().map(|part| ComponentFrom {
        component: part.name.clone(),
        from: index(part),
    });
    all.collect()
}

/// The units that are replaced next, of all parts.
struct Batch {
    /// The number of steps of the turn.
    steps: i32,
    /// The step that is not complete, from 1.
    step: i32,
    /// Whether it has a minimum of each part, all of which go at once or not at all.
    is_whole: bool,
}

impl Batch {
    fn of(parts: &[&Part]) -> Self {
        let steps = parts.iter().map(|part| part.total() / part.minimum());
        let steps = steps.min().unwrap_or(1).max(1);
        let all = |claim: &dyn Fn(&Part) -> bool| parts.iter().all(|part| claim(part));
        let is_past = |step: i32| all(&|part| part.have() >= part.goal(step, steps));
        let step = (1..=steps).find(|step| !is_past(*step)).unwrap_or(steps);
        let is_whole = if step == 1 {
            !all(&|part| part.have() >= part.unit(steps))
        } else {
            all(&|part| part.have() >= part.rest(step, steps))
        };
        Self {
            steps,
            step,
            is_whole,
        }
    }

    /// The number of new units of the part with this batch.
    fn goal(&self, part: &Part) -> i32 {
        let Self { steps, step, .. } = *self;
        match (step, self.is_whole) {
            (1, true) => part.unit(steps),
            (1, false) => part.goal(1, steps).min(part.next_piece()),
            (_, true) => part.goal(step, steps),
            (_, false) => part.rest(step, steps).min(part.next_piece()),
        }
    }
}
