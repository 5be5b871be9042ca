//! Prefill and decode are updated together: at any time each version has its minimum of both.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::probe;
use super::room::has_ended;
use crate::harness::history::watch;
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::is_ready;
use crate::harness::{Namespace, Seen, condition, same};

/// An event of the update comes within this time.
const LIMIT: Duration = Duration::from_mins(3);

/// Four replicas of prefill and six of decode, each with one pod, and of each two are required.
pub fn graph(version: &str) -> Value {
    let cliques = ["p", "d"].map(|name| {
        let mut clique = clique(name, 1);
        clique["annotations"] = json!({"example.com/version": version});
        probe(&mut clique);
        clique
    });
    let mut router = clique("router", 1);
    probe(&mut router);
    let [p, d] = cliques;
    let groups = [group("prefill", "p", 4, 2), group("decode", "d", 6, 2)];
    let mut pcs = set("svc", &[p, d, router], &groups);
    pcs["spec"]["updateStrategy"] = json!({"type": "Coherent"});
    pcs
}

/// Version 2 finds no node.
fn unplaceable() -> Value {
    let mut next = graph("2");
    for index in 0..2 {
        let spec = &mut next["spec"]["template"]["cliques"][index]["spec"]["podSpec"];
        spec["nodeSelector"] = json!({"example.com/nowhere": "true"});
    }
    next
}

/// Pods of this version and role.
fn count(seen: &Seen, role: &str, version: &str) -> usize {
    let pods = seen.all("Pod");
    let is_it = |pod: &&&Value| {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        let is_going = pod["metadata"]["deletionTimestamp"].is_string();
        let own = &pod["metadata"]["annotations"]["example.com/version"];
        name.contains(role) && own == version && !is_going
    };
    pods.iter().filter(is_it).count()
}

fn runs(seen: &Seen, version: &str, decode: usize) -> Result<(), String> {
    seen.expect_ready_pods(4 + decode + 1)?;
    same("prefill", &count(seen, "prefill", version), &4)?;
    same("decode", &count(seen, "decode", version), &decode)
}

/// The targets that the set stored, one after the other, each with those of prefill and decode; the
/// names in scope, and the highest number of prefill and decode units that were missing.
pub fn read_steps(events: &Receiver<Value>) -> (Vec<[i64; 2]>, Value) {
    let mut steps: Vec<[i64; 2]> = Vec::new();
    let mut scope = Value::Null;
    loop {
        let event = events.recv_timeout(LIMIT).unwrap();
        let progress = &event["object"]["status"]["updateProgress"];
        if progress["inScopePodCliqueScalingGroups"].is_array() {
            scope = progress["inScopePodCliqueScalingGroups"].clone();
            assert_eq!(progress["inScopeStandalonePodCliques"], Value::Null);
        }
        let targets = &progress["currentlyUpdating"][0]["targets"];
        let of = |name: &str| {
            let mut all = targets.as_array().into_iter().flatten();
            let found = all.find(|target| target["component"] == name);
            found.and_then(|target| target["from"].as_i64())
        };
        if let (Some(prefill), Some(decode)) = (of("prefill"), of("decode"))
            && steps.last() != Some(&[prefill, decode])
        {
            steps.push([prefill, decode]);
        }
        if progress["updateEndedAt"].is_string() {
            return (steps, scope);
        }
    }
}

#[test]
fn each_step_replaces_its_share_of_every_part() {
    let ns = Namespace::new("coherent");
    ns.apply(&graph("1"));
    ns.until("version 1 runs", |seen| runs(seen, "1", 6));
    let router = ns.look().unwrap();
    let sets = ("grove.io", "v1alpha1", "PodCliqueSet");
    let (events, _runtime) = watch::begin_of(&ns, sets);
    ns.apply(&graph("2"));
    ns.until("version 2 runs, and the update has ended", |seen| {
        runs(seen, "2", 6)?;
        has_ended(seen, "svc")
    });
    let (steps, scope) = read_steps(&events);
    assert_eq!(scope, json!(["prefill", "decode"]));
    let none = i64::from(i32::MAX);
    let begun = steps.iter().position(|step| step[0] < none).unwrap();
    // A whole version of two and two; the rest of the first step; the second one, of which the last
    // two and two go together.
    let expected = [[2, 4], [2, 3], [2, 2], [0, 0]];
    assert_eq!(steps[begun..], expected, "{steps:?}");
    let after = ns.look().unwrap();
    let uid = |seen: &Seen| seen.pods("svc-0-router")[0]["metadata"]["uid"].clone();
    assert_eq!(uid(&router), uid(&after), "the router is not in scope");
}

/// A version that finds no node costs one unit of each part. Meanwhile lost pods come back as they
/// were, scaling works, and the change back restarts nothing that runs.
#[test]
fn a_version_without_room_stops_at_its_first_unit() {
    let ns = Namespace::new("coherent-stuck");
    ns.apply(&graph("1"));
    ns.until("version 1 runs", |seen| runs(seen, "1", 6));
    ns.apply(&unplaceable());
    let stands = |seen: &Seen, decode: usize| {
        same("old prefill", &count(seen, "prefill", "1"), &2)?;
        same("new prefill", &count(seen, "prefill", "2"), &2)?;
        same("old decode", &count(seen, "decode", "1"), &4)?;
        same("new decode", &count(seen, "decode", "2"), &decode)
    };
    ns.until("the first unit was replaced", |seen| stands(seen, 2));
    ns.kubectl(&[
        "delete",
        "pod",
        "--wait=false",
        "-l",
        "grove.io/podclique=svc-0-prefill-0-p",
    ]);
    ns.kubectl(&["delete", "podclique", "--wait=false", "svc-0-decode-1-d"]);
    ns.kubectl(&["scale", "pcsg/svc-0-decode", "--replicas=7"]);
    ns.until("lost ones are back, and the added one is new", |seen| {
        stands(seen, 3)?;
        for lost in ["svc-0-prefill-0-p", "svc-0-decode-1-d"] {
            let all_ready = seen.pods(lost).into_iter().all(is_ready);
            same(lost, &(seen.pods(lost).len(), all_ready), &(1, true))?;
        }
        let set = seen.one("PodCliqueSet", "svc")?;
        same(
            "update",
            &condition(set, "UpdateInProgress"),
            &"True/Progressing".to_owned(),
        )
    });
    ns.apply(&graph("1"));
    ns.until("version 1 runs again", |seen| {
        runs(seen, "1", 7)?;
        has_ended(seen, "svc")
    });
}
