//! Requests are refused or fail, answers get lost.

use crate::faults::{runs, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault, share};
use crate::harness::same;

/// Of a hundred requests so many fail, and of a hundred writes so many answers get lost.
const FAILED: u64 = 20;
const LOST: u64 = 5;

#[test]
fn one_request_in_five_fails_and_it_ends_up_where_it_would_have() {
    let lane = Lane::start("refused");
    let ns = lane.namespace();
    lane.proxy.disturb(|asked| refuse(7, asked));
    let mut history = History::of(&ns);
    ns.apply(&service("x"));
    ns.until("it runs", |seen| runs(seen, "x", 3, 2));
    scale(&ns, 5);
    ns.until("scaled out", |seen| runs(seen, "x", 5, 5));
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "{history:?}");
    assert!(history.slots_held_twice().is_empty(), "{history:?}");
    scale(&ns, 2);
    ns.until("scaled in", |seen| runs(seen, "x", 2, 2));
    history.catch_up(&ns);
    let kept = ["x-0-a#0", "x-0-a#1", "x-0-g-0-b#0", "x-0-g-1-b#0"];
    let deleted = history.slots_deleted();
    let wrong: Vec<_> = kept.iter().filter(|slot| deleted.contains(*slot)).collect();
    assert!(wrong.is_empty(), "{wrong:?} of {history:?}");
    ns.kubectl(&["delete", "pcs", "x", "--wait=false"]);
    ns.until("nothing is left", |seen| {
        same("what is left", &seen.0, &vec![])
    });
    lane.expect_alive();
    assert!(history.slots_held_twice().is_empty(), "{history:?}");
}

fn refuse(seed: u64, asked: &Asked) -> Fault {
    const CODES: [u16; 5] = [409, 429, 500, 503, 504];
    match share(seed, asked) {
        drawn if drawn < FAILED => {
            let code = CODES[usize::try_from(drawn).unwrap() % CODES.len()];
            // Nobody gets a conflict who only looks.
            let is_possible = code != 409 || asked.is_write();
            Fault::Answer(if is_possible { code } else { 500 })
        }
        drawn if drawn < FAILED + LOST && asked.is_write() => Fault::AnswerLost,
        _ => Fault::None,
    }
}
