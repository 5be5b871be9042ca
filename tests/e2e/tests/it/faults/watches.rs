//! Watches end early or have an expired version.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::faults::{runs, runs_scaled_in, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault, Shown};

#[test]
fn watches_that_break_off_again_and_again_lose_nothing() {
    let lane = Lane::start("cut");
    let ns = lane.namespace();
    // Each fifth event of all ends its watch.
    let events = Arc::new(AtomicUsize::new(0));
    let told = events.clone();
    let edit = Fault::edit(
        move |_, object| match told.fetch_add(1, Ordering::SeqCst) % 5 {
            4 => Shown::CutWithin,
            _ => Shown::As(object),
        },
    );
    lane.proxy.disturb(on_watches(edit));
    let mut history = History::of(&ns);
    ns.apply(&service("x"));
    ns.until("it runs", |seen| runs(seen, "x", 3, 2));
    for replicas in [5, 4, 5] {
        lane.proxy.cut_watches();
        scale(&ns, "x", replicas);
        lane.proxy.cut_watches();
        ns.until("as it was scaled", |seen| {
            runs_scaled_in(seen, "x", replicas, replicas)
        });
    }
    history.catch_up(&ns);
    // Pods 3 and 4 are created together, maybe in two seconds: the younger one goes.
    let scaled_in = history.slots_deleted();
    let of_either = ["x-0-a#3", "x-0-a#4"].map(|pod| BTreeSet::from([pod, "x-0-g-4-b#0"]));
    assert!(of_either.contains(&scaled_in), "{scaled_in:?}");
    assert_eq!(history.slots_held_twice(), scaled_in);
    assert!(events.load(Ordering::SeqCst) > 50);
    lane.expect_alive();
}

#[test]
fn expired_watches_begin_again() {
    let lane = Lane::start("expired");
    let ns = lane.namespace();
    ns.apply(&service("x"));
    ns.until("it runs", |seen| runs(seen, "x", 3, 2));

    // At their start.
    let too_old = next_watches();
    lane.proxy
        .disturb(move |asked| Fault::Answer(410).when(too_old(asked)));
    lane.proxy.cut_watches();
    scale(&ns, "x", 4);
    ns.until("as it was scaled", |seen| runs(seen, "x", 4, 4));

    assert!(watches_of_pods(&lane) > 5);

    // In the middle: after the first events.
    let events = AtomicUsize::new(0);
    let edit = Fault::edit(
        move |_, object| match events.fetch_add(1, Ordering::SeqCst) {
            0 | 2 | 4 | 8 | 16 => Shown::Expired,
            _ => Shown::As(object),
        },
    );
    lane.proxy.disturb(on_watches(edit));
    lane.proxy.cut_watches();
    let before = lane.proxy.count(|asked| asked.verb == "list");
    scale(&ns, "x", 2);
    ns.until("as it was scaled", |seen| runs_scaled_in(seen, "x", 2, 2));
    let lists = lane.proxy.count(|asked| asked.verb == "list") - before;
    assert!(lists >= 3, "{lists} lists");
    lane.operator.wait_until_ready().unwrap();
    lane.expect_alive();
}

/// The fault for watches only.
pub fn on_watches(fault: Fault) -> impl Fn(&Asked) -> Fault {
    move |asked| fault.clone().when(asked.verb == "watch")
}

/// Whether it is one of the next watches of its kind: as many as make the operator list again.
pub fn next_watches() -> impl Fn(&Asked) -> bool {
    const EACH: usize = 5;
    let begun = Mutex::new(HashMap::<String, usize>::new());
    move |asked| {
        if asked.verb != "watch" {
            return false;
        }
        let mut begun = begun.lock().unwrap();
        let count = begun.entry(asked.resource.clone()).or_default();
        *count += 1;
        *count <= EACH
    }
}

fn watches_of_pods(lane: &Lane) -> usize {
    lane.proxy.count(|asked| asked.is("watch", "pods"))
}
