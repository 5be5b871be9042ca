//! A template that the API server refuses changes nothing.

mod in_time;

use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::probe;
use crate::harness::history::watch;
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same};

/// An engine of two pods.
fn engine() -> Value {
    let mut web = clique("web", 2);
    probe(&mut web);
    set("svc", &[web], &[])
}

fn pod_spec(set: &mut Value) -> &mut Value {
    &mut set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]
}

fn running<'a>(purpose: &str) -> (Namespace<'a>, BTreeSet<String>) {
    let ns = Namespace::new(purpose);
    ns.apply(&engine());
    ns.until("it runs", |seen| {
        seen.expect_ready_pods(2)?;
        same("Ready", &ready(seen)?, &"True/AllReady".to_owned())
    });
    let pods = uids(&ns.look().unwrap());
    (ns, pods)
}

fn ready(seen: &Seen) -> Result<String, String> {
    Ok(condition(seen.one("PodCliqueSet", "svc")?, "Ready"))
}

fn uids(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter();
    pods.map(|p| p["metadata"]["uid"].to_string()).collect()
}

/// It is refused, the status has these words, and all pods of before run.
fn expect_refused(seen: &Seen, words: &str, pods: &BTreeSet<String>) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"False/TemplateRefused".to_owned())?;
    same("Ready", &ready(seen)?, &"True/UpdateRefused".to_owned())?;
    let stalled = condition(set, "Stalled");
    same("Stalled", &stalled, &"True/UpdateRefused".to_owned())?;
    let told = set["status"]["conditions"].to_string();
    same("the API server's words", &told.contains(words), &true)
        .map_err(|error| format!("{error}: {told}"))?;
    same("pods", &uids(seen), pods)
}

fn updates(ns: &Namespace<'_>, good: &Value) {
    ns.apply(good);
    ns.until("the corrected template runs", |seen| {
        seen.expect_ready_pods(2)?;
        same("Ready", &ready(seen)?, &"True/AllReady".to_owned())?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let end = &status["updateProgress"]["updateEndedAt"];
        same("whether it ended", &end.is_string(), &true)
    });
}

/// The reproduction of a report: the engine was deleted 5 s after the edit.
#[test]
fn a_memory_limit_below_the_request_deletes_nothing_and_is_corrected() {
    let (ns, pods) = running("checked-limit");
    let mut next = engine();
    pod_spec(&mut next)["containers"][0]["resources"] =
        json!({"requests": {"memory": "8Gi"}, "limits": {"memory": "4Gi"}});
    ns.apply(&next);
    let words = "must be less than or equal to memory limit";
    ns.until("it is refused", |seen| expect_refused(seen, words, &pods));
    pod_spec(&mut next)["containers"][0]["resources"] =
        json!({"requests": {"memory": "1Mi"}, "limits": {"memory": "4Mi"}});
    updates(&ns, &next);
    let kept = uids(&ns.look().unwrap());
    assert!(kept.is_disjoint(&pods), "all pods were replaced");
}

#[test]
fn a_missing_service_account_is_refused_until_it_exists() {
    let (ns, pods) = running("checked-account");
    let mut next = engine();
    pod_spec(&mut next)["serviceAccountName"] = json!("robot");
    ns.apply(&next);
    let words = "serviceaccount \\\"robot\\\" not found";
    ns.until("it is refused", |seen| expect_refused(seen, words, &pods));
    ns.kubectl(&["create", "serviceaccount", "robot"]);
    ns.until("it runs with that account", |seen| {
        seen.expect_ready_pods(2)?;
        let all = seen.all("Pod");
        let new = all
            .iter()
            .filter(|p| p["spec"]["serviceAccountName"] == "robot");
        same("pods with it", &new.count(), &2)
    });
    ns.kubectl(&["delete", "serviceaccount", "robot"]);
}

#[test]
fn a_refused_template_that_is_taken_back_is_forgotten() {
    let (ns, pods) = running("checked-back");
    ns.kubectl(&[
        "label",
        "namespace",
        &ns.name,
        "pod-security.kubernetes.io/enforce=restricted",
    ]);
    let mut next = engine();
    pod_spec(&mut next)["hostNetwork"] = json!(true);
    ns.apply(&next);
    let words = "violates PodSecurity";
    ns.until("it is refused", |seen| expect_refused(seen, words, &pods));
    ns.apply(&engine());
    ns.until("the report is gone", |seen| {
        same("Ready", &ready(seen)?, &"True/AllReady".to_owned())?;
        same("pods", &uids(seen), &pods)
    });
}

/// The namespace takes no pods like those that run in it, either.
#[test]
fn a_template_that_pod_security_refuses_is_corrected() {
    let (ns, pods) = running("checked-security");
    let enforce = "pod-security.kubernetes.io/enforce=restricted";
    ns.kubectl(&["label", "namespace", &ns.name, enforce]);
    let mut next = engine();
    pod_spec(&mut next)["hostNetwork"] = json!(true);
    ns.apply(&next);
    let words = "violates PodSecurity";
    ns.until("it is refused", |seen| expect_refused(seen, words, &pods));
    let mut corrected = engine();
    let spec = pod_spec(&mut corrected);
    spec["securityContext"] =
        json!({"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}});
    spec["containers"][0]["securityContext"] =
        json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}});
    updates(&ns, &corrected);
    let kept = uids(&ns.look().unwrap());
    assert!(kept.is_disjoint(&pods), "all pods were replaced");
}

/// The update frees the place that the new pod takes.
#[test]
fn a_full_quota_does_not_hold_an_update_up() {
    let (ns, _) = running("checked-quota");
    ns.kubectl(&["create", "quota", "full", "--hard=pods=2"]);
    ns.until("the quota is counted", |_| {
        let used = ns.kubectl(&[
            "get",
            "quota",
            "full",
            "--output=jsonpath={.status.used.pods}",
        ]);
        same("used", &used.as_str(), &"2")
    });
    let mut next = engine();
    next["spec"]["template"]["cliques"][0]["annotations"] = json!({"example.com/version": "2"});
    updates(&ns, &next);
}

/// A policy of the namespace, which no validation of the API server knows.
#[test]
fn a_limit_range_refuses_before_anything_is_deleted() {
    let (ns, pods) = running("checked-range");
    let range = json!({
        "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"},
        "spec": {"limits": [{"type": "Container", "max": {"memory": "1Gi"}}]},
    });
    ns.apply(&range);
    let mut next = engine();
    let limited = |memory: &str| json!({"limits": {"memory": memory}});
    pod_spec(&mut next)["containers"][0]["resources"] = limited("4Gi");
    ns.apply(&next);
    let words = "maximum memory usage per Container is 1Gi";
    ns.until("it is refused", |seen| expect_refused(seen, words, &pods));
    pod_spec(&mut next)["containers"][0]["resources"] = limited("16Mi");
    updates(&ns, &next);
}

/// The reported engine was deleted 5 s after the edit.
const HELD: Duration = Duration::from_secs(20);

/// From the begin of the watch until that time from now, no pod is deleted.
fn expect_no_deletion(pods: &Receiver<Value>) {
    watch::throughout(pods, HELD, |event| {
        let pod = &event["object"];
        let stays = pod["metadata"]["deletionTimestamp"].is_null();
        assert!(event["type"] != "DELETED" && stays, "{pod:#}");
    });
}

/// The turn stays where it is: neither its replica nor another one changes, although the budget of
/// the refused edit would allow more.
#[test]
fn a_refused_template_during_a_turn_deletes_nothing() {
    let ns = Namespace::new("checked-in-turn");
    let workload = |version: &str, memory: &str| {
        let mut web = clique("web", 2);
        web["annotations"] = json!({"example.com/version": version});
        web["rollingUpdate"] = json!({"maxUnavailable": 1});
        probe(&mut web);
        let mut set = set("svc", &[web], &[]);
        set["spec"]["replicas"] = 2.into();
        pod_spec(&mut set)["containers"][0]["resources"] =
            json!({"requests": {"memory": "8Mi"}, "limits": {"memory": memory}});
        set
    };
    ns.apply(&workload("1", "8Mi"));
    ns.until("version 1 runs", |seen| seen.expect_ready_pods(4));
    let mut waiting = workload("2", "16Mi");
    pod_spec(&mut waiting)["nodeSelector"] = json!({"example.com/nowhere": "true"});
    ns.apply(&waiting);
    let pods = ns.until("a new pod of the first replica waits for a node", |seen| {
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods", &pods.len(), &4)?;
        same("new pods", &new.count(), &1)?;
        Ok(uids(seen))
    });
    let (events, _runtime) = watch::begin(&ns);
    let mut refused = workload("3", "4Mi");
    refused["spec"]["template"]["cliques"][0]["rollingUpdate"] = json!({"maxUnavailable": 2});
    ns.apply(&refused);
    let words = "must be less than or equal to memory limit";
    ns.until("it is refused", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        let update = condition(set, "UpdateInProgress");
        same("update", &update, &"False/TemplateRefused".to_owned())?;
        let stalled = condition(set, "Stalled");
        same("Stalled", &stalled, &"True/UpdateRefused".to_owned())?;
        let told = set["status"]["conditions"].to_string();
        same("the API server's words", &told.contains(words), &true)?;
        same("pods", &uids(seen), &pods)
    });
    expect_no_deletion(&events);
    assert_eq!(uids(&ns.look().unwrap()), pods);
    let corrected = workload("4", "16Mi");
    ns.apply(&corrected);
    ns.until("the corrected template runs", |seen| {
        seen.expect_ready_pods(4)?;
        let kept = uids(seen).intersection(&pods).count();
        same("old pods", &kept, &0)
    });
}
