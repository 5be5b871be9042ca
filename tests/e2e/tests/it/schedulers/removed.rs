//! Definitions of other projects that are absent at first, then installed, removed and installed again:
//! the operator is ready all the time, and its work with them continues.

use serde_json::{Value, json};

use super::{UNSUPPORTED, pod_group, workload};
use crate::harness::audit::Record;
use crate::harness::control_plane::{ControlPlane, folder};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::Operator;
use crate::harness::requests::Requests;
use crate::harness::{Namespace, Seen, condition, same, site, wait};

/// Kinds of definitions that an administrator installs and removes. `scheduling.k8s.io` (PodGroup,
/// CompositePodGroup, Workload) and `resource.k8s.io` (ResourceClaim, ResourceClaimTemplate) are parts of the
/// API server: its flags decide which versions it serves, and nothing removes them while it runs.
const DEFINITIONS: [&str; 5] = [
    "tests/it/manifests/computedomains.yaml",
    "tests/it/manifests/kai-podgroups.yaml",
    "tests/it/manifests/kai-topologies.yaml",
    "tests/it/manifests/kueue.yaml",
    "tests/it/manifests/volcano-podgroups.yaml",
];
/// Ends of their API groups.
const GROUPS: [&str; 5] = [
    ".nvidia.com",
    ".run.ai",
    ".kai.scheduler",
    ".x-k8s.io",
    ".volcano.sh",
];
const BINDING: &str = "e2e-removed";
/// The operator's objects: kind and name.
const OBJECTS: [(&str, &str); 3] = [
    ("computedomains.resource.nvidia.com", "rack-0-nv"),
    ("topologies.kai.scheduler", BINDING),
    ("workloads.kueue.x-k8s.io", "queued-0"),
];
/// Kinds of PodGroups, and the gang of each.
const POD_GROUPS: [(&str, &str); 2] = [
    ("podgroups.scheduling.run.ai", "svc-0"),
    ("podgroups.scheduling.volcano.sh", "batch-0"),
];

fn started(control_plane: &ControlPlane) -> Operator {
    let values = [
        "config.network.autoMNNVLEnabled=true",
        "config.queueing.kueue.enabled=true",
        "config.scheduler.profiles[0].name=kai-scheduler",
        "config.scheduler.profiles[1].name=volcano",
    ];
    let installation = Installation::on(control_plane, &values);
    let operator = Operator::start(&installation, &folder("removed-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// Gangs of KAI Scheduler and of Volcano, a pod that needs a ComputeDomain, one in a queue, and the levels
/// of the cluster's topology.
fn apply_all(ns: &Namespace<'_>) {
    let mut gang = workload("kai-scheduler");
    gang["metadata"]["labels"] = json!({"kai.scheduler/queue": "research"});
    let mut batch = workload("volcano");
    batch["metadata"]["name"] = json!("batch");
    let mut worker = clique("worker", 1);
    let main = &mut worker["spec"]["podSpec"]["containers"][0];
    main["resources"]["limits"] = json!({"nvidia.com/gpu": "8"});
    let mut rack = set("rack", &[worker], &[]);
    rack["metadata"]["annotations"] = json!({"grove.io/mnnvl-group": "nv"});
    let mut queued = set("queued", &[clique("worker", 1)], &[]);
    queued["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "team-a"});
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": BINDING},
        "spec": {"levels": [{"domain": "rack", "key": "example.com/rack"}]},
    });
    for manifest in [gang, batch, rack, queued, binding] {
        ns.apply(&manifest);
    }
}

/// Applies or deletes the definitions.
fn change_definitions(control_plane: &ControlPlane, verb: &[&str]) {
    let files = DEFINITIONS.iter().flat_map(|file| ["-f", file]);
    let args: Vec<&str> = verb.iter().copied().chain(files).collect();
    control_plane.kubectl(args);
}

fn expect_undefined(control_plane: &ControlPlane) -> Result<(), String> {
    let defined = control_plane.kubectl(["get", "customresourcedefinitions", "--output=name"]);
    let mut defined = defined.lines();
    let left = defined.find(|name| GROUPS.iter().any(|group| name.ends_with(group)));
    same("definitions", &left, &None)
}

/// Panics as soon as the operator is not ready: no later look may find it well.
fn assert_ready(operator: &Operator) {
    let (code, said) = operator.get("/readyz").unwrap();
    assert_eq!(code, 200, "{said}");
}

/// The message about the scheduler of the binding.
fn drift(ns: &Namespace<'_>) -> Result<String, String> {
    let get = ["get", "clustertopologybinding", BINDING, "--output=json"];
    let binding = ns.command(&get).output().map_err(|e| e.to_string())?;
    let binding: Value = serde_json::from_slice(&binding.stdout).map_err(|e| e.to_string())?;
    let message = &binding["status"]["schedulerTopologyStatuses"][0]["message"];
    Ok(message.as_str().unwrap_or_default().to_owned())
}

/// The sets report the kinds that the cluster does not serve, or none.
fn expect_told(seen: &Seen, expected: [(&str, &str); 3]) -> Result<(), String> {
    for (name, reason) in expected {
        let unsupported = condition(seen.one("PodCliqueSet", name)?, UNSUPPORTED);
        same(name, &unsupported.as_str(), &reason)?;
    }
    let ready = condition(seen.one("PodCliqueSet", "queued")?, "Ready");
    same("queued", &ready.as_str(), &"False/WaitingForQuota")
}

fn expect_absent(ns: &Namespace<'_>, seen: &Seen) -> Result<(), String> {
    assert_ready(ns.operator);
    expect_told(
        seen,
        [
            ("svc", "True/SchedulerNotInstalled"),
            ("batch", "True/SchedulerNotInstalled"),
            ("rack", "True/ComputeDomainsMissing"),
        ],
    )?;
    same("drift", &drift(ns)?.contains("is not served"), &true)
}

/// The kinds are served, and the operator has created its objects.
fn expect_served(ns: &Namespace<'_>, seen: &Seen) -> Result<(), String> {
    assert_ready(ns.operator);
    expect_told(seen, [("svc", ""), ("batch", ""), ("rack", "")])?;
    for (kind, name) in OBJECTS {
        let found = ns.command(&["get", kind, name]).output();
        let found = found.map_err(|error| error.to_string())?;
        same(kind, &found.status.success(), &true)?;
    }
    for (kind, gang) in POD_GROUPS {
        pod_group(ns, kind, gang)?;
    }
    Ok(())
}

/// The operator asks for an absent kind once more, and writes nothing meanwhile.
fn expect_rest(control_plane: &ControlPlane, operator: &Operator) {
    let begin = || {
        let record = Record::begin(control_plane).unwrap();
        Requests::of(operator).map(|requests| (record, requests.tried_writes()))
    };
    let mut since = begin().unwrap();
    let rest = wait::until(|| {
        assert_ready(operator);
        let (record, writes) = &since;
        let asked = record.lists("computedomains");
        if Requests::of(operator)?.tried_writes() != *writes {
            since = begin()?;
            return Err("the operator writes".to_owned());
        }
        same("asked for it", &(asked > 0), &true)
    });
    rest.unwrap();
}

#[test]
fn definitions_come_and_go_under_an_operator_that_stays_ready() {
    let control_plane = site::private();
    let operator = started(&control_plane);
    let ns = Namespace::on(&control_plane, &operator, "removed");
    apply_all(&ns);
    ns.until("all kinds are missing", |seen| expect_absent(&ns, seen));
    change_definitions(&control_plane, &["apply"]);
    ns.until("all of them are used", |seen| expect_served(&ns, seen));

    change_definitions(&control_plane, &["delete", "--wait=false"]);
    ns.until("all are missing again", |seen| {
        expect_absent(&ns, seen)?;
        expect_undefined(&control_plane)
    });
    expect_rest(&control_plane, &operator);
    change_definitions(&control_plane, &["apply"]);
    ns.until("the objects are there again", |seen| {
        expect_served(&ns, seen)
    });

    ns.kubectl(&["delete", "pcs", "--all", "--wait=false"]);
    ns.until_nothing_is_left();
    ns.kubectl(&["delete", "clustertopologybinding", BINDING]);
    ns.delete();
    change_definitions(&control_plane, &["delete"]);
}
