//! The state of the node decides how long the operator waits for a pod that hangs in Terminating.

use api::podgang::{GangTopologyConstraint, PackConstraint};
use api::topology::{TopologyConstraint, TopologyPack};
use domain::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::*;

const GANGS: ControllerName = ControllerName("podgang");

fn node(is_ready: bool) -> Arc<Node> {
    let mut node = Node::default();
    node.metadata.name = Some("node-2".into());
    node.status.is_ready = is_ready;
    Arc::new(node)
}

/// Two pods on the node, of which one is being deleted, and one that is elsewhere.
fn world(has_failed: bool) -> Caches {
    let caches = Caches::default();
    let mut job = set("demo").build();
    let status = job.status.get_or_insert_default();
    if has_failed {
        let verdict = ConditionUpdate {
            type_: ConditionType::Failed,
            status: Status::True,
            reason: Reason::MaxRestartsExceeded,
            message: String::new(),
        };
        conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    }
    caches.of::<PodCliqueSet>().apply(job);
    let pods = [
        ("demo-0-a-x", "node-2", true),
        ("demo-0-b-x", "node-2", false),
        ("demo-0-c-x", "node-1", true),
    ];
    for (name, node, is_terminating) in pods {
        let owner = name.trim_end_matches("-x");
        let mut pod = Pod {
            metadata: labelled(name, "PodClique", owner),
            ..Pod::default()
        };
        pod.spec.node_name = Some(node.into());
        let deleted = is_terminating.then_some(Time(Timestamp::UNIX_EPOCH));
        pod.metadata.deletion_timestamp = deleted;
        caches.of::<Pod>().apply(pod);
    }
    caches
}

#[test]
fn triggers_the_owners_that_wait_for_pods_of_a_lost_node() {
    let change = |old: Option<bool>, new: Option<bool>| Change {
        old: old.map(node),
        new: new.map(node),
    };
    let clique = (PODCLIQUES, Key::new("default", "demo-0-a"));
    let caches = world(false);
    let lost = change(Some(true), Some(false));
    for change in [&lost, &change(Some(true), None)] {
        assert_eq!(triggered_by(change, &caches), std::slice::from_ref(&clique));
    }
    for unimportant in [
        change(None, Some(true)),
        change(None, Some(false)),
        change(Some(true), Some(true)),
        change(Some(false), Some(true)),
        change(Some(false), None),
    ] {
        assert_eq!(triggered_by(&unimportant, &caches), []);
    }
    let set = (SETS, Key::new("default", "demo"));
    let triggered: BTreeSet<_> = triggered_by(&lost, &world(true)).into_iter().collect();
    assert_eq!(triggered, BTreeSet::from([clique, set]));
}

fn labelled_node(rack: &str) -> Arc<Node> {
    let mut node = Node::clone(&node(true));
    node.metadata.labels = Some([("rack".to_owned(), rack.to_owned())].into());
    Arc::new(node)
}

/// Two domains of a level may have had the same name.
#[test]
fn triggers_the_sets_that_wait_for_their_topology_when_labels_change() {
    let caches = Caches::default();
    let unavailable = ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason: Reason::TopologyUnavailable,
        message: String::new(),
    };
    let mut waiting = set("demo").build();
    let status = waiting.status.get_or_insert_default();
    conditions::set(
        &mut status.conditions,
        unavailable,
        None,
        Timestamp::UNIX_EPOCH,
    );
    caches.of::<PodCliqueSet>().apply(waiting);
    caches.of::<PodCliqueSet>().apply(set("other").build());
    let change = |old: Option<&str>, new: Option<&str>| Change {
        old: old.map(labelled_node),
        new: new.map(labelled_node),
    };
    let triggered = vec![(SETS, Key::new("default", "demo"))];
    for important in [
        change(Some("r0"), Some("r1")),
        change(None, Some("r0")),
        change(Some("r0"), None),
    ] {
        assert_eq!(triggered_by(&important, &caches), triggered);
    }
    let same = change(Some("r0"), Some("r0"));
    assert_eq!(triggered_by(&same, &caches), []);
}

/// A gang for whose pods a scheduler finds no node.
fn unplaced(name: &str, level: Option<&str>) -> PodGang {
    let mut gang = PodGang {
        metadata: meta(name, "PodCliqueSet", "demo"),
        ..PodGang::default()
    };
    gang.spec.topology_constraint = level.map(|level| GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: Some(level.to_owned()),
            preferred: None,
        }),
    });
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::False,
        reason: Reason::Unschedulable,
        message: String::new(),
    };
    let status = gang.status.get_or_insert_default();
    conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    gang
}

/// Its pods may have to be placed in a topology domain whose only node this is.
#[test]
fn triggers_the_gangs_that_wait_in_a_topology_domain_when_a_node_is_cordoned() {
    let caches = Caches::default();
    caches
        .of::<PodGang>()
        .apply(unplaced("demo-0", Some("rack")));
    caches.of::<PodGang>().apply(unplaced("demo-1", None));
    let mut cordoned = Node::clone(&node(true));
    cordoned.spec.is_cordoned = true;
    let change = Change {
        old: Some(node(true)),
        new: Some(Arc::new(cordoned)),
    };
    let triggered = [(GANGS, Key::new("default", "demo-0"))];
    assert_eq!(triggered_by(&change, &caches), triggered);
}

/// A pod of this set on `node-2`.
fn placed(name: &str) -> Pod {
    let mut pod = Pod {
        metadata: labelled(name, "PodClique", "demo-0-a"),
        ..Pod::default()
    };
    pod.spec.node_name = Some("node-2".into());
    pod
}

/// A pod may be pinned to the domain by its earlier name: no node has that any more.
#[test]
fn triggers_the_sets_with_constraints_whose_pods_run_on_a_node_that_gets_other_labels() {
    let caches = Caches::default();
    let mut packed = set("demo").build();
    packed.spec.template.topology_constraint = Some(TopologyConstraint {
        pack: Some(TopologyPack {
            required: "rack".into(),
            ..TopologyPack::default()
        }),
        ..TopologyConstraint::default()
    });
    caches.of::<PodCliqueSet>().apply(packed);
    caches.of::<Pod>().apply(placed("demo-0-a-x"));
    let change = |old: &str, new: &str| Change {
        old: Some(labelled_node(old)),
        new: Some(labelled_node(new)),
    };
    assert_eq!(
        triggered_by(&change("r0", "r1"), &caches),
        [(SETS, Key::new("default", "demo"))]
    );
    assert_eq!(triggered_by(&change("r0", "r0"), &caches), []);
}

/// Condition `TopologyConstraintViolated` and the score follow the labels, of gangs with constraints.
#[test]
fn triggers_the_gangs_that_run_on_a_node_that_gets_other_labels() {
    let caches = Caches::default();
    let running = |name: &str, level: Option<&str>| PodGang {
        status: None,
        ..unplaced(name, level)
    };
    caches
        .of::<PodGang>()
        .apply(running("demo-0", Some("rack")));
    caches.of::<PodGang>().apply(running("demo-0-g-0", None));
    let mut scaled = placed("demo-0-g-1-a-x");
    let all = scaled.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
    all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    caches.of::<Pod>().apply(scaled);
    let change = |new: &str| Change {
        old: Some(labelled_node("r0")),
        new: Some(labelled_node(new)),
    };
    let triggered = [(GANGS, Key::new("default", "demo-0"))];
    assert_eq!(triggered_by(&change("r1"), &caches), triggered);
    assert_eq!(triggered_by(&change("r0"), &caches), []);
}
