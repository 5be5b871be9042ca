//! The checks find operators with a bug.

use crate::cell::Cell;
use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::mutant::Mutant;
use crate::trouble::Trouble;
use crate::undisturbed::REFERENCES;
use crate::{matrix, operators, watches};

/// Runs within which a bug has to show.
const RUNS: usize = 150;
/// Part of the message of a run whose end differs from the one without a fault.
const END: &str = "as it should be";

fn is_found(mutant: Mutant, by: &[&str], is_tried: fn(&Disturbance) -> bool) {
    let themes = [matrix::faults, watches::troubles, operators::others];
    let cells = REFERENCES.iter().flat_map(|reference| {
        let all = themes.iter().flat_map(|theme| theme(reference));
        all.filter(is_tried).map(move |disturbance| Cell {
            reference,
            disturbance,
        })
    });
    let is_it = |wrong: &String| by.iter().any(|words| wrong.contains(words));
    let mut others = Vec::new();
    let found = cells.take(RUNS).enumerate().find_map(|(number, cell)| {
        let wrong = cell.run(0, Some(mutant), |_| ()).err()?;
        // Without the bug the same run has to pass; otherwise the failure was another one.
        let is_sound = cell.run(0, None, |_| ()).is_ok();
        if is_it(&wrong) && is_sound {
            return Some((number + 1, wrong));
        }
        others.push(wrong);
        None
    });
    let missed = || panic!("{mutant:?} is not found by {by:?}, but by {others:#?}");
    let (runs, wrong) = found.unwrap_or_else(missed);
    let line: String = wrong.lines().take(3).collect::<Vec<_>>().join(" ");
    eprintln!("{mutant:?} found by run {runs}: {line}");
}

fn is_fault(disturbance: &Disturbance, wanted: Fault) -> bool {
    matches!(disturbance, Disturbance::Write(_, fault) if *fault == wanted)
}

fn is_event_before_crash(disturbance: &Disturbance) -> bool {
    let signature = disturbance.signature();
    is_fault(disturbance, Fault::CrashAfter) && signature.is_some_and(|s| s.write.is_of_event())
}

fn is_trouble(disturbance: &Disturbance, wanted: Trouble) -> bool {
    matches!(disturbance, Disturbance::Watch(_, trouble) if *trouble == wanted)
}

macro_rules! mutants {
    ($($name:ident: $mutant:ident by $($words:expr),+; if $is_tried:expr;)*) => {$(
        #[test]
        fn $name() {
            is_found(Mutant::$mutant, &[$($words),+], $is_tried);
        }
    )*};
}

mutants! {
    deletes_without_uid: DeletesWithoutUid by "I29"; if |d| matches!(d, Disturbance::Replaced(_));
    takes_conflict_for_success: TakesConflictForSuccess by END; if |d| is_fault(d, Fault::Conflict);
    names_pods_at_random: NamesPodsAtRandom by "I1: ", "I3: "; if |d| is_fault(d, Fault::LostAnswer);
    names_events_at_random: NamesEventsAtRandom by "posted 2 times"; if is_event_before_crash;
    forgets_gate: ForgetsGate by "I8: "; if |d| is_fault(d, Fault::Conflict);
    puts_without_version: PutsWithoutVersion by "I17", "I20", "I34"; if |d| matches!(d, Disturbance::Joined(_));
    forgets_writes: ForgetsWrites by "I1: ", "I3: ", "I35: "; if |d| is_trouble(d, Trouble::Late);
    watches_from_now: WatchesFromNow by END; if |d| is_trouble(d, Trouble::Cut);
}
