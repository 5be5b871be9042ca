//! Queues of Kueue, whose core is played by the test.

use serde_json::{Value, json};

use super::{expect_gates, workload};
use crate::harness::control_plane::{fed, folder};
use crate::harness::installation::Installation;
use crate::harness::operator::Operator;
use crate::harness::seen::gates;
use crate::harness::{Namespace, Seen, condition, same, site, subset, wait};

const DEFINITIONS: &str = "tests/it/manifests/kueue.yaml";
const KIND: &str = "workloads.kueue.x-k8s.io";
const GANG: &str = "svc-0";
/// The parts of the base gang.
const PARTS: [&str; 2] = ["svc-0-router", "svc-0-grp-0-worker"];

fn found_workload(ns: &Namespace<'_>) -> Result<Value, String> {
    let output = ns.command(&["get", KIND, GANG, "--output=json"]).output();
    let output = output.map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| "there is no Workload".to_owned())
}

/// Writes the status of the Workload.
fn answer(ns: &Namespace<'_>, status: &Value) {
    let patch = format!("--patch={}", json!({ "status": status }));
    ns.kubectl(&[
        "patch",
        KIND,
        GANG,
        "--subresource=status",
        "--type=merge",
        &patch,
    ]);
}

fn condition_of(type_: &str, status: &str, reason: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": "in a test",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    })
}

fn admit(ns: &Namespace<'_>) {
    let assignment =
        |name: &str, count: i32| json!({"name": name, "count": count, "flavors": {"cpu": "h100"}});
    answer(
        ns,
        &json!({
            "admission": {
                "clusterQueue": "gpus",
                "podSetAssignments": [assignment("router", 2), assignment("worker", 3)],
            },
            "conditions": [
                condition_of("QuotaReserved", "True", "QuotaReserved"),
                condition_of("Admitted", "True", "Admitted"),
            ],
        }),
    );
}

fn evict(ns: &Namespace<'_>) {
    let conditions = json!({"conditions": [
        condition_of("QuotaReserved", "True", "QuotaReserved"),
        condition_of("Admitted", "True", "Admitted"),
        condition_of("Evicted", "True", "Preempted"),
    ]});
    answer(ns, &conditions);
}

/// The pods of the base gang, which start on nodes of the flavor.
fn expect_started(seen: &Seen) -> Result<(), String> {
    expect_gates(seen, false)?;
    let spec = json!({"nodeSelector": {"example.com/gpu": "h100"}});
    let mut pods = PARTS.iter().flat_map(|part| seen.pods(part));
    pods.try_for_each(|pod| subset("pod", &pod["spec"], &spec))
}

/// New pods of the base gang, which wait.
fn expect_second_round(seen: &Seen) -> Result<(), String> {
    let pods: Vec<&Value> = PARTS.iter().flat_map(|part| seen.pods(part)).collect();
    same("pods", &pods.len(), &5)?;
    for pod in pods {
        same("gated", &gates(pod).is_empty(), &false)?;
        let round = &pod["metadata"]["annotations"]["grove.io/quota-round"];
        same("round", &round.as_str(), &Some("1"))?;
    }
    Ok(())
}

fn expect_ready(seen: &Seen, reason: &str) -> Result<(), String> {
    let ready = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
    same("Ready", &ready.as_str(), &reason)
}

#[test]
fn gangs_run_with_quota_and_give_it_back() {
    let control_plane = site::private();
    let values = ["config.queueing.kueue.enabled=true"];
    let installation = Installation::on(&control_plane, &values);
    let operator = Operator::start(&installation, &folder("kueue-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "kueue");
    let mut set = workload("default-scheduler");
    set["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "team-a"});
    ns.apply(&set);
    ns.until("it waits although Kueue is not there", |seen| {
        expect_ready(seen, "False/WaitingForQuota")?;
        expect_gates(seen, true)
    });

    control_plane.kubectl(["apply", "-f", DEFINITIONS]);
    let asked = wait::within(2 * wait::DEADLINE, || {
        let workload = found_workload(&ns)?;
        let spec = json!({"queueName": "team-a", "podSets": [
            {"name": "router", "count": 2}, {"name": "worker", "count": 3},
        ]});
        subset("Workload", &workload["spec"], &spec)
    });
    asked.unwrap();
    let flavor = json!({
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "h100"},
        "spec": {"nodeLabels": {"example.com/gpu": "h100"}},
    });
    let mut create = control_plane.tool("kubectl", ["create", "-f", "-"]);
    let created = fed(&mut create, &flavor);
    assert!(created.status.success(), "{created:?}");
    admit(&ns);
    ns.until("its pods start on nodes of the flavor", expect_started);

    evict(&ns);
    ns.until("new pods wait, and the quota is returned", |seen| {
        expect_second_round(seen)?;
        let workload = found_workload(&ns)?;
        same("admission", &workload["status"]["admission"], &Value::Null)?;
        let reserved = condition(&workload, "QuotaReserved");
        same("reserved", &reserved.as_str(), &"False/Pending")?;
        expect_ready(seen, "False/WaitingForQuota")
            .or_else(|_| expect_ready(seen, "False/QuotaEvicted"))
    });
    admit(&ns);
    ns.until("it starts again", expect_started);
    ns.delete();
    control_plane.kubectl(["delete", "resourceflavor.kueue.x-k8s.io", "h100"]);
    control_plane.kubectl(["delete", "-f", DEFINITIONS]);
}
