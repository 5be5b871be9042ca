//! Jobs whose processes all end with 0.

use serde_json::{Value, json};

use super::{on_failure, ranks, succeeds};
use crate::jobs::ends::Case;
use crate::sets::{clique, container, in_order, job, sh, sidecar, with, with_pod};

/// They end `Succeeded`, without a restart.
pub(super) fn cases() -> Vec<Case> {
    let exit_0 = [ranks("l", 1, "sleep 3"), ranks("w", 2, "sleep 1")];
    vec![
        succeeds("t02_all_succeed", "-", &exit_0),
        succeeds("t21_end_at_once", "10", &[ranks("w", 3, "exit 0")]),
        succeeds("t11_sidecars", "-", &[with_sidecar(&sh("sleep 2"))]),
        Case {
            job: in_order(job("job", 0, &exit_0)),
            ..succeeds("o04_parent_is_done_before_its_child", "10", &[])
        },
        succeeds(
            "t09_sidecar_that_ignores_sigterm",
            "-",
            &[with_sidecar(&sh("sleep 2"))],
        ),
        // Finding 1: a probe sees the end before the kubelet reports it.
        succeeds(
            "t31_readiness_is_lost_at_the_end",
            "1",
            &[clique("w", 3, &[serves("sleep 6")])],
        ),
        succeeds(
            "t45_port_is_closed_before_the_end",
            "1",
            &[clique("w", 2, &[serves("sleep 3; kill %1; sleep 5")])],
        ),
        followed_by_followers(),
        succeeds(
            "t30_exec_probe",
            "1",
            &[clique("w", 2, &[probed_by_exec()])],
        ),
        succeeds(
            "t05_on_failure_that_recovers",
            "-",
            &[on_failure(with_pod(
                clique("w", 1, &[once_then_well()]),
                &json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
            ))],
        ),
        Case {
            in_soak_only: true,
            ..succeeds(
                "t11_two_containers",
                "-",
                &[clique(
                    "w",
                    2,
                    &[sh("sleep 2"), container("side", "sleep 1")],
                )],
            )
        },
    ]
}

/// A server on port 8000 whose probe fails at the first refusal; then runs this script.
fn serves(then: &str) -> Value {
    let probe = json!({
        "httpGet": {"path": "/", "port": 8000}, "periodSeconds": 1, "failureThreshold": 1,
    });
    let script = format!(
        "mkdir /tmp/w; echo up > /tmp/w/index.html; httpd -f -p 8000 -h /tmp/w & {then}; exit 0"
    );
    with(sh(&script), &json!({"readinessProbe": probe}))
}

/// Finding 1, t46: the workers' probes connect to the port of their leader, which ends first.
fn followed_by_followers() -> Case {
    let probe = json!({
        "exec": {"command": ["sh", "-c", "wget -qO- $GROVE_PCS_NAME-0-l-0.$GROVE_HEADLESS_SERVICE:8000"]},
        "periodSeconds": 1, "failureThreshold": 1,
    });
    let worker = with(sh("sleep 12"), &json!({"readinessProbe": probe}));
    let leader = clique("l", 1, &[serves("sleep 7")]);
    succeeds(
        "t46_leader_ends_before_those_that_ask_it",
        "1",
        &[leader, clique("w", 1, &[worker])],
    )
}

fn probed_by_exec() -> Value {
    let probe = json!({"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1, "failureThreshold": 1});
    with(
        sh("touch /tmp/up; sleep 4; rm /tmp/up; sleep 2"),
        &json!({"readinessProbe": probe}),
    )
}

fn with_sidecar(main: &Value) -> Value {
    with_pod(
        clique("w", 1, std::slice::from_ref(main)),
        &json!({"initContainers": [sidecar("side", "trap '' TERM; sleep 1000")]}),
    )
}

/// Ends with 5 the first time that it runs in its pod.
fn once_then_well() -> Value {
    let script = "test -e /v/was || { touch /v/was; sleep 2; exit 5; }; sleep 1";
    let mut main = sh(script);
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
    main
}
