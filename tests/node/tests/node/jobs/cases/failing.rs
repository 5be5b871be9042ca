//! Jobs with a failing process.

use serde_json::json;

use super::{fails, failure, gives_up, ranks};
use crate::jobs::ends::{Case, Failure};
use crate::sets::{clique, container, job, sh, with, with_pod};

/// They end `Failed`, or continue after a restart, and the failure is recorded.
pub(super) fn cases() -> Vec<Case> {
    [app_containers(), init_containers()]
        .into_iter()
        .flatten()
        .collect()
}

const LIVES: &str = "exec sleep 1000";

/// Finding 2, with the default delay: a container terminated, the phase still Running.
fn app_containers() -> Vec<Case> {
    let peers = |code| [ranks("l", 1, LIVES), ranks("w", 1, &fails(code))];
    vec![
        gives_up(
            "t50_exit_9_is_kept",
            "2",
            &peers(9),
            vec![failure("job-0-w-", 9)],
            &["job-0-w-", "exit code 9"],
        ),
        Case {
            job: job("job", 1, &peers(7)),
            restarts: 1,
            failures: vec![failure("job-0-w-", 7); 2],
            ..gives_up(
                "t01_exit_7_twice",
                "2",
                &[],
                vec![],
                &["job-0-w-", "exit code 7"],
            )
        },
        gives_up(
            "t04_one_is_done_the_other_fails",
            "2",
            &[ranks("a", 1, "exit 0"), ranks("b", 1, &fails(4))],
            vec![failure("job-0-b-", 4)],
            &["job-0-b-", "exit code 4"],
        ),
        runs_out_of_memory(),
        gives_up(
            "t16_four_fail_at_once",
            "2",
            &[ranks("w", 4, &fails(11))],
            vec![failure("job-0-w-", 11)],
            &["job-0-w-", "exit code 11"],
        ),
        fails_at_its_start(),
        loses_its_minimum(),
        fails_in_a_group(),
    ]
}

/// Findings 7 and R4.
fn init_containers() -> Vec<Case> {
    let prepared = |script: &str| json!({"initContainers": [container("prepare", script)]});
    vec![
        gives_up(
            "t12_init_container_fails_a_peer_is_ready",
            "7",
            &[
                ranks("a", 1, LIVES),
                with_pod(ranks("b", 1, LIVES), &prepared(&fails(9))),
            ],
            vec![Failure {
                container: "prepare",
                ..failure("job-0-b-", 9)
            }],
            &["job-0-b-", "exit code 9"],
        ),
        // A successful init container is no cause.
        gives_up(
            "r4_init_container_did_well",
            "R4",
            &[with_pod(ranks("b", 1, &fails(7)), &prepared("exit 0"))],
            vec![failure("job-0-b-", 7)],
            &["job-0-b-", "exit code 7"],
        ),
    ]
}

/// t06: the kubelet's own reason is recorded.
fn runs_out_of_memory() -> Case {
    let limit = json!({"resources": {"limits": {"memory": "12Mi"}}});
    let killed = Failure {
        pod: "job-0-w-",
        reason: "OOMKilled",
        code: Some(137),
        word: "",
        container: "main",
    };
    gives_up(
        "t06_out_of_memory",
        "2",
        &[clique(
            "w",
            1,
            &[with(sh("sleep 2; exec tail /dev/zero"), &limit)],
        )],
        vec![killed],
        &["job-0-w-", "OOMKilled"],
    )
}

/// t35: pods of a scaling group.
fn fails_in_a_group() -> Case {
    let mut job = job("job", 0, &[ranks("w", 2, &fails(10))]);
    job["spec"]["template"]["podCliqueScalingGroups"] =
        json!([{"name": "e", "cliqueNames": ["w"], "replicas": 2, "minAvailable": 2}]);
    Case {
        job,
        failures: vec![failure("job-0-e-", 10)],
        ..gives_up(
            "t35_in_a_group",
            "2",
            &[],
            vec![],
            &["job-0-e-", "exit code 10"],
        )
    }
}

/// t15: a container that fails before its clique was ever available.
fn fails_at_its_start() -> Case {
    gives_up(
        "t15_fails_at_its_start",
        "7",
        &[ranks(
            "w",
            1,
            "echo the-word | tee /dev/termination-log; exit 3",
        )],
        vec![failure("job-0-w-", 3)],
        &["job-0-w-", "exit code 3"],
    )
}

/// t51: an elastic clique below its minimum: its second failure.
fn loses_its_minimum() -> Case {
    let mut elastic = ranks("w", 2, &fails(6));
    elastic["spec"]["minAvailable"] = 2.into();
    Case {
        failures: vec![failure("job-0-w-", 6)],
        ..gives_up(
            "t51_below_the_minimum",
            "2",
            &[elastic],
            vec![],
            &["exit code 6"],
        )
    }
}
