//! The operator adopts the objects of the Go operator: nothing restarts, and everything keeps
//! working.

mod adopted;
mod anchors;
mod any_set;
mod changed;
mod compute_domains;
mod counts;
mod epochs;
mod left;
mod meta;
mod ordered;
mod podcliques;
mod running;
mod statuses;
mod underway;
mod updated;
mod waiting;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, Seen, same};
use adopted::{expect_gangs, expect_kept, expect_parents, expect_podcliques, uids};

/// An operator that does not run yet.
fn stopped(purpose: &str) -> Lane {
    let lane = Lane::start(purpose);
    lane.operator.kill();
    lane
}

#[test]
fn a_running_set_is_adopted_without_a_restart() {
    let lane = stopped("adopt");
    let ns = lane.namespace();
    running::running(&ns);
    let before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 11));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(uids(&ns.look().unwrap()), before);

    // A restarted operator has nothing left to do.
    lane.operator.kill();
    lane.operator.start_again().unwrap();
    lane.operator.wait_until_ready().unwrap();
    replace_a_pod(&ns);
    history.catch_up(&ns);
    let replaced = BTreeSet::from(["llm-0-router#1"]);
    assert_eq!(history.slots_deleted(), replaced);
    assert_eq!(history.slots_held_twice(), replaced);
}

/// Gangs that are named by epochs are replaced by gangs with this operator's names; the map of the
/// epochs goes with the set.
#[test]
fn gangs_named_by_epochs_are_replaced_and_nothing_is_restarted() {
    let _turn = epochs::turn();
    let lane = stopped("adopt-epochs");
    let ns = lane.namespace();
    epochs::running(&ns);
    let but_gangs = |ns: &Namespace<'_>| {
        let mut all = uids(&ns.look().unwrap());
        all.retain(|called, _| !called.starts_with("PodGang/"));
        all
    };
    let before = but_gangs(&ns);
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 11));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(but_gangs(&ns), before);
    assert_eq!(maps(&ns), "podgangmap.grove.io/llm-0\n");

    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=2"]);
    ns.until("it is scaled in", |seen| {
        seen.expect_ready_pods(8)?;
        expect_gangs(seen, &["llm-0", "llm-0-model-0"])
    });
    delete_all_with_map(&ns);
}

/// The names of the maps of epochs.
fn maps(ns: &Namespace<'_>) -> String {
    ns.kubectl(&["get", "podgangmaps", "--output=name"])
}

/// Nothing is left, including the map of the epochs and its definition.
fn delete_all_with_map(ns: &Namespace<'_>) {
    delete_all(ns);
    ns.until("the map is gone", |_| same("maps", &maps(ns).as_str(), &""));
    let definition = ["delete", "crd", "podgangmaps.grove.io"];
    ns.control_plane.kubectl(definition);
}

#[test]
fn an_adopted_set_is_scaled_and_deleted() {
    let lane = stopped("adopt-life");
    let ns = lane.namespace();
    adopt(&lane, &ns);
    let before = uids(&ns.look().unwrap());

    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=4"]);
    ns.kubectl(&["scale", "pclq/llm-0-router", "--replicas=3"]);
    ns.until("it is scaled out", |seen| {
        seen.expect_ready_pods(15)?;
        expect_parents(seen, 4)?;
        let gangs = ["llm-0", "llm-0-model-0", "llm-0-model-1", "llm-0-model-2"];
        expect_gangs(seen, &gangs)?;
        expect_kept(seen, &before)
    });
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=1"]);
    ns.kubectl(&["scale", "pclq/llm-0-router", "--replicas=1"]);
    ns.until("it is scaled in", |seen| {
        seen.expect_ready_pods(4)?;
        expect_parents(seen, 1)?;
        expect_gangs(seen, &["llm-0"])
    });
    delete_all(&ns);
}

#[test]
fn an_adopted_set_is_scaled_to_zero_and_up_again() {
    let lane = stopped("adopt-idle");
    let ns = lane.namespace();
    adopt(&lane, &ns);
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=0"]);
    ns.until("the group is scaled to zero", |seen| {
        seen.expect_ready_pods(2)?;
        expect_gangs(seen, &["llm-0"])?;
        expect_parents(seen, 0)
    });
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=3"]);
    let gangs = ["llm-0", "llm-0-model-0", "llm-0-model-1"];
    ns.until("it runs again", |seen| {
        seen.expect_ready_pods(11)?;
        expect_parents(seen, 3)?;
        expect_gangs(seen, &gangs)
    });
    ns.kubectl(&["scale", "pclq/llm-0-router", "--replicas=0"]);
    ns.until("the router is scaled to zero", |seen| {
        seen.expect_ready_pods(9)?;
        expect_gangs(seen, &gangs)?;
        expect_parents(seen, 3)
    });
    ns.kubectl(&["scale", "pclq/llm-0-router", "--replicas=2"]);
    ns.until("it runs again", |seen| {
        seen.expect_ready_pods(11)?;
        expect_gangs(seen, &gangs)
    });
    history.catch_up(&ns);
    // Scaled up once, and only the pods that had been scaled away were created again.
    assert_eq!(history.slots_held_by_more_than(2), BTreeSet::new());
    assert_eq!(history.slots_deleted(), history.slots_held_twice());
}

/// Adopts the running set.
fn adopt(lane: &Lane, ns: &Namespace<'_>) {
    running::running(ns);
    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 11));
}

/// Edits the set.
fn patch(ns: &Namespace<'_>, operations: &Value) {
    let patch = format!("--patch={operations}");
    ns.kubectl(&["patch", "pcs/llm", "--type=json", &patch]);
}

/// Up to date with that many replicas of the group, and that many pods.
fn runs(seen: &Seen, group_replicas: u32, pods: usize) -> Result<(), String> {
    seen.expect_ready_pods(pods)?;
    expect_podcliques(seen)?;
    expect_parents(seen, group_replicas)?;
    expect_gangs(seen, &["llm-0", "llm-0-model-0", "llm-0-model-1"])
}

/// The replacement pod follows this operator's rules.
fn replace_a_pod(ns: &Namespace<'_>) {
    let lost = name(ns.look().unwrap().pods("llm-0-router")[1]).to_owned();
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("it is replaced", |seen| {
        runs(seen, 3, 11)?;
        let pod = seen.pods("llm-0-router")[1];
        same("replaced", &(name(pod) != lost), &true)?;
        same("gates", &gates(pod), &vec![])?;
        same("host", &pod["spec"]["hostname"], &"llm-0-router-1".into())?;
        let account = &pod["spec"]["serviceAccountName"];
        same("account", account, &"default".into())
    });
}

/// Nothing is left, including objects that only the Go operator creates.
fn delete_all(ns: &Namespace<'_>) {
    ns.kubectl(&["delete", "pcs/llm", "--timeout=180s"]);
    ns.until("nothing is left", |seen| {
        same("objects", &uids(seen).len(), &0)?;
        let theirs = "secrets,horizontalpodautoscalers,resourceclaims";
        let left = ns.kubectl(&["get", theirs, "--output=name"]);
        same("objects of the Go operator", &left.as_str(), &"")
    });
}
