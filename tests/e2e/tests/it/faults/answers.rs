//! Requests are refused or fail, answers get lost.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::crash::normal::normal;
use crate::faults::{PART_OF, runs, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault, share};
use crate::harness::{Namespace, same};

/// Of a hundred requests so many fail, and of a hundred writes so many answers get lost.
const FAILED: u64 = 20;
const LOST: u64 = 5;

#[test]
fn one_request_in_five_fails_and_it_ends_up_where_it_would_have() {
    let lane = Lane::start("refused");
    let ns = lane.namespace();
    let undisturbed = create_and_scale(&ns, "calm");
    delete(&ns, "calm");

    let seed = seed();
    let faults = Arc::new(AtomicUsize::new(0));
    let made = faults.clone();
    lane.proxy.disturb(move |asked| {
        let fault = refuse(seed, asked);
        made.fetch_add(usize::from(fault.is_any()), Ordering::SeqCst);
        fault
    });
    let mut history = History::of(&ns);
    let end = create_and_scale(&ns, "noisy");
    for (is, should) in end.iter().zip(&undisturbed) {
        assert_eq!(is, should, "seed {seed}");
    }
    assert_eq!(end.len(), undisturbed.len(), "seed {seed}");
    history.catch_up(&ns);
    let scaled_in = ["a#2", "a#3", "a#4", "g-2-b#0", "g-3-b#0", "g-4-b#0"];
    let scaled_in: Vec<_> = scaled_in.map(|slot| format!("noisy-0-{slot}")).into();
    let deleted: Vec<_> = history.slots_deleted().into_iter().collect();
    assert_eq!(deleted, scaled_in, "seed {seed}");
    delete(&ns, "noisy");
    history.catch_up(&ns);
    assert!(history.slots_held_twice().is_empty(), "seed {seed}");
    assert!(faults.load(Ordering::SeqCst) > 20, "seed {seed}");
    lane.expect_alive();
}

/// What is there at the end.
fn create_and_scale(ns: &Namespace<'_>, set: &str) -> Vec<Value> {
    ns.apply(&service(set));
    ns.until("it runs", |seen| runs(seen, set, 3, 2));
    for replicas in [5, 2] {
        scale(ns, set, replicas);
        ns.until("as it was scaled", |seen| {
            runs(seen, set, replicas, replicas)
        });
    }
    let of_set = format!("{PART_OF}={set}");
    normal(&ns.look_at(&of_set).unwrap(), set)
}

fn delete(ns: &Namespace<'_>, set: &str) {
    ns.kubectl(&["delete", "pcs", set, "--wait=false"]);
    ns.until("nothing is left", |seen| {
        same("what is left", &seen.0, &vec![])
    });
}

/// `GROVE_E2E_SEED`, or always the same.
fn seed() -> u64 {
    let asked = env::var("GROVE_E2E_SEED").ok();
    asked.map_or(7, |seed| seed.parse().unwrap())
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
