//! The state of the node decides how long the operator waits for a pod that hangs in Terminating.

use domain::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::*;

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
