//! Entries with a filter.

use serde_json::{Value, json};

use super::{CLASS, expect_claims, expect_named, install_devices, is_ready, template};
use crate::harness::Namespace;
use crate::harness::manifest::{clique, set};

/// A claim of the set for a clique, one for a group, and one of the group for its leader.
fn filtered() -> Value {
    let instance = json!({
        "name": "instance", "cliqueNames": ["leader", "worker"], "replicas": 1, "minAvailable": 1,
        "resourceSharing": [{
            "name": "pool", "scope": "AllReplicas", "filter": {"childCliqueNames": ["leader"]},
        }],
    });
    let cliques = ["router", "metrics", "leader", "worker"].map(|name| clique(name, 1));
    let mut pcs = set("svc", &cliques, &[instance]);
    let template_spec = &mut pcs["spec"]["template"];
    template_spec["resourceClaimTemplates"] = json!(["net", "card", "pool"].map(template));
    template_spec["resourceSharing"] = json!([
        {"name": "net", "scope": "AllReplicas", "filter": {"childCliqueNames": ["router"]}},
        {"name": "card", "scope": "AllReplicas", "filter": {"childScalingGroupNames": ["instance"]}},
    ]);
    pcs
}

#[test]
fn only_pods_that_a_filter_lists_name_the_claim() {
    let ns = Namespace::new("claims-filter");
    install_devices(&ns, CLASS);
    ns.apply(&filtered());
    ns.until("its pods run with the claims of their filters", |seen| {
        is_ready(seen, 4)?;
        let claims = ["svc-0-instance-all-pool", "svc-all-card", "svc-all-net"];
        expect_claims(&ns, &claims)?;
        expect_named(seen, "svc-0-router", &["svc-all-net"])?;
        expect_named(seen, "svc-0-metrics", &[])?;
        let leader = ["svc-all-card", "svc-0-instance-all-pool"];
        expect_named(seen, "svc-0-instance-0-leader", &leader)?;
        expect_named(seen, "svc-0-instance-0-worker", &["svc-all-card"])
    });
}
