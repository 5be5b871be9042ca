//! Start order.

use super::{Case, create, edits};
use crate::good_set::{CLIQUES, FRONTEND, GROUPS, at};

const TYPE: &str = "/spec/template/cliqueStartupType";
const EXPLICIT: &str = "CliqueStartupTypeExplicit";
const IN_ORDER: &str = "CliqueStartupTypeInOrder";

pub(super) fn cases() -> Vec<Case> {
    [entries(), reserved(), many()].concat()
}

fn after(clique: usize) -> String {
    format!("{CLIQUES}/{clique}/spec/startsAfter")
}

fn entries() -> Vec<Case> {
    let first = |name| format!("spec.template.cliques[0].spec.startsAfter[{name}]");
    vec![
        create(
            "starts-after-nobody",
            edits! {TYPE => EXPLICIT, after(0) => [""]},
        )
        .refused([&first(0)]),
        create(
            "starts-after-itself",
            edits! {TYPE => EXPLICIT, after(0) => ["frontend"]},
        )
        .refused([&first(0)]),
        create(
            "starts-after-one-twice",
            edits! {TYPE => EXPLICIT, after(0) => ["leader", "leader"]},
        )
        .refused([&first(1)]),
        create(
            "starts-after-a-stranger",
            edits! {TYPE => EXPLICIT, after(0) => ["decode"]},
        )
        .refused([&first(0)]),
        create(
            "starts-in-a-circle",
            edits! {TYPE => EXPLICIT, after(0) => ["leader"], after(1) => ["frontend"]},
        )
        .refused(["spec.template.cliques"]),
        create(
            "starts-after-others",
            edits! {TYPE => EXPLICIT, after(0) => ["leader", "worker"], after(1) => ["worker"]},
        ),
        create("starts-in-order", edits! {TYPE => IN_ORDER}),
    ]
}

/// Fields that the operator sets in pods with a start order.
fn reserved() -> Vec<Case> {
    let pod = |field: &str| at(FRONTEND, &format!("spec/podSpec/{field}"));
    let volumes = pod("volumes");
    vec![
        create(
            "container-of-the-start-order",
            edits! {TYPE => IN_ORDER, pod("containers/0/name") => "grove-initc"},
        )
        .refused(["spec.template.cliques[0].spec.podSpec.containers[0].name"]),
        create(
            "volume-of-the-start-order",
            edits! {
                TYPE => IN_ORDER,
                volumes => [{"name": "data"}, {"name": "grove-start-order"}],
            },
        )
        .refused(["spec.template.cliques[0].spec.podSpec.volumes[1].name"]),
        create(
            "container-of-the-start-order-without-one",
            edits! {pod("initContainers") => [{"name": "grove-initc"}]},
        ),
    ]
}

fn many() -> Vec<Case> {
    let group = |minimum: i32| {
        serde_json::json!([{
            "name": "g", "cliqueNames": ["frontend"], "replicas": 501, "minAvailable": minimum
        }])
    };
    let type_ = || (TYPE, serde_json::json!(IN_ORDER));
    vec![
        create("too-many-to-wait-for", &[type_(), (GROUPS, group(501))])
            .refused(["spec.template.cliques[1]"]),
        create(
            "as-many-to-wait-for-as-allowed",
            &[type_(), (GROUPS, group(500))],
        ),
    ]
}
