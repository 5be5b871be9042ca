//! The leader gets a signal to stop: it releases the lease.

use serde_json::{Value, json};

use super::pair::{LEASE, Pair};
use crate::harness::installation::SYSTEM;
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, same};

/// So long that no test waits for its end.
fn long() -> Value {
    json!({
        "enabled": true, "leaseDuration": "600s", "renewDeadline": "500s", "retryPeriod": "2s",
    })
}

#[test]
fn a_leader_that_is_stopped_gives_the_lease_back_and_a_restarted_container_keeps_it() {
    let pair = Pair::start("pair-released", &long());
    let ns = pair.namespace();
    assert_eq!(holder(&ns), pair.first.identity());
    // Its container restarts in the same pod.
    pair.first.kill();
    pair.first.start_again().unwrap();
    pair.first.wait_until_leads();
    assert!(!pair.second.leads());

    assert_eq!(pair.first.terminate().code(), Some(0));
    pair.second.wait_until_leads();
    assert_eq!(holder(&ns), pair.second.identity());
    ns.apply(&set("svc", &[clique("a", 2)], &[]));
    ns.until("the other works", |seen| {
        seen.expect_ready_pods(2)?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        same("available", &status["availableReplicas"], &1.into())
    });
    // For the next leader.
    assert_eq!(pair.second.terminate().code(), Some(0));
    assert_eq!(holder(&ns), "");
    pair.second.start_again().unwrap();
    pair.second.wait_until_leads();
    ns.kubectl(&["delete", "pcs/svc"]);
    pair.second.terminate();
    pair.second.start_again().unwrap();
    pair.second.wait_until_leads();
}

/// Read as users read it.
fn holder(ns: &Namespace<'_>) -> String {
    let lease = [
        "get",
        "lease",
        LEASE,
        "--output=jsonpath={.spec.holderIdentity}",
    ];
    let mut kubectl = ns.control_plane.tool("kubectl", lease);
    crate::harness::control_plane::printed(kubectl.args(["--namespace", SYSTEM]))
}
