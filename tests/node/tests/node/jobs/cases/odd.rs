//! Jobs with sidecars, grace periods and time limits.

use serde_json::json;

use super::{fails, failure, gives_up, on_failure, ranks};
use crate::jobs::ends::{Case, Failure};
use crate::sets::{clique, job, sh, sidecar, with, with_delay, with_pod};

/// They end `Failed`.
pub(super) fn cases() -> Vec<Case> {
    let lives = "exec sleep 1000";
    vec![
        // Finding 7: the cause is the main container, not the sidecar that the kubelet ends for it.
        gives_up(
            "t10_sidecar_goes_on_after_exit_8",
            "7",
            &[
                ranks("a", 1, lives),
                with_pod(
                    ranks("b", 1, &fails(8)),
                    &json!({"initContainers": [sidecar("side", "trap '' TERM; sleep 1000")]}),
                ),
            ],
            vec![failure("job-0-b-", 8)],
            &["job-0-b-", "exit code 8"],
        ),
        Case {
            job: with_delay(
                job("job", 0, &[ranks("l", 1, lives), ranks("w", 1, &fails(5))]),
                "1s",
            ),
            failures: vec![failure("job-0-w-", 5)],
            // It was replaced alone during the delay: only `lastFailures` is certain.
            keeps_logs: false,
            ..gives_up("t33_delay_runs_first", "-", &[], vec![], &["job-0-w"])
        },
        peer_that_ends_slowly(),
        too_slow(),
        crash_loop_until_the_end(),
        evicted_for_its_disk(),
    ]
}

/// t08, t13: a peer that ends slowly hides nothing, and the restart waits for it.
fn peer_that_ends_slowly() -> Case {
    let hook = json!({"preStop": {"exec": {"command": ["sleep", "3"]}}});
    let slow = clique(
        "l",
        1,
        &[with(sh("sleep 1000"), &json!({"lifecycle": hook}))],
    );
    let slow = with_pod(slow, &json!({"terminationGracePeriodSeconds": 6}));
    gives_up(
        "t13_peer_ends_slowly",
        "2",
        &[slow, ranks("w", 1, &fails(13))],
        vec![failure("job-0-w-", 13)],
        &["job-0-w-", "exit code 13"],
    )
}

/// t07: `maxRuntime` to the second, with a process that ignores SIGTERM.
fn too_slow() -> Case {
    let mut job = job(
        "job",
        0,
        &[ranks("w", 1, "trap '' TERM; sleep 1000 & wait")],
    );
    job["spec"]["trainingSpec"]["maxRuntime"] = "4s".into();
    Case {
        job,
        keeps_logs: false,
        ..gives_up("t07_max_runtime", "-", &[], vec![], &["maxRuntime"])
    }
}

/// Finding 10, t53: its crash loop until the end of its time is recorded.
fn crash_loop_until_the_end() -> Case {
    let cliques = [on_failure(ranks("w", 1, &fails(2)))];
    let mut job = job("job", 0, &cliques);
    job["spec"]["trainingSpec"]["maxRuntime"] = "40s".into();
    Case {
        job,
        failures: vec![failure("job-0-w-", 2)],
        keeps_logs: false,
        ..gives_up(
            "t53_crash_loop_until_max_runtime",
            "10",
            &[],
            vec![],
            &["maxRuntime"],
        )
    }
}

/// Finding R8: a pod that fills its disk was evicted, whatever the exit code of its container.
fn evicted_for_its_disk() -> Case {
    let mut main = sh("head -c 3000000 /dev/zero > /v/x; exec sleep 1000");
    main["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
    let volume = json!({"name": "v", "emptyDir": {"sizeLimit": "1Mi"}});
    let evicted = Failure {
        pod: "job-0-w-",
        reason: "Evicted",
        code: None,
        word: "",
        container: "main",
    };
    Case {
        in_soak_only: true,
        keeps_logs: false,
        ..gives_up(
            "r8_evicted_for_its_disk",
            "R8",
            &[with_pod(
                clique("w", 1, &[main]),
                &json!({"volumes": [volume]}),
            )],
            vec![evicted],
            &["job-0-w-", "Evicted"],
        )
    }
}
