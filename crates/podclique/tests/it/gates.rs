//! When a pod may be scheduled.

use api::podgang::PodPlacement;
use api::{PodCliqueSet, PodGang};
use domain::object::ownership;
use domain::object::pod::Gate;
use engine::Caches;
use insta::assert_snapshot;
use testkit::builders::{pod, podclique};

use crate::situation::{gang_listing, operations, plan, situation, writes};

#[test]
fn keeps_the_gate_until_the_gang_lists_the_pod() {
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let pods = vec![pod(&clique, 0), pod(&clique, 1)];
    let mut snapshot = situation(&clique, pods);
    assert!(plan(&snapshot).writes_nothing());
    snapshot.gang = Some(gang_listing(&clique, &snapshot.pods[..1]));
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// The Go operator lists the pods of a scaled gang before its base gang has nodes.
#[test]
fn keeps_the_gate_while_the_list_is_anothers() {
    let clique = podclique("demo-0-worker").build();
    let mut snapshot = situation(&clique, vec![pod(&clique, 0)]);
    let mut gang = (*gang_listing(&clique, &snapshot.pods)).clone();
    gang.metadata.annotations = None;
    snapshot.gang = Some(gang.into());
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn takes_off_its_own_gate_only() {
    let clique = podclique("demo-0-worker").build();
    let gated = pod(&clique, 0).with(|p| {
        p.spec.scheduling_gates.insert(
            0,
            Gate {
                name: "example.com/quota".into(),
            },
        );
    });
    let mut snapshot = situation(&clique, vec![gated]);
    snapshot.gang = Some(gang_listing(&clique, &snapshot.pods));
    let plan = plan(&snapshot);
    let operations = operations(&plan.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

#[test]
fn does_not_touch_a_pod_that_is_listed_for_another_clique() {
    let clique = podclique("demo-0-worker").build();
    let other = podclique("demo-0-other").build();
    let mut snapshot = situation(&clique, vec![pod(&clique, 0)]);
    snapshot.gang = Some(gang_listing(&other, &snapshot.pods));
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn knows_its_gang_whatever_its_label_says() {
    let set = testkit::builders::set("demo").build();
    let reference = ownership::controller_reference(&set);
    let clique = podclique("demo-0-worker")
        .with(|c| {
            let labels = c.metadata.labels.as_mut().unwrap();
            labels.remove(api::labels::POD_GANG);
        })
        .build();
    let listed = [pod(&clique, 0).build()];
    let mut gang = (*gang_listing(&clique, &listed)).clone();
    gang.metadata.owner_references = Some(vec![reference]);
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(set);
    caches.of::<PodGang>().apply(gang);
    let seen =
        podclique::observe::observe(&clique, &caches, &podclique::PodCliqueReconciler::default());
    assert_eq!(
        seen.listed().into_iter().collect::<Vec<_>>(),
        [listed[0].name()]
    );
}

/// The patch of a pod with this node selector that its gang places in zone z0, rack r1.
fn pinned(selector: &str) -> serde_json::Value {
    let clique = podclique("demo-0-worker").build();
    let own =
        pod(&clique, 0).with(|p| p.spec.node_selector = serde_json::from_str(selector).unwrap());
    let mut snapshot = situation(&clique, vec![own]);
    let mut gang = (*gang_listing(&clique, &snapshot.pods)).clone();
    gang.spec.pod_groups[0].placements = vec![PodPlacement {
        indexes: vec![0, 3],
        node_selector: [("example.com/rack", "r1"), ("zone", "z0")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    }];
    snapshot.gang = Some(gang.into());
    let plan = plan(&snapshot);
    serde_json::json!(operations(&plan.waves[0][0]))
}

/// The places and values that the patch adds.
fn added(operations: &serde_json::Value) -> Vec<String> {
    let all = operations.as_array().unwrap().iter();
    all.filter(|operation| operation["op"] == "add")
        .map(|operation| format!("{} {}", operation["path"], operation["value"]))
        .collect()
}

#[test]
fn a_pod_gets_the_node_labels_of_its_domain_with_the_removal_of_the_gate() {
    let operations = pinned("{}");
    assert_snapshot!(serde_json::to_string_pretty(&operations).unwrap());
}

/// The API server lets nobody change a value of the selector.
#[test]
fn node_labels_that_a_pod_selects_by_itself_stay() {
    let operations = pinned(r#"{"zone":"z7"}"#);
    assert_eq!(
        added(&operations),
        [
            r#""/spec/nodeSelector/example.com~1rack" "r1""#,
            r#""/metadata/annotations" {"grove.io/pinned":"{\"example.com/rack\":\"r1\"}"}"#,
        ]
    );
    let operations = pinned(r#"{"zone":"z0","example.com/rack":"r1"}"#);
    assert!(added(&operations).is_empty());
}
