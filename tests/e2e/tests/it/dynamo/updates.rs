//! Dynamo's way through an update: it writes the whole set, scales parts by their own subresource,
//! and concludes from counts and generations when the graph is ready, where traffic goes, and when
//! scaling that it deferred goes on.

mod second;

use serde_json::{Value, json};
use sim::dynamo::{
    COUNTS, Moment, Verdict, expect_no_early_ready, expect_no_early_traffic,
    expect_ready_at_the_end,
};

use super::watching::Watching;
use super::{DECODE, FRONTEND, GRAPH, all_of_version, expect_all_ready, graph};
use crate::harness::client::send;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, same, wait};
use crate::updates::{has_ended, probe};

/// Two pods of the frontend, and two group replicas of three.
const PODS: usize = 8;

/// The graph with two of each component, whose containers have readiness probes, as its own have.
fn pairs() -> Value {
    let mut pcs = graph("1");
    pcs["metadata"]["labels"] = json!({GRAPH: "llm"});
    let template = &mut pcs["spec"]["template"];
    for clique in template["cliques"].as_array_mut().unwrap() {
        probe(clique);
    }
    template["cliques"][0]["spec"]["replicas"] = json!(2);
    template["podCliqueScalingGroups"][0]["replicas"] = json!(2);
    pcs
}

/// The same with `updateStrategy: Coherent`.
fn coherent() -> Value {
    let mut pcs = pairs();
    pcs["spec"]["updateStrategy"] = json!({"type": "Coherent"});
    pcs
}

/// Writes the set as Dynamo does: all of its copy, in the version that it read, and again if
/// somebody has written in between. Returns the copy that it read.
fn write(ns: &Namespace<'_>, edit: impl Fn(&mut Value)) -> Value {
    let written = wait::until(|| {
        let text = ns.kubectl(&["get", "podcliqueset", "llm", "--output=json"]);
        let read: Value = serde_json::from_str(&text).unwrap();
        let mut next = read.clone();
        edit(&mut next);
        put(ns, &next).map(|()| read)
    });
    written.unwrap()
}

fn put(ns: &Namespace<'_>, set: &Value) -> Result<(), String> {
    let namespace = &ns.name;
    let path = format!("/apis/grove.io/v1alpha1/namespaces/{namespace}/podcliquesets/llm");
    let answer = send(&ns.control_plane.kubeconfig, "PUT", &path, set);
    let is_written = answer.status == 200;
    is_written
        .then_some(())
        .ok_or_else(|| format!("{}: {}", answer.status, answer.body))
}

fn write_version(set: &mut Value, version: &str) {
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["containers"][0]["env"][0]["value"] = json!(version);
    }
}

/// All pods are of this version, and the update has ended.
fn is_updated(seen: &Seen, version: &str) -> Result<(), String> {
    same("pods", &seen.all("Pod").len(), &PODS)?;
    all_of_version(seen, version)?;
    has_ended(seen, "llm")
}

/// The last change of the graph made it ready once, at its end; then traffic goes to it, and it may
/// be scaled.
fn expect_one_way_to_ready(moments: &[Moment]) {
    expect_no_early_traffic(moments).unwrap();
    expect_no_early_ready(moments).unwrap();
    let last = moments.last().unwrap();
    // Statuses of the change before come first, and the change itself ends that it is ready.
    let of_change: Vec<Moment> = moments
        .iter()
        .filter(|moment| moment.generation == last.generation)
        .skip_while(|moment| moment.verdict == Verdict::Ready)
        .cloned()
        .collect();
    expect_ready_at_the_end(&of_change).unwrap();
    assert!(last.serves && last.may_scale, "{last:?}");
}

/// The last change of the graph was an update: it was reported as one, and made the graph ready once,
/// at its end.
fn expect_update(moments: &[Moment]) {
    expect_one_way_to_ready(moments);
    let generation = moments.last().unwrap().generation;
    let mut of_change = moments.iter().filter(|m| m.generation == generation);
    let is_reported = of_change.any(|moment| moment.verdict == Verdict::Updating);
    assert!(is_reported, "never {:?}: {moments:#?}", Verdict::Updating);
}

#[test]
fn an_update_is_ready_once_at_its_end_and_deferred_scaling_goes_on_then() {
    let ns = Namespace::new("dynamo-update");
    let mut reader = Watching::of(&ns);
    ns.apply(&pairs());
    ns.until("it is ready", expect_all_ready);
    expect_one_way_to_ready(&reader.catch_up(&ns));

    let stale = write(&ns, |set| write_version(set, "2"));
    ns.until("it is updated", |seen| is_updated(seen, "2"));
    expect_update(&reader.catch_up(&ns));
    let refused = put(&ns, &stale).unwrap_err();
    assert!(refused.starts_with("409"), "{refused}");
    expect_scaling(&ns, &mut reader, "2");
}

/// The scaling that it deferred during the update: each part gets another pod or group replica, with the
/// templates of the update, and the graph is ready again.
fn expect_scaling(ns: &Namespace<'_>, reader: &mut Watching, version: &str) {
    for (part, pods) in [("pclq/llm-0-frontend", 9), ("pcsg/llm-0-decode", 12)] {
        ns.kubectl(&["scale", part, "--replicas=3"]);
        ns.until("it is scaled", |seen| {
            same("pods", &seen.all("Pod").len(), &pods)?;
            all_of_version(seen, version)
        });
        let moments = reader.catch_up(ns);
        expect_one_way_to_ready(&moments);
        let runs = moments.iter().find(|moment| !moment.may_scale);
        assert!(runs.is_none(), "a change of a count is no update: {runs:?}");
    }
}

/// It asks for `Coherent` only where the definition's enumeration has it, and then scales nothing until
/// the update has ended; then it does.
#[test]
fn a_coherent_update_is_ready_once_at_its_end_and_deferred_scaling_goes_on_then() {
    let ns = Namespace::new("dynamo-coherent");
    let crd = ns.kubectl(&["get", "crd", "podcliquesets.grove.io", "--output=json"]);
    let crd: Value = serde_json::from_str(&crd).unwrap();
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let strategies = &spec["properties"]["updateStrategy"]["properties"]["type"]["enum"];
    let strategies = strategies.as_array().unwrap();
    assert!(strategies.contains(&json!("Coherent")), "{strategies:?}");
    let mut reader = Watching::of(&ns);
    ns.apply(&coherent());
    ns.until("it is ready", expect_all_ready);
    expect_one_way_to_ready(&reader.catch_up(&ns));
    write(&ns, |set| write_version(set, "2"));
    ns.until("it is updated", |seen| is_updated(seen, "2"));
    let moments = reader.catch_up(&ns);
    expect_update(&moments);
    let waits = moments.iter().any(|moment| !moment.may_scale);
    assert!(waits, "scaling is deferred while the update runs");
    let set = ns.look().unwrap();
    let progress = &set.one("PodCliqueSet", "llm").unwrap()["status"]["updateProgress"];
    for field in [
        "inScopeStandalonePodCliques",
        "inScopePodCliqueScalingGroups",
    ] {
        assert_eq!(progress[field], Value::Null, "{field}");
    }
    expect_scaling(&ns, &mut reader, "2");
}

/// It restarts one part after the other, by an annotation of its clique: the next one follows when
/// this one is ready. An annotation changes no generation of a PodClique.
#[test]
fn a_restarted_part_is_not_ready_before_its_pods_are_new() {
    let ns = Namespace::new("dynamo-restart");
    let mut reader = Watching::of(&ns);
    ns.apply(&pairs());
    ns.until("it is ready", expect_all_ready);
    reader.catch_up(&ns);

    let restart = json!({"nvidia.com/restartAt": "2026-11-27T08:00:00Z"});
    write(&ns, |set| {
        set["spec"]["template"]["cliques"][0]["annotations"] = restart.clone();
    });
    ns.until("the frontend is restarted", |seen| {
        for pod in seen.pods(FRONTEND) {
            let asked = &pod["metadata"]["annotations"]["nvidia.com/restartAt"];
            same(name(pod), asked, &restart["nvidia.com/restartAt"])?;
        }
        is_updated(seen, "1")
    });
    expect_one_way_to_ready(&reader.catch_up(&ns));
}

/// Users may ask for surge through Dynamo, which then still compares each count with the one that
/// it asked for.
#[test]
fn surge_is_in_no_count_that_it_reads() {
    let ns = Namespace::new("dynamo-surge");
    let mut reader = Watching::of(&ns);
    let mut pcs = pairs();
    let rolling = json!({"maxSurge": 1, "maxUnavailable": 0});
    for part in ["cliques", "podCliqueScalingGroups"] {
        pcs["spec"]["template"][part][0]["rollingUpdate"] = rolling.clone();
    }
    ns.apply(&pcs);
    ns.until("it is ready", expect_all_ready);
    reader.catch_up(&ns);

    write(&ns, |set| write_version(set, "2"));
    ns.until("it is updated", |seen| is_updated(seen, "2"));
    expect_one_way_to_ready(&reader.catch_up(&ns));
    let mut surged: Vec<&str> = Vec::new();
    for part in reader.parts() {
        let (wanted, status) = (&part["spec"]["replicas"], &part["status"]);
        for count in COUNTS {
            let is = status[count].as_i64().unwrap_or(0);
            assert!(is <= wanted.as_i64().unwrap(), "{count}: {part:#}");
        }
        let has_surge = status["surgeReplicas"].as_i64().unwrap_or(0) > 0;
        surged.extend(has_surge.then(|| name(part)));
    }
    for part in [FRONTEND, DECODE] {
        assert!(surged.contains(&part), "{part} had no surge");
    }
}
