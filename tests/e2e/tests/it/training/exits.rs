//! Jobs whose pods end by themselves, in the steps of a kubelet (`localcluster`, `stages/exits.yaml`).

use serde_json::{Value, json};

use super::{ends, job};
use crate::harness::manifest::clique;
use crate::harness::seen::name;
use crate::harness::{Namespace, same};

/// A clique of two pods that exit with this code; their readiness probe may fail first.
fn exiting(code: &str, loses_readiness: bool) -> Value {
    let mut clique = clique("a", 2);
    clique["annotations"] = json!({"example.com/exits": code});
    if loses_readiness {
        clique["annotations"]["example.com/loses-readiness"] = json!("true");
    }
    clique
}

#[test]
fn readiness_that_is_lost_before_a_good_end_is_no_failure() {
    let ns = Namespace::new("job-unready");
    ns.apply(&job("x", 0, &[exiting("0", true)], &[]));
    ns.apply(&job("y", 0, &[exiting("0", false)], &[]));
    for set in ["x", "y"] {
        ends(&ns, set, "Succeeded", 0);
        assert_eq!(ns.events(set, "PodCliqueFailed"), Vec::<String>::new());
    }
}

/// The job fails as soon as the container has ended, before the phase of the pod shows it.
#[test]
fn a_failure_is_kept_with_its_pod_and_code() {
    let ns = Namespace::new("job-exit");
    ns.apply(&job("x", 0, &[exiting("7", false)], &[]));
    ends(&ns, "x", "Failed", 0);
    ns.until("its pods stay, and are Failed", |seen| {
        let pods = seen.pods("x-0-a");
        let phases: Vec<&Value> = pods.iter().map(|pod| &pod["status"]["phase"]).collect();
        same("some pods", &phases.is_empty(), &false)?;
        same("phases", &phases.iter().all(|p| **p == "Failed"), &true)?;
        let failure = &seen.one("PodCliqueSet", "x")?["status"]["lastFailures"][0];
        let kept = pods.iter().any(|pod| failure["pod"] == name(pod));
        same("the first to fail is kept", &kept, &true)?;
        // The other pod may have ended before it was deleted, too.
        let (code, reason) = (&failure["exitCode"], &failure["reason"]);
        same(
            "how it ended",
            &(code, reason),
            &(&json!(7), &json!("Error")),
        )
    });
}
