//! Quota of gangs in queues: its changes trigger the PodGang controller and the PodCliques that read them.

use api::PodGangStatus;
use api::kueue::{KueueWorkload, ResourceFlavor, keys};
use api::podgang::{GangQuota, GangTopologyConstraint, PackConstraint, QuotaGrant};
use domain::Node;

use super::*;

const GANGS: ControllerName = ControllerName("podgang");

fn gang(name: &str, status: Option<PodGangStatus>) -> PodGang {
    let mut metadata = labelled(name, "PodCliqueSet", "demo");
    let all = metadata.labels.get_or_insert_default();
    all.insert(keys::QUEUE.into(), "team-a".into());
    let mut gang = PodGang {
        metadata,
        status,
        ..PodGang::default()
    };
    gang.spec.pod_groups = vec![PodGroup {
        name: "demo-0-a".into(),
        ..PodGroup::default()
    }];
    gang
}

fn quota(is_reserved: bool, round: i64) -> PodGangStatus {
    let mut status = PodGangStatus {
        quota: Some(GangQuota {
            round,
            ..GangQuota::default()
        }),
        ..PodGangStatus::default()
    };
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::from(is_reserved),
        reason: Reason::WaitingForQuota,
        message: String::new(),
    };
    let now = Timestamp::UNIX_EPOCH;
    conditions::set(&mut status.conditions, condition, None, now);
    status
}

/// A set with a base gang, and a scaled gang.
fn caches() -> Caches {
    let caches = terminated_once();
    caches.of::<PodGang>().apply(gang("demo-0", None));
    caches.of::<PodGang>().apply(gang("demo-0-g-0", None));
    caches
}

fn names(found: &[(ControllerName, Key)], controller: ControllerName) -> Vec<&str> {
    let of_controller = found.iter().filter(|(by, _)| *by == controller);
    of_controller.map(|(_, key)| &*key.name).collect()
}

#[test]
fn the_quota_of_a_gang_triggers_its_podcliques_and_scaled_gangs() {
    let change = Change {
        old: Some(Arc::new(gang("demo-0", Some(quota(true, 0))))),
        new: Some(Arc::new(gang("demo-0", Some(quota(false, 1))))),
    };
    let found = triggered_by(&change, &caches());
    assert!(names(&found, PODCLIQUES).contains(&"demo-0-a"), "{found:?}");
    assert!(names(&found, GANGS).contains(&"demo-0-g-0"), "{found:?}");
    assert!(names(&found, SETS).contains(&"demo"), "{found:?}");
}

/// A pod of the base gang, on this node.
fn pod_on(node: Option<&str>) -> Arc<Pod> {
    let mut pod = Pod {
        metadata: labelled("demo-0-a-x", "PodClique", "demo-0-a"),
        ..Pod::default()
    };
    pod.spec.node_name = node.map(str::to_owned);
    Arc::new(pod)
}

/// A base gang whose pods share a zone, and a scaled gang without a constraint of its own that asks for quota.
fn asking_beside_a_domain() -> Caches {
    let caches = terminated_once();
    let mut base = gang("demo-0", Some(quota(true, 0)));
    let pack = PackConstraint {
        required: Some("zone".to_owned()),
        ..PackConstraint::default()
    };
    base.spec.topology_constraint = Some(GangTopologyConstraint {
        pack_constraint: Some(pack),
    });
    caches.of::<PodGang>().apply(base);
    let waiting = gang("demo-0-g-0", Some(quota(false, 0)));
    caches.of::<PodGang>().apply(waiting);
    caches
}

/// Their requests name the nodes of its domain.
#[test]
fn a_pod_that_fixes_a_domain_triggers_the_gangs_that_ask_for_quota() {
    let change = Change {
        old: Some(pod_on(None)),
        new: Some(pod_on(Some("node-1"))),
    };
    let found = triggered_by(&change, &asking_beside_a_domain());
    assert!(names(&found, GANGS).contains(&"demo-0-g-0"), "{found:?}");
}

/// The pod was bound before its node was known.
#[test]
fn a_node_that_shows_a_domain_triggers_the_gangs_that_ask_for_quota() {
    let mut node = Node::default();
    node.metadata.name = Some("node-1".to_owned());
    let change = Change {
        old: None,
        new: Some(Arc::new(node)),
    };
    let found = triggered_by(&change, &asking_beside_a_domain());
    assert!(names(&found, GANGS).contains(&"demo-0-g-0"), "{found:?}");
}

/// Pods that lack quota report the words.
#[test]
fn other_words_about_its_quota_trigger_its_podcliques() {
    let mut status = quota(true, 0);
    for condition in &mut status.conditions {
        condition.message = "Workload demo-0.x1 waits".to_owned();
    }
    let change = Change {
        old: Some(Arc::new(gang("demo-0", Some(quota(true, 0))))),
        new: Some(Arc::new(gang("demo-0", Some(status)))),
    };
    let found = triggered_by(&change, &caches());
    assert!(names(&found, PODCLIQUES).contains(&"demo-0-a"), "{found:?}");
}

/// It is not in the list yet. Where the scheduler waits for gates it creates pods once they have quota.
#[test]
fn quota_and_the_words_about_it_trigger_a_podclique_that_is_to_join() {
    let caches = Caches::default();
    let joined = set("demo").clique("a", |c| c).clique("b", |c| c).build();
    caches.of::<PodCliqueSet>().apply(joined);
    let joining = podclique_of_attempt("demo-0-b", 0);
    caches.of::<PodClique>().apply(joining);
    let with = |status: PodGangStatus| Some(Arc::new(gang("demo-0", Some(status))));
    let triggers = |new: PodGangStatus| {
        let change = Change {
            old: with(quota(true, 0)),
            new: with(new),
        };
        names(&triggered_by(&change, &caches), PODCLIQUES).contains(&"demo-0-b")
    };
    assert!(!triggers(quota(true, 0)), "nothing has changed");
    let mut granted = quota(true, 0);
    granted.quota = Some(GangQuota {
        round: 0,
        grants: vec![QuotaGrant::default()],
    });
    assert!(triggers(granted));
    let mut waiting = quota(true, 0);
    for condition in &mut waiting.conditions {
        condition.message = "Workload demo-0.x1 waits".to_owned();
    }
    assert!(triggers(waiting));
}

#[test]
fn a_workload_triggers_its_gang() {
    let workload = KueueWorkload {
        metadata: ObjectMeta {
            owner_references: Some(vec![OwnerReference {
                api_version: "scheduler.grove.io/v1alpha1".into(),
                kind: "PodGang".into(),
                name: "demo-0".into(),
                uid: "uid-demo-0".into(),
                controller: Some(true),
                ..OwnerReference::default()
            }]),
            ..meta("demo-0", "PodGang", "demo-0")
        },
        ..KueueWorkload::default()
    };
    let found = triggered_by(&gone(workload), &caches());
    assert_eq!(names(&found, GANGS), ["demo-0"]);
}

#[test]
fn a_flavor_triggers_the_gangs_in_queues() {
    let flavor = ResourceFlavor {
        metadata: ObjectMeta {
            name: Some("h100".into()),
            ..ObjectMeta::default()
        },
        ..ResourceFlavor::default()
    };
    let found = triggered_by(&gone(flavor), &caches());
    let mut gangs = names(&found, GANGS);
    gangs.sort_unstable();
    assert_eq!(gangs, ["demo-0", "demo-0-g-0"]);
}
