//! Requests are refused or fail, answers get lost.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::{Arc, Mutex};

use crate::crash::normal::normal;
use crate::crash::walk::{expect_same, settled};
use crate::faults::{runs, runs_with, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault, share};
use crate::harness::seen::index;
use crate::harness::{Namespace, Seen};

/// Of a hundred requests this many fail, and of a hundred writes this many answers get lost.
const FAILED: u64 = 20;
const LOST: u64 = 5;

#[test]
fn one_request_in_five_fails_and_the_end_is_the_same() {
    let lane = Lane::start("refused");
    let ns = lane.namespace();
    create_and_scale_out(&ns, "calm");
    settled(&lane.operator);
    let undisturbed = normal(&ns.look().unwrap(), "calm");
    delete(&ns, "calm");

    let seed = seed();
    let faults: Arc<Mutex<BTreeMap<u16, usize>>> = Arc::default();
    let made = faults.clone();
    lane.proxy.disturb(move |asked| {
        let fault = refuse(seed, asked);
        if let Some(code) = code_of(&fault) {
            *made.lock().unwrap().entry(code).or_default() += 1;
        }
        fault
    });
    let mut history = History::of(&ns);
    create_and_scale_out(&ns, "noisy");
    ns.until(&format!("as undisturbed, seed {seed}"), |seen| {
        expect_same(&normal(seen, "noisy"), &undisturbed)
    });
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "seed {seed}");
    let kept = ns.until("it runs", |seen| Ok(oldest(seen, "noisy-0-a", 2)));
    scale(&ns, "noisy", 2);
    ns.until("scaled in", |seen| runs_with(seen, "noisy", &kept, 2));
    history.catch_up(&ns);
    let of_clique = (0..5).filter(|index| !kept.contains(index));
    let of_clique = of_clique.map(|index| format!("noisy-0-a#{index}"));
    let scaled_in = of_clique.chain((2..5).map(|i| format!("noisy-0-g-{i}-b#0")));
    let deleted: Vec<_> = history.slots_deleted().into_iter().collect();
    assert_eq!(deleted, scaled_in.collect::<Vec<_>>(), "seed {seed}");
    delete(&ns, "noisy");
    history.catch_up(&ns);
    assert!(history.slots_held_twice().is_empty(), "seed {seed}");
    let faults = faults.lock().unwrap();
    let is_made = |code: &u16| faults.contains_key(code);
    assert!(
        CODES.iter().chain([&ANSWER_LOST]).all(is_made) && faults.values().sum::<usize>() > 20,
        "seed {seed}: only {faults:?}"
    );
    lane.expect_alive();
}

/// Without a change, waiting for the watch to show it would never end.
#[test]
fn after_three_conflicts_in_a_row_the_object_is_read_live() {
    let lane = Lane::start("conflicts");
    let ns = lane.namespace();
    let read = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = read.clone();
    lane.proxy.disturb(move |asked| {
        if asked.verb == "get" {
            seen.lock().unwrap().insert(asked.resource.clone());
        }
        let is_of_status = asked.verb == "update" && asked.subresource == "status";
        // As many as needed: a decision that writes no status begins a new row.
        let is_read = seen.lock().unwrap().contains(&asked.resource);
        Fault::Answer(409).when(is_of_status && !is_read)
    });
    ns.apply(&service("svc"));
    let resources = [
        "podcliques",
        "podcliquescalinggroups",
        "podcliquesets",
        "podgangs",
    ];
    ns.until("each kind is read live, and all runs", |seen| {
        let read = read.lock().unwrap();
        let is_whole = resources.iter().all(|r| read.contains(*r));
        is_whole.then_some(()).ok_or_else(|| format!("{read:?}"))?;
        runs(seen, "svc", 3, 2)
    });
}

fn create_and_scale_out(ns: &Namespace<'_>, set: &str) {
    ns.apply(&service(set));
    ns.until("it runs", |seen| runs(seen, set, 3, 2));
    scale(ns, set, 5);
    ns.until("scaled out", |seen| runs(seen, set, 5, 5));
}

/// The indices that stay when all run: a pod whose creation failed at first is younger than the pod
/// with the next index.
fn oldest(seen: &Seen, podclique: &str, count: usize) -> Vec<u32> {
    let mut pods = seen.pods(podclique);
    pods.sort_by_key(|pod| pod["metadata"]["creationTimestamp"].as_str());
    let mut indices: Vec<_> = pods.into_iter().take(count).map(index).collect();
    indices.sort_unstable();
    indices
}

fn delete(ns: &Namespace<'_>, set: &str) {
    ns.kubectl(&["delete", "pcs", set, "--wait=false"]);
    ns.until_nothing_is_left();
}

/// `GROVE_E2E_SEED`, or a fixed number.
fn seed() -> u64 {
    let asked = env::var("GROVE_E2E_SEED").ok();
    asked.map_or(7, |seed| seed.parse().unwrap())
}

const CODES: [u16; 5] = [409, 429, 500, 503, 504];
/// Counts as a lost answer among the faults.
const ANSWER_LOST: u16 = 0;

fn code_of(fault: &Fault) -> Option<u16> {
    match fault {
        Fault::Answer(code) => Some(*code),
        Fault::AnswerLost => Some(ANSWER_LOST),
        _ => None,
    }
}

fn refuse(seed: u64, asked: &Asked) -> Fault {
    match share(seed, asked) {
        drawn if drawn < FAILED => {
            let code = CODES[usize::try_from(drawn).unwrap() % CODES.len()];
            // Reads never get a conflict.
            let is_possible = code != 409 || asked.is_write();
            Fault::Answer(if is_possible { code } else { 500 })
        }
        drawn if drawn < FAILED + LOST && asked.is_write() => Fault::AnswerLost,
        _ => Fault::None,
    }
}
