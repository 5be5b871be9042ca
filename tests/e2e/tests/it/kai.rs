//! KAI Scheduler is told of gangs by PodGroups. It does not run here: what it reads is looked at.

use serde_json::{Value, json};

use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, Seen, condition, same, site, subset, wait};

const DEFINITION: &str = "tests/it/manifests/kai-podgroups.yaml";
const PROFILE: &str = "config.scheduler.profiles[0].name=kai-scheduler";

/// A router, and a group of two replicas of which one is required.
fn workload() -> Value {
    let mut cliques = [clique("router", 2), clique("worker", 3)];
    for clique in &mut cliques {
        clique["spec"]["podSpec"]["schedulerName"] = json!("kai-scheduler");
    }
    let mut workload = set("svc", &cliques, &[group("grp", "worker", 2, 1)]);
    workload["metadata"]["labels"] = json!({"kai.scheduler/queue": "research"});
    workload
}

/// The PodGroup that the gang controls.
fn pod_group(ns: &Namespace<'_>, gang: &str) -> Result<Value, String> {
    let list = ["get", "podgroups.scheduling.run.ai", "--output=json"];
    let list: Value = serde_json::from_str(&ns.kubectl(&list)).map_err(|e| e.to_string())?;
    let all = list["items"].as_array().into_iter().flatten();
    let mut of_gang = all.filter(|g| g["metadata"]["ownerReferences"][0]["name"] == gang);
    of_gang.next().cloned().ok_or_else(|| format!("{gang} has no PodGroup"))
}

/// The leaves of the gang's PodGroup, with their pods.
fn expect_leaves(ns: &Namespace<'_>, gang: &str, leaves: &[(&str, u32)]) -> Result<(), String> {
    let group = pod_group(ns, gang)?;
    let leaf = |(name, pods): &(&str, u32)| json!({"name": name, "minMember": pods});
    let expected: Vec<Value> = leaves.iter().map(leaf).collect();
    same(gang, &group["spec"]["subGroups"], &expected.into())
}

fn expect_marks(ns: &Namespace<'_>, seen: &Seen) -> Result<(), String> {
    let group = pod_group(ns, "svc-0")?;
    for podclique in ["svc-0-router", "svc-0-grp-0-worker"] {
        for pod in seen.pods(podclique) {
            let marks = json!({
                "annotations": {
                    "kai.scheduler/skip-podgrouper": "true",
                    "pod-group-name": group["metadata"]["name"],
                },
                "labels": {"kai.scheduler/subgroup-name": podclique},
            });
            subset(podclique, &pod["metadata"], &marks)?;
        }
    }
    Ok(())
}

#[test]
fn it_is_told_of_each_gang_as_soon_as_it_can_be_and_in_place() {
    let control_plane = site::quiet();
    let installation = Installation::on(&control_plane, &[PROFILE]);
    let operator = Operator::start(&installation, &folder("kai-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "kai");
    ns.apply(&workload());
    ns.until("a cluster without KAI Scheduler is told of", |seen| {
        let gang = seen.one("PodGang", "svc-0")?;
        let unsupported = condition(gang, "SchedulingFeatureUnsupported");
        same("told", &unsupported.as_str(), &"True/SchedulerNotInstalled")
    });

    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let told = wait::within(2 * wait::DEADLINE, || {
        expect_leaves(&ns, "svc-0", &[("svc-0-router", 2), ("svc-0-grp-0-worker", 3)])?;
        let seen = ns.look()?;
        let gang = seen.one("PodGang", "svc-0")?;
        same("told", &condition(gang, "SchedulingFeatureUnsupported").as_str(), &"")
    });
    told.unwrap();
    let before = pod_group(&ns, "svc-0").unwrap();
    let spec = json!({"queue": "research", "stalenessGracePeriod": "-1s"});
    subset("spec", &before["spec"], &spec).unwrap();

    ns.kubectl(&["scale", "pclq/svc-0-router", "--replicas=1"]);
    ns.until("the PodGroup follows", |_| {
        expect_leaves(&ns, "svc-0", &[("svc-0-router", 1), ("svc-0-grp-0-worker", 3)])
    });
    let after = pod_group(&ns, "svc-0").unwrap();
    let uid = |group: &Value| group["metadata"]["uid"].clone();
    assert_eq!(uid(&before), uid(&after), "it was changed in place");
    expect_marks(&ns, &ns.look().unwrap()).unwrap();
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}
