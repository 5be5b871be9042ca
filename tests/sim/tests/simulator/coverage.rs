//! The least number of each kind of trouble and of its consequences over all seeds.

use sim::{Coverage, actors};

/// The least number in a thousand seeds: about half of the number when this was written. A change
/// of the random choices must not empty a check unnoticed.
const FLOORS: [(&str, u64); 64] = [
    ("PodClique created from an older revision", 10),
    ("PodClique deleted while a pod of it is created", 40),
    ("Ready pod deleted", 200),
    ("answer lost", 1000),
    ("autoscaler corrected", 10),
    ("autoscaler created", 350),
    ("autoscaler deleted", 70),
    // Low until it is measured: what counts is that the budget of groups is used at all.
    ("available group replica replaced by an update", 10),
    ("children orphaned", 60),
    ("clique scaled below is available again", 6),
    ("clique scaled below its minimum", 6),
    ("clique scaled to zero", 40),
    ("clique scaled up from 0", 30),
    ("coherent step stored", 60),
    ("conflict", 1500),
    ("container started again", 12),
    ("crash", 600),
    ("domain drained at rest", 40),
    ("gang preempted at rest", 35),
    ("gang started", 500),
    ("group replica recycled", 10),
    ("group scaled to zero", 20),
    ("group scaled up from 0", 4),
    ("job out of restarts", 8),
    ("job out of time", 10),
    ("job restarted", 12),
    ("job succeeded", 40),
    ("labels edited", 250),
    ("labels of a terminating object edited", 80),
    ("live read", 1500),
    ("live read within a full list", 40),
    ("lost older unit created again", 20),
    ("node came back", 50),
    ("node got other labels", 6),
    ("node lost", 50),
    ("object adopted", 250),
    ("owner cut", 240),
    ("parts joined a gang", 40),
    ("peer ended with 143", 60),
    ("pinned pod deleted before it had a node", 50),
    ("pinned pod placed", 500),
    ("pod created late", 50),
    ("pod ended while it was deleted", 30),
    ("pod of the other namespace written", 190),
    ("pod pinned", 600),
    ("pod placed without a pin", 600),
    ("pod preempted", 140),
    ("pod got its start signal", 1),
    ("pod created with its start signal", 1),
    ("quota used up", 400),
    ("rank failed just before its deletion", 1),
    ("replica terminated", 30),
    ("request lost", 500),
    ("scaled by an autoscaler", 500),
    ("scaled gang started", 100),
    ("scope started anew elsewhere", 80),
    ("several parts joined a gang at once", 4),
    ("slot given up as stuck", 50),
    ("surge of a clique", 5),
    ("surge of a group", 5),
    ("template refused at rest", 45),
    ("turn ended", 40),
    ("update ended", 35),
    ("scaled up clique available again", 20),
];

/// Percentage of the recordings that at least one pod has to play; some suit few pods.
const RECORDINGS_PLAYED: usize = 90;
/// Number of seeds that have to play them.
const SEEDS_THAT_PLAY_THEM: u64 = 1000;

/// With few seeds, a floor below this has no meaning.
const LEAST: u64 = 3;

/// Prints the coverage, and requires the floors.
pub fn expect_enough(coverage: &Coverage, seeds: u64) {
    for (what, count) in coverage.all() {
        eprintln!("{count:8} {what}");
    }
    let scaled = |floor: u64| floor * seeds / 1000;
    let is_missed = |(what, floor): &&(&str, u64)| {
        scaled(*floor) >= LEAST && coverage.of(what) < scaled(*floor)
    };
    let missed: Vec<String> = FLOORS
        .iter()
        .filter(is_missed)
        .map(|(what, floor)| format!("{what}: {} of {}", coverage.of(what), scaled(*floor)))
        .collect();
    assert!(
        missed.is_empty(),
        "{seeds} seeds met too little: {missed:?}"
    );
    if seeds >= SEEDS_THAT_PLAY_THEM {
        expect_recordings(coverage);
    }
}

fn expect_recordings(coverage: &Coverage) {
    let all = actors::recordings().count();
    let missed: Vec<&str> = actors::recordings()
        .filter(|name| coverage.of(name) == 0)
        .collect();
    let played = all - missed.len();
    assert!(
        played * 100 >= all * RECORDINGS_PLAYED,
        "{played} of {all} recordings are played; not {missed:?}"
    );
}
