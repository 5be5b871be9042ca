//! The cases.

use node_tests::images::WITHOUT_COMMAND;
use serde_json::{Value, json};

use super::Case;
use crate::sets::{clique, container, sh, with, with_pod};

/// A remedy for cases with nothing to create.
const CREATE: &str = "create the ConfigMap, the Secret or the key";
/// A remedy for cases without an earlier log.
const PREVIOUS: &str = "logs --previous";

const NOTHING: Case = Case {
    name: "",
    finding: "8",
    clique: || Value::Null,
    reason: "",
    said: &[],
    explained: &[],
    not_said: &[],
    in_soak_only: false,
};

/// One case for each cause that a kubelet, or the scheduler, can report.
pub(super) const CASES: &[Case] = &[
    // A container that cannot start.
    Case {
        name: "command_that_is_not_there",
        clique: || clique("w", 1, &[with(sh(""), &json!({"command": ["/nothere"]}))]),
        said: &["/nothere"],
        not_said: &[PREVIOUS, CREATE],
        ..NOTHING
    },
    Case {
        name: "post_start_hook_that_fails",
        clique: || {
            let hook =
                json!({"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "exit 5"]}}}});
            clique("w", 1, &[with(sh("sleep 1000"), &hook)])
        },
        said: &["postStart"],
        not_said: &[CREATE, "crashed with exit code 137"],
        ..NOTHING
    },
    Case {
        name: "root_where_root_is_refused",
        clique: || {
            clique(
                "w",
                1,
                &[with(
                    sh("sleep 1000"),
                    &json!({"securityContext": {"runAsNonRoot": true}}),
                )],
            )
        },
        said: &["runAsNonRoot"],
        not_said: &[CREATE, PREVIOUS],
        ..NOTHING
    },
    Case {
        name: "image_without_a_command",
        clique: || {
            let bare = json!({"image": WITHOUT_COMMAND, "command": null});
            clique("w", 1, &[with(sh(""), &bare)])
        },
        said: &["no command"],
        not_said: &[CREATE, PREVIOUS],
        ..NOTHING
    },
    // Probes that end a container.
    Case {
        name: "liveness_probe_that_fails",
        clique: || clique("w", 1, &[probed("livenessProbe")]),
        reason: "CrashLoop",
        explained: &["probe failed"],
        ..NOTHING
    },
    Case {
        name: "startup_probe_that_fails",
        clique: || clique("w", 1, &[probed("startupProbe")]),
        reason: "CrashLoop",
        explained: &["probe failed"],
        ..NOTHING
    },
    // Images.
    Case {
        name: "image_that_may_not_be_pulled",
        finding: "-",
        clique: || clique("w", 1, &[image("nowhere.test/never:1", "Never")]),
        reason: "ImagePullFailed",
        said: &["nowhere.test/never:1"],
        ..NOTHING
    },
    Case {
        name: "image_that_is_nowhere",
        finding: "-",
        clique: || clique("w", 1, &[image("nowhere.test/x:1", "IfNotPresent")]),
        reason: "ImagePullFailed",
        said: &["nowhere.test/x:1"],
        ..NOTHING
    },
    Case {
        name: "image_with_an_invalid_name",
        finding: "-",
        clique: || clique("w", 1, &[image("UPPER/case:1", "IfNotPresent")]),
        reason: "ImagePullFailed",
        said: &["UPPER/case:1"],
        ..NOTHING
    },
    // Objects that a pod refers to.
    Case {
        name: "configmap_that_is_not_there",
        finding: "-",
        clique: || {
            clique(
                "w",
                1,
                &[with(
                    sh("sleep 1000"),
                    &json!({"envFrom": [{"configMapRef": {"name": "no-such"}}]}),
                )],
            )
        },
        reason: "ContainerConfigError",
        said: &["no-such"],
        ..NOTHING
    },
    Case {
        name: "secret_without_the_key",
        finding: "-",
        clique: || {
            let from = json!({"secretKeyRef": {"name": "no-secret", "key": "token"}});
            clique(
                "w",
                1,
                &[with(
                    sh("sleep 1000"),
                    &json!({"env": [{"name": "T", "valueFrom": from}]}),
                )],
            )
        },
        reason: "ContainerConfigError",
        said: &["no-secret"],
        ..NOTHING
    },
    Case {
        name: "volume_of_a_secret_that_is_not_there",
        clique: || mounted(&json!({"secret": {"secretName": "no-volume-secret"}})),
        said: &["is being created since", "volume"],
        explained: &["no-volume-secret"],
        ..NOTHING
    },
    Case {
        name: "path_of_the_node_that_is_not_there",
        clique: || mounted(&json!({"hostPath": {"path": "/no/such", "type": "Directory"}})),
        said: &["is being created since", "volume"],
        explained: &["hostPath"],
        ..NOTHING
    },
    Case {
        name: "claim_that_is_not_there",
        finding: "-",
        clique: || mounted(&json!({"persistentVolumeClaim": {"claimName": "no-claim"}})),
        reason: "VolumeUnavailable",
        said: &["no-claim"],
        ..NOTHING
    },
    Case {
        name: "account_that_is_not_there",
        finding: "-",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("sleep 1000")]),
                &json!({"serviceAccountName": "no-account"}),
            )
        },
        reason: "ServiceAccountMissing",
        said: &["no-account"],
        ..NOTHING
    },
    Case {
        name: "more_than_any_node_has",
        finding: "-",
        clique: || {
            clique(
                "w",
                1,
                &[with(
                    sh("sleep 1000"),
                    &json!({"resources": {"requests": {"cpu": "900"}}}),
                )],
            )
        },
        reason: "InsufficientResources",
        said: &["cpu"],
        ..NOTHING
    },
    // Init containers.
    Case {
        name: "init_container_that_fails",
        finding: "-",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("sleep 1000")]),
                &json!({"initContainers": [container("prepare", "exit 9")]}),
            )
        },
        reason: "CrashLoop",
        said: &["prepare", "exit code 9"],
        ..NOTHING
    },
    // Pods that end, which a server must not do.
    Case {
        name: "never_and_exit_6",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("exit 6")]),
                &json!({"restartPolicy": "Never"}),
            )
        },
        said: &["a-0-w-", "exit code 6"],
        ..NOTHING
    },
    Case {
        name: "never_and_exit_0",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("exit 0")]),
                &json!({"restartPolicy": "Never"}),
            )
        },
        said: &["a-0-w-", "ended"],
        ..NOTHING
    },
    Case {
        name: "on_failure_and_exit_0",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("exit 0")]),
                &json!({"restartPolicy": "OnFailure"}),
            )
        },
        said: &["a-0-w-", "ended"],
        in_soak_only: true,
        ..NOTHING
    },
    // Not a lost node.
    Case {
        name: "readiness_gate_that_is_closed",
        finding: "R7",
        clique: || {
            with_pod(
                clique("w", 1, &[sh("sleep 1000")]),
                &json!({"readinessGates": [{"conditionType": "example.com/open"}]}),
            )
        },
        reason: "PodNotReady",
        said: &["example.com/open"],
        not_said: &["node-1 is lost", "node-2 is lost", "after 5 minutes"],
        ..NOTHING
    },
];

/// A container that a probe ends again and again.
fn probed(probe: &str) -> Value {
    let fails = json!({"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1});
    with(sh("exec sleep 1000"), &json!({probe: fails}))
}

fn image(name: &str, policy: &str) -> Value {
    with(
        sh("sleep 1000"),
        &json!({"image": name, "imagePullPolicy": policy}),
    )
}

/// A clique with that volume.
fn mounted(source: &Value) -> Value {
    let mount = json!({"volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    let volume = with(json!({"name": "v"}), source);
    with_pod(
        clique("w", 1, &[with(sh("sleep 1000"), &mount)]),
        &json!({"volumes": [volume]}),
    )
}
