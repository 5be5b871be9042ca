//! The runs that `make test` plays: all of them would take an hour. `make soak` plays all.

/// One in this many is played. It has no factor in common with the number of faults of a write, so that
/// all faults meet writes of each kind.
const SHARE: usize = 10;

/// Whether all runs are played: the variable WHOLE is set.
fn plays_all() -> bool {
    std::env::var_os("WHOLE").is_some()
}

/// Whether this run of this scenario, both by number, is played.
pub fn is_played(scenario: usize, run: usize) -> bool {
    plays_all() || (scenario + run).is_multiple_of(SHARE)
}

/// The least number of runs that meet their fault, if it is this one among all runs.
pub fn least_of(all: usize) -> usize {
    if plays_all() {
        return all;
    }
    // The share of a scenario's few runs may meet fewer faults than the average.
    all / SHARE * 4 / 5
}

/// Whether this update of this shape meets this cause, both by number, with an operator that runs or with
/// one that is killed: half of the causes, and one of both courses.
pub fn is_course_played(shape: usize, cause: usize, is_killed: bool) -> bool {
    let is_met = (shape + cause).is_multiple_of(2);
    plays_all() || is_met && (cause / 2).is_multiple_of(2) == is_killed
}
