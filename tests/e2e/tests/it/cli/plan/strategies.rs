//! The prediction of `plan --live` for each strategy of an update, and what watches then show.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::live::{expect_order, expect_recreated, gone, names, of_action, texts, with_image};
use super::plan_live;
use crate::harness::history::{History, Moment, slot, watch};
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, condition, same};
use crate::updates::{graph, has_ended, probe, read_steps};

/// Pods of one replica of the set: four of `web`, and one of each of three group replicas.
const PODS: usize = 7;

/// That many replicas, with these strategies of the set, of the clique and of the group.
fn service(replicas: usize, strategy: &Value, [web, grp]: [Value; 2]) -> Value {
    let mut cliques = [clique("web", 4), clique("work", 1)];
    cliques.iter_mut().for_each(probe);
    cliques[0]["spec"]["minAvailable"] = json!(2);
    let mut engine = group("grp", "work", 3, 1);
    for (part, rolling) in [(&mut cliques[0], web), (&mut engine, grp)] {
        if !rolling.is_null() {
            part["rollingUpdate"] = rolling;
        }
    }
    let mut pcs = set("svc", &cliques, &[engine]);
    pcs["spec"]["replicas"] = json!(replicas);
    pcs["spec"]["updateStrategy"] = strategy.clone();
    pcs
}

/// What the plan said, and what happened.
struct Outcome {
    steps: Vec<Value>,
    plan: Value,
    history: History,
    /// The pods of before, in the order of their deletion.
    went: Vec<String>,
    seen: Seen,
}

/// Plans another image, applies it, and waits until this holds.
fn carry_out(
    ns: &Namespace<'_>,
    manifest: Value,
    holds: impl Fn(&Seen) -> Result<(), String>,
) -> Outcome {
    let mut history = History::of(ns);
    history.catch_up(ns);
    let names: BTreeMap<String, String> = names(&ns.look().unwrap());
    let edited = with_image(manifest, IMAGE);
    let (plan, code) = plan_live(ns, &edited);
    assert_eq!(code, Some(1), "{plan}");
    ns.apply(&edited);
    ns.until("the edit is carried out", holds);
    history.catch_up(ns);
    Outcome {
        steps: plan["steps"].as_array().unwrap().clone(),
        went: gone(history.moments(), &names),
        plan,
        history,
        seen: ns.look().unwrap(),
    }
}

const IMAGE: &str = "registry.k8s.io/pause:3.9";

fn runs(seen: &Seen, replicas: usize) -> Result<(), String> {
    seen.expect_ready_pods(PODS * replicas)?;
    let available = &seen.one("PodCliqueSet", "svc")?["status"]["availableReplicas"];
    same("available", available, &replicas.into())
}

/// All pods have the new image.
fn is_updated(seen: &Seen) -> Result<(), String> {
    runs(seen, 1)?;
    same("updated pods", &updated(seen).len(), &PODS)?;
    has_ended(seen, "svc")
}

/// The slots whose pods have the new image.
fn updated(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter();
    let new = pods.filter(|pod| pod["spec"]["containers"][0]["image"] == IMAGE);
    new.map(slot).collect()
}

/// The names of the objects of that kind that the plan has this action for.
fn planned<'a>(steps: &'a [Value], action: &str, kind: &str) -> BTreeSet<&'a str> {
    let of_kind = of_action(steps, action).into_iter();
    let of_kind = of_kind.filter(|step| step["kind"] == kind);
    of_kind.map(|step| step["name"].as_str().unwrap()).collect()
}

/// The fewest pods that were up, of PodCliques whose names begin like this, after all were.
fn fewest_up(moments: &[Moment], prefix: &str, all: usize) -> usize {
    let (mut up, mut fewest) = (BTreeSet::new(), all);
    let mut was_whole = false;
    for moment in moments.iter().filter(|m| m.podclique.starts_with(prefix)) {
        if moment.is_up {
            up.insert(&moment.uid);
        } else {
            up.remove(&moment.uid);
        }
        was_whole |= up.len() >= all;
        if was_whole {
            fewest = fewest.min(up.len());
        }
    }
    fewest
}

/// The pods of `web` went in the planned order, one at a time, and so did the replicas of the group.
fn expect_planned_order(outcome: &Outcome, replica: usize) {
    let (web, grp) = (format!("svc-{replica}-web"), format!("svc-{replica}-grp"));
    for (action, part) in [("restart", &web), ("recreate", &grp)] {
        let steps = of_action(&outcome.steps, action);
        let parts: Vec<&Value> = steps.iter().map(|step| &step["name"]).collect();
        assert_eq!(parts, [&json!(part)], "{:?}", outcome.steps);
        assert_eq!(steps[0]["atOnce"], json!(1), "{}", steps[0]);
    }
    let restart = of_action(&outcome.steps, "restart")[0];
    let of_clique = outcome.went.iter().filter(|pod| pod.starts_with(&web));
    let of_clique: Vec<String> = of_clique.cloned().collect();
    expect_order(&of_clique, &texts(&restart["pods"]), 1);
    let recreate = of_action(&outcome.steps, "recreate")[0];
    expect_recreated(recreate, &outcome.went);
    let planned = texts(&restart["pods"]).len() + texts(&recreate["pods"]).len();
    assert_eq!(outcome.went.len(), planned, "{:?}", outcome.went);
}

#[test]
fn with_surge_the_planned_units_come_first_and_go_last() {
    let ns = Namespace::new("plan-surge");
    let limits = [
        json!({"maxSurge": 1, "maxUnavailable": 0}),
        json!({"maxSurge": 1}),
    ];
    let manifest = service(1, &json!({"type": "RollingRecreate"}), limits);
    ns.apply(&manifest);
    ns.until("it runs", |seen| runs(seen, 1));
    let outcome = carry_out(&ns, manifest, is_updated);
    expect_planned_order(&outcome, 0);

    let surge = BTreeSet::from(["svc-0-grp-3-work"]);
    for action in ["create", "remove"] {
        let steps = &outcome.steps;
        assert_eq!(planned(steps, action, "PodClique"), surge, "{steps:?}");
        let pods = planned(steps, action, "Pod");
        let of_clique = pods.iter().filter(|pod| pod.starts_with("svc-0-web-"));
        assert_eq!((of_clique.count(), pods.len()), (1, 1), "{steps:?}");
    }
    let stay: BTreeSet<String> = outcome.seen.all("Pod").into_iter().map(slot).collect();
    let mut left: Vec<&str> = outcome.history.slots_deleted().into_iter().collect();
    left.retain(|slot| !stay.contains(*slot));
    assert_eq!(left, ["svc-0-grp-3-work#0", "svc-0-web#4"], "the surge");

    let moments = outcome.history.moments();
    let first = |holds: &dyn Fn(&Moment) -> bool| moments.iter().position(holds).unwrap();
    let comes = first(&|m| m.podclique == "svc-0-grp-3-work" && m.is_up);
    let goes = first(&|m| m.podclique.starts_with("svc-0-grp-") && m.is_going);
    assert!(comes < goes, "the surge replica of the group came first");
    for (part, units) in [("svc-0-web", 4), ("svc-0-grp-", 3)] {
        assert_eq!(fewest_up(moments, part, units), units, "{part}");
    }
}

/// Of replica 1 only: its pods 3 and 2, and its group replicas 2 and 1.
#[test]
fn below_a_partition_nothing_is_planned_and_nothing_happens() {
    let ns = Namespace::new("plan-partition");
    let limits = [json!({"partition": 2}), json!({"partition": 1})];
    let manifest = service(2, &json!({"partition": 1}), limits);
    ns.apply(&manifest);
    ns.until("it runs", |seen| runs(seen, 2));
    let slots = [
        "svc-1-grp-1-work#0",
        "svc-1-grp-2-work#0",
        "svc-1-web#2",
        "svc-1-web#3",
    ];
    let outcome = carry_out(&ns, manifest, |seen| {
        runs(seen, 2)?;
        let update = condition(seen.one("PodCliqueSet", "svc")?, "UpdateInProgress");
        same("update", &update, &"False/Partitioned".to_owned())?;
        let updated: Vec<String> = updated(seen).into_iter().collect();
        same("updated pods", &updated, &slots.map(str::to_owned).to_vec())
    });
    expect_planned_order(&outcome, 1);
    let recreate = of_action(&outcome.steps, "recreate")[0];
    assert_eq!(recreate["groupReplicas"], json!([2, 1]));
    let remains = outcome.plan["remains"].to_string();
    assert!(remains.contains("partition"), "{remains}");
    let deleted: Vec<&str> = outcome.history.slots_deleted().into_iter().collect();
    assert_eq!(deleted, slots);
}

#[test]
fn with_on_delete_the_planned_objects_change_and_no_pod_does() {
    let ns = Namespace::new("plan-on-delete");
    let none = [Value::Null, Value::Null];
    let manifest = service(2, &json!({"type": "OnDelete"}), none);
    ns.apply(&manifest);
    ns.until("it runs", |seen| runs(seen, 2));
    let outcome = carry_out(&ns, manifest, |seen| {
        runs(seen, 2)?;
        for podclique in seen.all("PodClique") {
            let image = &podclique["spec"]["podSpec"]["containers"][0]["image"];
            same(name(podclique), image, &IMAGE.into())?;
        }
        has_ended(seen, "svc")
    });
    let steps = &outcome.steps;
    let changed = outcome.seen.names("PodClique");
    assert_eq!(planned(steps, "update", "PodClique"), changed, "{steps:?}");
    assert_eq!(steps.len(), changed.len(), "{steps:?}");
    assert_eq!(outcome.history.slots_deleted(), BTreeSet::new());
    assert_eq!(updated(&outcome.seen), BTreeSet::new());
}

/// The lowest indexes that the batches of the plan replace, of prefill and decode.
fn planned_targets(update: &Value) -> Vec<[i64; 2]> {
    let mut targets = [4, 6];
    let mut batches: Vec<[i64; 2]> = Vec::new();
    for step in update["steps"].as_array().unwrap() {
        let mut batch = 0_i64;
        for share in step["batches"].as_array().unwrap() {
            if share["batch"] != batch {
                batch = share["batch"].as_i64().unwrap();
                batches.push(targets);
            }
            let place = usize::from(share["component"] == "decode");
            let indexes = share["indexes"].as_array().unwrap().iter();
            let lowest = indexes.filter_map(Value::as_i64).min().unwrap();
            targets[place] = lowest;
            *batches.last_mut().unwrap() = targets;
        }
    }
    batches
}

/// The lowest number of available units of a component that any batch of the plan leaves.
fn planned_floor(update: &Value, component: &str) -> usize {
    let steps = update["steps"].as_array().unwrap().iter();
    let shares = steps.flat_map(|step| step["batches"].as_array().unwrap());
    let own = shares.filter(|share| share["component"] == component);
    let lowest = own.map(|share| share["floor"].as_u64().unwrap()).min();
    usize::try_from(lowest.unwrap()).unwrap()
}

#[test]
fn a_coherent_update_takes_the_planned_steps() {
    let ns = Namespace::new("plan-coherent-steps");
    ns.apply(&graph("1"));
    ns.until("version 1 runs", |seen| {
        seen.expect_ready_pods(11)?;
        let available = &seen.one("PodCliqueSet", "svc")?["status"]["availableReplicas"];
        same("available", available, &json!(1))
    });
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    let sets = ("grove.io", "v1alpha1", "PodCliqueSet");
    let (events, _runtime) = watch::begin_of(&ns, sets);
    let (plan, code) = plan_live(&ns, &graph("2"));
    assert_eq!(code, Some(1), "{plan}");
    ns.apply(&graph("2"));
    ns.until("version 2 runs", |seen| {
        seen.expect_ready_pods(11)?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);

    let update = &plan["update"];
    let (mut steps, scope) = read_steps(&events);
    steps.retain(|step| *step != [i64::from(i32::MAX); 2]);
    assert_eq!(update["scope"], scope);
    assert_eq!(planned_targets(update), steps, "{update:#}");
    for (component, units) in [("prefill", 4), ("decode", 6)] {
        let prefix = format!("svc-0-{component}-");
        let fewest = fewest_up(history.moments(), &prefix, units);
        let floor = planned_floor(update, component);
        assert!(fewest >= floor, "{component}: {fewest} of {floor}");
    }
    let deleted = history.slots_deleted();
    assert!(!deleted.contains("svc-0-router#0"), "it is not in scope");
}
