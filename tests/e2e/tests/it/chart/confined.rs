//! The chart's admission policy: actions that the operator's account cannot do, even with its
//! token. All other tests run under it, which shows that it forbids nothing that the operator
//! needs.

use serde_json::{Value, json};

use crate::harness::control_plane::fed;
use crate::harness::installation::SYSTEM;
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, same, wait};

const GROVE: &str = "grove.io/v1alpha1";
const UNCONTROLLED: &str = "only with a controller reference to";
const FOREIGN: &str = "only with label app.kubernetes.io/managed-by=grove-operator";

/// The API server's refusal of the operator's account, without effect; empty if the request is
/// allowed.
fn try_as_operator(ns: &Namespace<'_>, args: &[&str], manifest: &Value) -> String {
    let operator = format!("--as=system:serviceaccount:{SYSTEM}:grove-operator");
    let mut all = args.to_vec();
    all.extend(["--dry-run=server", &operator]);
    let output = fed(&mut ns.control_plane.tool("kubectl", all), manifest);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), error.is_empty(), "{error}");
    error
}

/// The policy applies a moment after it was installed.
fn is_refused(ns: &Namespace<'_>, args: &[&str], manifest: &Value, words: &str) {
    let refused = wait::until(|| {
        let answer = try_as_operator(ns, args, manifest);
        let is_by_policy = answer.contains("ValidatingAdmissionPolicy 'grove-operator'");
        let is_refused = is_by_policy && answer.contains(words);
        is_refused.then_some(()).ok_or(answer)
    });
    refused.unwrap_or_else(|answer| panic!("{args:?} {manifest}: {words:?} is not in: {answer}"));
}

fn is_allowed(ns: &Namespace<'_>, args: &[&str], manifest: &Value) {
    assert_eq!(
        try_as_operator(ns, args, manifest),
        "",
        "{args:?} {manifest}"
    );
}

fn object(api_version: &str, kind: &str, namespace: &str, owner: &Value, spec: &Value) -> Value {
    let meta = json!({"name": "probe", "namespace": namespace, "ownerReferences": owner});
    json!({"apiVersion": api_version, "kind": kind, "metadata": meta, "spec": spec})
}

fn pod(namespace: &str, owner: &Value) -> Value {
    let spec = json!({"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]});
    object("v1", "Pod", namespace, owner, &spec)
}

fn controlled_by(api_version: &str, kind: &str) -> Value {
    json!([{"apiVersion": api_version, "kind": kind, "name": "x", "uid": "1", "controller": true}])
}

#[test]
fn pods_are_made_for_podcliques_only_and_never_beside_the_cluster_itself() {
    let ns = Namespace::new("confined-pods");
    let create = ["create", "-f", "-"];
    let ours = controlled_by(GROVE, "PodClique");
    is_allowed(&ns, &create, &pod(&ns.name, &ours));
    for place in ["kube-system", "kube-public", SYSTEM] {
        let closed = format!("namespace {place} is closed to the operator");
        is_refused(&ns, &create, &pod(place, &ours), &closed);
    }
    let mut owned = ours.clone();
    owned[0]["controller"] = json!(false);
    let others = [
        json!([]),
        owned,
        controlled_by("apps/v1", "ReplicaSet"),
        controlled_by("example.com/grove.io", "PodClique"),
        controlled_by(GROVE, "PodCliqueSet"),
    ];
    for owner in others {
        is_refused(&ns, &create, &pod(&ns.name, &owner), UNCONTROLLED);
    }
}

#[test]
fn other_objects_are_made_for_their_parents_only() {
    let ns = Namespace::new("confined-objects");
    let create = ["create", "-f", "-"];
    let by_set = controlled_by(GROVE, "PodCliqueSet");
    let by_clique = controlled_by(GROVE, "PodClique");
    let headless = json!({"clusterIP": "None"});
    let scaled = |api_version: &str, kind: &str| {
        let target = json!({"apiVersion": api_version, "kind": kind, "name": "x"});
        json!({"scaleTargetRef": target, "maxReplicas": 3})
    };
    let group = json!({"replicas": 1, "minAvailable": 1, "cliqueNames": ["a"]});
    let podclique = clique("a", 1)["spec"].clone();
    for (api_version, kind, spec) in [
        ("v1", "Service", &headless),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            &scaled(GROVE, "PodClique"),
        ),
        (GROVE, "PodCliqueScalingGroup", &group),
        (GROVE, "PodClique", &podclique),
        (
            "scheduler.grove.io/v1alpha1",
            "PodGang",
            &json!({"podgroups": []}),
        ),
    ] {
        let made = |owner: &Value| object(api_version, kind, &ns.name, owner, spec);
        is_allowed(&ns, &create, &made(&by_set));
        is_refused(&ns, &create, &made(&by_clique), UNCONTROLLED);
        is_refused(&ns, &create, &made(&json!([])), UNCONTROLLED);
    }
    let balanced = json!({"ports": [{"port": 80}], "type": "LoadBalancer"});
    let service = object("v1", "Service", &ns.name, &by_set, &balanced);
    is_refused(&ns, &create, &service, "headless Services only");
    let spec = scaled("apps/v1", "Deployment");
    let kind = "HorizontalPodAutoscaler";
    let autoscaler = object("autoscaling/v2", kind, &ns.name, &by_set, &spec);
    is_refused(
        &ns,
        &create,
        &autoscaler,
        "autoscalers of its own kinds only",
    );
    let event = |api_version: &str, kind: &str| {
        let about = json!({"apiVersion": api_version, "kind": kind, "name": "x",
            "namespace": ns.name});
        json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "regarding": about,
            "reportingController": "grove-operator", "reportingInstance": "probe",
            "eventTime": "2026-01-01T00:00:00.000000Z", "action": "Reconcile",
            "reason": "CrashLoop", "type": "Warning", "note": "a text",
            "metadata": {"name": "probe", "namespace": ns.name}})
    };
    is_allowed(&ns, &create, &event(GROVE, "PodCliqueSet"));
    let foreign = event("apps/v1", "Deployment");
    is_refused(&ns, &create, &foreign, "events of its own kinds only");
}

#[test]
fn objects_of_others_are_neither_changed_nor_deleted() {
    let ns = Namespace::new("confined-foreign");
    let mut stranger = pod(&ns.name, &json!([]));
    stranger["spec"]["schedulingGates"] = json!([{"name": "example.com/held"}]);
    ns.apply(&stranger);
    ns.apply(&set("svc", &[clique("a", 1)], &[]));
    let ours = ns.until("it runs", |seen| {
        let of_set = "app.kubernetes.io/part-of=svc";
        seen.expect_names("PodClique", &["svc-0-a"])?;
        let name = ns.kubectl(&["get", "pods", "--output=name", "--selector", of_set]);
        let name = name.trim().to_owned();
        same("there is a pod", &name.is_empty(), &false)?;
        Ok(name)
    });
    let none = Value::Null;
    let here = format!("--namespace={}", ns.name);
    let delete = |what: &'static str| ["delete", what, &here];
    is_refused(&ns, &delete("pod/probe"), &none, FOREIGN);
    is_allowed(&ns, &["delete", &ours, &here], &none);
    is_allowed(&ns, &delete("podclique/svc-0-a"), &none);
    let relabelled = r#"--patch={"metadata":{"labels":{"grove.io/podclique":"svc-0-a"}}}"#;
    let patch = |what: &str, patch: &str| {
        let args = ["patch", what, &here, "--type=merge", patch];
        args.map(str::to_owned)
    };
    let tried = |args: [String; 5], words: Option<&str>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match words {
            Some(words) => is_refused(&ns, &args, &none, words),
            None => is_allowed(&ns, &args, &none),
        }
    };
    tried(patch("pod/probe", relabelled), Some(FOREIGN));
    tried(patch(&ours, relabelled), None);
    let finalizers = r#"--patch={"metadata":{"finalizers":[]}}"#;
    tried(patch("pcs/svc", finalizers), None);
    let users = Some("PodCliqueSets are the user's");
    tried(patch("pcs/svc", relabelled), users);
    tried(
        patch("pcs/svc", r#"--patch={"spec":{"replicas":2}}"#),
        users,
    );
    ns.kubectl(&["delete", "pod/probe"]);
}

#[test]
fn its_expressions_are_well_typed() {
    let ns = Namespace::new("confined-types");
    let path = "--output=jsonpath={.status}";
    let checked = ["get", "validatingadmissionpolicy/grove-operator", path];
    let status = ns.until("it is checked", |_| {
        let status = ns.kubectl(&checked);
        same("checked", &status.contains("typeChecking"), &true)?;
        Ok(status)
    });
    assert!(!status.contains("expressionWarnings"), "{status}");
}
