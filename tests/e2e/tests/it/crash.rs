//! The operator ends in the middle of its work, at every point of it, and starts again.

mod killed;
mod normal;
mod walk;

use serde_json::{Value, json};

use crate::harness::control_plane::ControlPlane;
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, same};
use walk::{Scenario, walk};

#[test]
fn ended_after_any_write_it_ends_up_where_it_would_have() {
    let control_plane = ControlPlane::local("crash", 2).unwrap();
    control_plane.install_definitions();
    for scenario in [CREATE, SCALE_OUT, SCALE_IN, DELETE] {
        walk(&control_plane, &scenario);
    }
}

const CREATE: Scenario = Scenario {
    name: "create",
    begins_with_set: false,
    step: |ns, set| ns.apply(&service(set)),
    is_done: |seen, set| runs(seen, set, 2, 2),
    deleted: &[],
};

const SCALE_OUT: Scenario = Scenario {
    name: "scale-out",
    begins_with_set: true,
    step: |ns, set| scale(ns, set, 3),
    is_done: |seen, set| runs(seen, set, 3, 3),
    deleted: &[],
};

const SCALE_IN: Scenario = Scenario {
    name: "scale-in",
    begins_with_set: true,
    step: |ns, set| scale(ns, set, 1),
    is_done: |seen, set| runs(seen, set, 1, 1),
    deleted: &["0-a#1", "0-g-1-b#0", "0-g-1-c#0"],
};

const DELETE: Scenario = Scenario {
    name: "delete",
    begins_with_set: true,
    step: |ns, set| {
        ns.kubectl(&["delete", "pcs", set, "--wait=false"]);
    },
    is_done: |seen, _| same("what is left", &seen.0, &vec![]),
    deleted: &[
        "0-a#0",
        "0-a#1",
        "0-g-0-b#0",
        "0-g-0-c#0",
        "0-g-1-b#0",
        "0-g-1-c#0",
    ],
};

fn scale(ns: &Namespace<'_>, set: &str, replicas: u32) {
    let clique = format!("pclq/{set}-0-a");
    let group = format!("pcsg/{set}-0-g");
    ns.kubectl(&["scale", &clique, &group, &format!("--replicas={replicas}")]);
}

/// Pods of [`service`].
const PODS: usize = 6;

/// A clique of two pods and a scaling group of two cliques.
fn service(name: &str) -> Value {
    let mut a = clique("a", 2);
    a["spec"]["minAvailable"] = 1.into();
    let mut g = group("g", "b", 2, 1);
    g["cliqueNames"] = json!(["b", "c"]);
    let mut service = set(name, &[a, clique("b", 1), clique("c", 1)], &[g]);
    // Found by the selector that finds what the operator makes of it.
    service["metadata"]["labels"] = json!({walk::OF_SET: name});
    service
}

/// Whether the standalone clique and the group have so many replicas and all run.
fn runs(seen: &Seen, set: &str, a: usize, g: usize) -> Result<(), String> {
    seen.expect_ready_pods(a + 2 * g)?;
    let is = |kind: &str, name: String, field: &str, count: usize| {
        let object = seen.one(kind, &name)?;
        same(&name, &object["status"][field], &count.into())
    };
    is("PodClique", format!("{set}-0-a"), "readyReplicas", a)?;
    let group = format!("{set}-0-g");
    is("PodCliqueScalingGroup", group, "availableReplicas", g)?;
    is("PodCliqueSet", set.to_owned(), "availableReplicas", 1)?;
    same("gangs", &seen.all("PodGang").len(), &g)
}
