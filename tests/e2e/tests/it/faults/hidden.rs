//! Lists and watches omit objects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::faults::watches::{next_watches, on_watches};
use crate::faults::{runs, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault, Shown};
use crate::harness::seen::name;
use crate::harness::wait;

#[test]
fn objects_omitted_from_a_list_are_not_gone() {
    let lane = Lane::start("hidden");
    let ns = lane.namespace();
    ns.apply(&service("x"));
    let lost = ns.until("it runs", |seen| {
        runs(seen, "x", 3, 2)?;
        Ok(name(seen.pods("x-0-a")[1]).to_owned())
    });
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    // The next lists omit all pods, PodCliques and groups; watches continue.
    let hidden = Arc::new(HIDDEN.map(|_| AtomicUsize::new(0)));
    let left_out = hidden.clone();
    let hide = move |kind: usize| {
        let left_out = left_out.clone();
        Fault::edit(move |_, _| {
            left_out[kind].fetch_add(1, Ordering::SeqCst);
            Shown::Nothing
        })
    };
    let too_old = next_watches();
    lane.proxy.disturb(move |asked| match hidden_kind(asked) {
        Some(kind) if asked.verb == "list" => hide(kind),
        _ if too_old(asked) => Fault::Answer(410),
        _ => Fault::None,
    });
    lane.proxy.cut_watches();
    // One pod is really gone, and no watch event showed it.
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("it is replaced", |seen| {
        runs(seen, "x", 3, 2)?;
        let is_kept = seen.names("Pod").contains(lost.as_str());
        (!is_kept)
            .then_some(())
            .ok_or_else(|| "it is there".to_owned())
    });
    let seen = wait::until(|| {
        let whole = HIDDEN.iter().zip(hidden.iter());
        let mut whole = whole.filter(|(_, left_out)| left_out.load(Ordering::SeqCst) == 0);
        whole.next().map_or(Ok(()), |(kind, _)| {
            Err(format!("nothing was left out of a list of {kind}"))
        })
    });
    seen.unwrap();
    scale(&ns, "x", 4);
    ns.until("as it was scaled", |seen| runs(seen, "x", 4, 4));
    history.catch_up(&ns);
    let lost = BTreeSet::from(["x-0-a#1"]);
    assert_eq!(history.slots_deleted(), lost);
    assert_eq!(history.slots_held_twice(), lost);
    lane.expect_alive();
}

#[test]
fn changes_omitted_from_a_watch_are_found() {
    let lane = Lane::start("untold");
    let ns = lane.namespace();
    ns.apply(&service("x"));
    let lost = ns.until("it runs", |seen| {
        runs(seen, "x", 3, 2)?;
        Ok(name(seen.pods("x-0-a")[1]).to_owned())
    });
    // The watch delivers no event of this pod any more, until it is cut and a list follows.
    let secret = lost.clone();
    let hidden = Arc::new(AtomicUsize::new(0));
    let not_told = hidden.clone();
    lane.proxy.disturb(on_watches(Fault::edit(move |_, object| {
        if name(&object) == secret {
            not_told.fetch_add(1, Ordering::SeqCst);
            Shown::Nothing
        } else {
            Shown::As(object)
        }
    })));
    lane.proxy.cut_watches();
    ns.kubectl(&["delete", "pod", &lost]);
    let too_old = next_watches();
    lane.proxy
        .disturb(move |asked| Fault::Answer(410).when(too_old(asked)));
    lane.proxy.cut_watches();
    ns.until("it is replaced", |seen| runs(seen, "x", 3, 2));
    assert!(hidden.load(Ordering::SeqCst) > 0);
    lane.expect_alive();
}

/// Resources that lists omit.
const HIDDEN: [&str; 3] = ["pods", "podcliques", "podcliquescalinggroups"];

fn hidden_kind(asked: &Asked) -> Option<usize> {
    HIDDEN.iter().position(|kind| *kind == asked.resource)
}
