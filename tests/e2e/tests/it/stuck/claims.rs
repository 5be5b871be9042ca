//! Pods wait for a resource claim that they share.

use serde_json::json;

use super::{is_stuck, set_with};
use crate::harness::{Namespace, condition, same};

/// The template of the claim is an object of the user, and comes later.
#[test]
fn the_template_of_a_shared_claim_is_missing() {
    let ns = Namespace::new("no-claim-template");
    let mut pcs = set_with(&json!({}));
    let sharing = json!([{"name": "nosuch", "scope": "AllReplicas"}]);
    pcs["spec"]["template"]["cliques"][0]["resourceSharing"] = sharing;
    ns.apply(&pcs);
    let words = format!(
        "claim svc-0-worker-all-nosuch does not exist yet: ResourceClaimTemplate {}/nosuch is missing",
        ns.name
    );
    is_stuck(&ns, "ClaimMissing", &words);
    let seen = ns.look().unwrap();
    assert_eq!(seen.all("Pod").len(), 0);

    // No node has such a device: the pods exist, and their scheduler says what they lack.
    ns.apply(&json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "nosuch"},
        "spec": {"spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {"deviceClassName": "nosuch.example.com"}},
        ]}}},
    }));
    ns.until("its pods wait for devices", |seen| {
        same("pods", &seen.all("Pod").len(), &2)?;
        let set = seen.one("PodCliqueSet", "svc")?;
        let ready = condition(set, "Ready");
        same("waits for a claim", &ready.contains("ClaimMissing"), &false)
    });
}
