//! The prediction of `plan --live` for an edit, and the observation of an independent watch.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::plan_live;
use crate::harness::history::{History, Moment};
use crate::harness::manifest::{clique, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same};
use crate::updates::probe;

/// Three replicas, each of 4 pods `web`, 2 of which may be down, and a group of 3 replicas of 2
/// pods.
fn workload() -> Value {
    let mut web = clique("web", 4);
    web["spec"]["minAvailable"] = json!(2);
    web["rollingUpdate"] = json!({"maxUnavailable": 2});
    let group = json!({
        "name": "grp", "cliqueNames": ["lead", "work"], "replicas": 3, "minAvailable": 1,
    });
    let mut cliques = [web, clique("lead", 1), clique("work", 1)];
    cliques.iter_mut().for_each(probe);
    let mut workload = set("svc", &cliques, &[group]);
    workload["spec"]["replicas"] = json!(3);
    workload
}

pub(super) fn with_image(mut workload: Value, image: &str) -> Value {
    for clique in workload["spec"]["template"]["cliques"]
        .as_array_mut()
        .unwrap()
    {
        clique["spec"]["podSpec"]["containers"][0]["image"] = json!(image);
    }
    workload
}

/// The set runs as in the manifest, and nothing is in progress.
fn runs(seen: &Seen, manifest: &Value) -> Result<(), String> {
    let spec = &manifest["spec"];
    let template = &spec["template"];
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let web = number(&template["cliques"][0]["spec"]["replicas"]);
    let group = number(&template["podCliqueScalingGroups"][0]["replicas"]);
    seen.expect_ready_pods(number(&spec["replicas"]) * (web + 2 * group))?;
    let set = seen.one("PodCliqueSet", "svc")?;
    let (meta, status) = (&set["metadata"], &set["status"]);
    same(
        "generation",
        &status["observedGeneration"],
        &meta["generation"],
    )?;
    same(
        "updatedReplicas",
        &status["updatedReplicas"],
        &spec["replicas"],
    )?;
    same(
        "availableReplicas",
        &status["availableReplicas"],
        &spec["replicas"],
    )?;
    let image = &template["cliques"][0]["spec"]["podSpec"]["containers"][0]["image"];
    let pods = seen.all("Pod").into_iter();
    pods.map(|pod| &pod["spec"]["containers"][0]["image"])
        .try_for_each(|is| same("image", is, image))
}

/// A namespace in which it runs, and the history of its pods from now on.
fn running<'a>(purpose: &str) -> (Namespace<'a>, History) {
    let ns = Namespace::new(purpose);
    let workload = workload();
    ns.apply(&workload);
    ns.until("it runs", |seen| runs(seen, &workload));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    expect_unchanged(&ns, &workload);
    (ns, history)
}

/// There is no difference, and nothing happens.
fn expect_unchanged(ns: &Namespace<'_>, manifest: &Value) {
    let (plan, code) = plan_live(ns, manifest);
    assert_eq!(plan["isChanged"], json!(false), "{}", plan["differences"]);
    assert_eq!((&plan["steps"], code), (&json!([]), Some(0)));
}

/// Plans the edit, applies it, waits until it runs.
fn carry_out(ns: &Namespace<'_>, history: &mut History, edited: &Value) -> Vec<Value> {
    let (plan, code) = plan_live(ns, edited);
    assert_eq!(code, Some(1), "{plan}");
    assert_eq!(plan["remains"], Value::Null, "{plan}");
    ns.apply(edited);
    ns.until("the edit is carried out", |seen| runs(seen, edited));
    history.catch_up(ns);
    expect_unchanged(ns, edited);
    let steps = plan["steps"].as_array().unwrap().clone();
    let is_under_way = |step: &Value| step["isUnderWay"] == json!(true);
    assert!(!steps.iter().any(is_under_way), "{steps:?}");
    steps
}

pub(super) fn of_action<'a>(steps: &'a [Value], action: &str) -> Vec<&'a Value> {
    steps
        .iter()
        .filter(|step| step["action"] == action)
        .collect()
}

pub(super) fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// Names of pods by uid.
pub(super) fn names(seen: &Seen) -> BTreeMap<String, String> {
    let pods = seen.all("Pod").into_iter();
    let uid = |pod: &Value| pod["metadata"]["uid"].as_str().unwrap().to_owned();
    pods.map(|pod| (uid(pod), name(pod).to_owned())).collect()
}

/// The original pods, in the order of their deletion.
pub(super) fn gone(moments: &[Moment], names: &BTreeMap<String, String>) -> Vec<String> {
    let mut gone = Vec::new();
    for moment in moments.iter().filter(|moment| moment.is_going) {
        if let Some(name) = names.get(&moment.uid).filter(|name| !gone.contains(*name)) {
            gone.push(name.clone());
        }
    }
    gone
}

/// The lowest number of pods of the PodClique that were up, after all were.
fn fewest_up(moments: &[Moment], podclique: &str, all: usize) -> usize {
    let (mut up, mut fewest) = (BTreeSet::new(), all);
    let mut was_whole = false;
    for moment in moments
        .iter()
        .filter(|moment| moment.podclique == podclique)
    {
        if moment.is_up {
            up.insert(&moment.uid);
        } else {
            up.remove(&moment.uid);
        }
        was_whole |= up.len() == all;
        if was_whole {
            fewest = fewest.min(up.len());
        }
    }
    fewest
}

/// The watch shows this order, except among pods that go at the same time.
pub(super) fn expect_order(watched: &[String], planned: &[String], at_once: usize) {
    assert_eq!(watched.len(), planned.len(), "{watched:?} {planned:?}");
    for (place, name) in watched.iter().enumerate() {
        let planned = planned.iter().position(|planned| planned == name);
        let planned = planned.unwrap_or_else(|| panic!("{name} is not in {planned:?}"));
        assert!(place.abs_diff(planned) < at_once, "{watched:?} {planned}");
    }
}

#[test]
fn another_image_restarts_the_pods_that_it_says_in_its_order() {
    let (ns, mut history) = running("plan-image");
    let names = names(&ns.look().unwrap());
    let edited = with_image(workload(), "registry.k8s.io/pause:3.9");
    let steps = carry_out(&ns, &mut history, &edited);
    let went = gone(history.moments(), &names);
    let restarts = of_action(&steps, "restart");
    let cliques: Vec<_> = restarts
        .iter()
        .map(|step| step["name"].as_str().unwrap())
        .collect();
    assert_eq!(cliques, ["svc-0-web", "svc-1-web", "svc-2-web"]);
    for step in &restarts {
        let podclique = step["name"].as_str().unwrap();
        assert_eq!(step["atOnce"], json!(2), "{step}");
        let of_clique = went
            .iter()
            .filter(|pod| pod.starts_with(&format!("{podclique}-")));
        expect_order(
            &of_clique.cloned().collect::<Vec<_>>(),
            &texts(&step["pods"]),
            2,
        );
        assert_eq!(fewest_up(history.moments(), podclique, 4), 2);
    }
    let recreations = of_action(&steps, "recreate");
    for step in &recreations {
        expect_recreated(step, &went);
    }
    // All pods, one replica of the set after the other.
    let planned = restarts
        .iter()
        .chain(&recreations)
        .flat_map(|step| texts(&step["pods"]));
    assert_eq!(
        planned.collect::<BTreeSet<_>>(),
        names.into_values().collect()
    );
    let mut turns: Vec<&str> = went.iter().map(|pod| &pod[..5]).collect();
    turns.dedup();
    assert_eq!(turns, ["svc-0", "svc-1", "svc-2"]);
}

/// Group replicas were recreated as a whole, one after the other.
pub(super) fn expect_recreated(step: &Value, went: &[String]) {
    let group = step["name"].as_str().unwrap();
    assert_eq!(step["atOnce"], json!(1), "{step}");
    let replica = |pod: &String| {
        let rest = pod.strip_prefix(&format!("{group}-"))?;
        rest.split('-').next()?.parse::<i64>().ok()
    };
    let mut replicas: Vec<i64> = went.iter().filter_map(replica).collect();
    replicas.dedup();
    assert_eq!(json!(replicas), step["groupReplicas"], "{went:?}");
}

#[test]
fn scaling_out_creates_the_planned_objects_and_restarts_nothing() {
    let (ns, mut history) = running("plan-out");
    let before = ns.look().unwrap();
    let mut edited = workload();
    edited["spec"]["replicas"] = json!(4);
    edited["spec"]["template"]["cliques"][0]["spec"]["replicas"] = json!(5);
    edited["spec"]["template"]["podCliqueScalingGroups"][0]["replicas"] = json!(4);
    let steps = carry_out(&ns, &mut history, &edited);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    let after = ns.look().unwrap();
    for kind in ["PodCliqueScalingGroup", "PodClique", "PodGang", "Service"] {
        let made: BTreeSet<&str> = after
            .names(kind)
            .difference(&before.names(kind))
            .copied()
            .collect();
        let planned = of_action(&steps, "create")
            .into_iter()
            .filter(|step| step["kind"] == kind);
        let planned = planned.map(|step| step["name"].as_str().unwrap());
        assert_eq!(made, planned.collect(), "{kind}");
    }
    let pods: i64 = steps
        .iter()
        .filter_map(|step| step["newPods"].as_i64())
        .sum();
    let made = after.all("Pod").len() - before.all("Pod").len();
    assert_eq!(pods, i64::try_from(made).unwrap(), "{steps:?}");
    let scaled = of_action(&steps, "scale").into_iter().map(|step| {
        (
            step["name"].as_str().unwrap(),
            step["from"].as_i64(),
            step["to"].as_i64(),
        )
    });
    let mut expected = BTreeSet::new();
    for (i, (part, from)) in (0..3).flat_map(|i| [(i, ("web", 4)), (i, ("grp", 3))]) {
        expected.insert((format!("svc-{i}-{part}"), Some(from), Some(from + 1)));
    }
    let scaled: BTreeSet<_> = scaled
        .map(|(name, from, to)| (name.to_owned(), from, to))
        .collect();
    assert_eq!(scaled, expected);
}

#[test]
fn scaling_in_removes_the_pods_that_it_says() {
    let (ns, mut history) = running("plan-in");
    let before = ns.look().unwrap();
    let names = names(&before);
    let mut edited = workload();
    edited["spec"]["replicas"] = json!(2);
    edited["spec"]["template"]["cliques"][0]["spec"]["replicas"] = json!(3);
    let steps = carry_out(&ns, &mut history, &edited);
    let went: BTreeSet<String> = gone(history.moments(), &names).into_iter().collect();
    let planned = steps.iter().flat_map(|step| texts(&step["pods"])).collect();
    assert_eq!(went, planned, "two of web, and all of replica 2");
    assert_eq!(went.len(), 2 + 10);
    // A finalizer keeps each until its pods are gone.
    ns.until("the planned objects are removed", |after| {
        for kind in ["PodCliqueScalingGroup", "PodClique", "PodGang", "Service"] {
            let (before, after) = (before.names(kind), after.names(kind));
            let removed: BTreeSet<&str> = before.difference(&after).copied().collect();
            let planned = of_action(&steps, "remove").into_iter();
            let planned = planned.filter(|step| step["kind"] == kind);
            let planned = planned.map(|step| step["name"].as_str().unwrap());
            same(kind, &removed, &planned.collect())?;
        }
        Ok(())
    });
}

#[test]
fn pods_that_are_not_ready_go_first() {
    let (ns, mut history) = running("plan-broken");
    let names = names(&ns.look().unwrap());
    let broken = names
        .values()
        .filter(|pod| pod.starts_with("svc-0-web-"))
        .max()
        .unwrap();
    let patch = format!("--patch={}", crate::harness::namespace::unready());
    ns.kubectl(&["patch", "pod", broken, "--subresource=status", &patch]);
    ns.until("it is known", |seen| {
        let podclique = seen.one("PodClique", "svc-0-web")?;
        same("ready", &podclique["status"]["readyReplicas"], &json!(3))
    });
    let edited = with_image(workload(), "registry.k8s.io/pause:3.9");
    let steps = carry_out(&ns, &mut history, &edited);
    let restarts = of_action(&steps, "restart");
    let first = restarts
        .iter()
        .find(|step| step["name"] == "svc-0-web")
        .unwrap();
    assert_eq!(first["notReady"], json!([broken]));
    assert_eq!(texts(&first["pods"])[0], *broken);
    let went = gone(history.moments(), &names);
    let of_clique = went.iter().filter(|pod| pod.starts_with("svc-0-web-"));
    let place = of_clique.into_iter().position(|pod| pod == broken).unwrap();
    assert!(place < 2, "with the first that may go: {went:?}");
}
