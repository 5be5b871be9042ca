//! Volcano.

use serde_json::{Value, json};

use super::{expect_unsupported, install_late, pod_group, started, workload};
use crate::harness::{Namespace, same, site, subset, wait};

const SCHEDULER: &str = "volcano";
/// The form before 1.14, and since.
const OLD_DEFINITION: &str = "tests/it/manifests/volcano-podgroups-old.yaml";
const DEFINITION: &str = "tests/it/manifests/volcano-podgroups.yaml";
const KIND: &str = "podgroups.scheduling.volcano.sh";

/// The sum of the minimums, and the minimums of the parts.
fn expect_told(ns: &Namespace<'_>, sum: u32, parts: &[(&str, u32)]) -> Result<(), String> {
    let group = pod_group(ns, KIND, "svc-0")?;
    same("sum", &group["spec"]["minMember"], &json!(sum))?;
    let policies = group["spec"]["subGroupPolicy"].as_array();
    let told: Vec<(&str, &Value)> = policies
        .into_iter()
        .flatten()
        .map(|policy| (policy["name"].as_str().unwrap(), &policy["subGroupSize"]))
        .collect();
    let sizes: Vec<Value> = parts.iter().map(|(_, size)| json!(size)).collect();
    let parts = parts.iter().map(|(name, _)| *name);
    same("parts", &told, &parts.zip(&sizes).collect())
}

#[test]
fn it_receives_each_gang_and_users_are_informed_of_missing_features() {
    let control_plane = site::private();
    let operator = started(&control_plane, SCHEDULER);
    let ns = Namespace::on(&control_plane, &operator, "volcano");
    let mut set = workload(SCHEDULER);
    set["metadata"]["annotations"] = json!({"scheduling.grove.io/volcano-queue": "research"});
    ns.apply(&set);
    install_late(&control_plane, &ns, OLD_DEFINITION, "True/FieldsNotServed");
    ns.until("an old one gets the sum", |seen| {
        expect_told(&ns, 5, &[])?;
        let pods = seen.pods("svc-0-router");
        let named = json!({"annotations": {
            "scheduling.k8s.io/group-name": "svc-0",
            "scheduling.volcano.sh/group-name": "svc-0",
        }});
        subset("pod", &pods.first().ok_or("none")?["metadata"], &named)
    });
    control_plane.kubectl(["apply", "-f", DEFINITION]);
    // The handlers follow the definition a moment later.
    let described = wait::until(|| {
        let description = "/openapi/v3/apis/scheduling.volcano.sh/v1beta1";
        let text = control_plane.kubectl(["get", "--raw", description]);
        let is_new = text.contains("subGroupPolicy");
        is_new
            .then_some(())
            .ok_or_else(|| "still as old".to_owned())
    });
    described.unwrap();
    ns.kubectl(&["scale", "pclq/svc-0-router", "--replicas=1"]);
    let mut looks = 0;
    let told = wait::until(|| {
        // Volcano writes all the time: a watch may have shown the PodGroup by the old definition,
        // and shows it again with the next change.
        let looked = format!("example.com/looked={looks}");
        looks += 1;
        ns.kubectl(&["annotate", KIND, "svc-0", "--overwrite", &looked]);
        expect_told(&ns, 4, &[("svc-0-router", 1), ("svc-0-grp-0-worker", 3)])?;
        expect_unsupported(&ns.look()?, "PodGang", "")
    });
    told.unwrap();
    let queue = pod_group(&ns, KIND, "svc-0").unwrap()["spec"]["queue"].clone();
    assert_eq!(queue, "research");
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}
