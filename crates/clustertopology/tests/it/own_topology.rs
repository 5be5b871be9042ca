//! The Topology that the operator maintains.

use api::kai::MAX_TOPOLOGY_LEVELS;
use domain::plan::Action;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::json;

use super::*;

const RECREATED: &str =
    "delete Topology fabric at version 1: the levels of its ClusterTopologyBinding have changed";

fn going(mut topology: KaiTopology) -> KaiTopology {
    topology.metadata.deletion_timestamp = Some(Time(after(50)));
    topology
}

/// The same name and another uid: the garbage collector deletes it.
fn of_earlier_binding(mut topology: KaiTopology) -> KaiTopology {
    for owner in topology.metadata.owner_references.iter_mut().flatten() {
        "uid-earlier".clone_into(&mut owner.uid);
    }
    topology
}

/// What exists, the writes, and the report about it; an empty report is in sync.
#[rstest]
#[case::none(&["zone", "rack"], vec![], &["create Topology fabric"],
    "KAI Topology \"fabric\" does not exist yet")]
#[case::the_same(&["zone", "rack"], vec![own(&["zone", "rack"])], &[], "")]
#[case::another_level(&["zone", "rack"], vec![own(&["zone", "host"])], &[RECREATED],
    "levels differ: zone,rack here, zone,kubernetes.io/hostname there")]
#[case::another_order(&["zone", "rack"], vec![own(&["rack", "zone"])], &[RECREATED],
    "levels differ: zone,rack here, rack,zone there")]
#[case::one_more(&["zone", "rack", "host"], vec![own(&["zone", "rack"])], &[RECREATED],
    "levels differ: zone,rack,host here, zone,rack there")]
#[case::going(&["zone"], vec![going(own(&["rack"]))], &[],
    "KAI Topology \"fabric\" is being deleted; it is recreated once it is gone")]
#[case::going_with_the_same_levels(&["zone"], vec![going(own(&["zone"]))], &[],
    "KAI Topology \"fabric\" is being deleted; it is recreated once it is gone")]
#[case::foreign(&["zone"], vec![topology("fabric", &["zone"])], &[],
    "Topology \"fabric\" is not owned by ClusterTopologyBinding \"fabric\": delete it, or name it \
     in schedulerTopologyBindings")]
#[case::of_an_earlier_binding(&["zone"], vec![of_earlier_binding(own(&["zone"]))], &[],
    "Topology \"fabric\" is not owned by ClusterTopologyBinding \"fabric\": delete it, or name it \
     in schedulerTopologyBindings")]
#[case::hostname_first(&["host", "zone"], vec![], &[],
    "KAI Scheduler takes kubernetes.io/hostname in the last level only: move that level to the end \
     of spec.levels")]
#[case::hostname_first_beside_earlier_levels(&["host", "zone"], vec![own(&["zone"])], &[],
    "KAI Scheduler takes kubernetes.io/hostname in the last level only: move that level to the end \
     of spec.levels")]
#[case::hostname_last(&["zone", "host"], vec![own(&["zone", "host"])], &[], "")]
#[case::twice(&["zone", "rack", "zone"], vec![], &[],
    "KAI Scheduler takes each node label once, and spec.levels has example.com/zone twice: remove \
     one of the two levels")]
#[case::no_level(&[], vec![], &[],
    "KAI Scheduler needs at least one level: add it to spec.levels")]
#[case::another_name(&["zone"], vec![topology("other", &["zone"])], &["create Topology fabric"],
    "KAI Topology \"fabric\" does not exist yet")]
fn follows_the_levels(
    #[case] domains: &[&str],
    #[case] existing: Vec<KaiTopology>,
    #[case] expected: &[&str],
    #[case] report: &str,
) {
    let generation = existing
        .iter()
        .find(|topology| topology.metadata.name.as_deref() == Some("fabric"))
        .map_or(0, |_| 2);
    let snapshot = snapshot(binding(domains), existing);
    assert_eq!(writes(&snapshot), expected);
    let judged = judged(&snapshot);
    assert_eq!(
        (judged.scheduler_name.as_str(), judged.in_sync),
        (KAI, report.is_empty())
    );
    assert_eq!(judged.topology_reference, "fabric");
    assert_eq!(
        judged.scheduler_backend_topology_observed_generation,
        generation
    );
    assert!(judged.message.starts_with(report), "{}", judged.message);
    assert_eq!(judged.message.is_empty(), report.is_empty());
}

#[test]
fn more_levels_than_kai_takes_are_reported() {
    let names: Vec<String> = (0..=MAX_TOPOLOGY_LEVELS).map(|i| format!("l{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let most = snapshot(binding(&names[1..]), vec![]);
    assert_eq!(writes(&most), ["create Topology fabric"]);
    let more = snapshot(binding(&names), vec![]);
    assert_eq!(writes(&more), Vec::<String>::new());
    let message = judged(&more).message;
    assert!(
        message.starts_with("KAI Scheduler takes at most 16 levels, and spec.levels has 17"),
        "{message}"
    );
}

/// As the Go operator writes it, so both take over from each other without a write.
#[test]
fn has_the_labels_of_the_levels_and_goes_with_its_binding() {
    let plan = plan(&snapshot(binding(&["zone", "rack"]), vec![]));
    let created = match &plan.waves[0][0] {
        Action::Create(object) => object.get::<KaiTopology>().unwrap().clone(),
        other => panic!("{other}"),
    };
    let created = serde_json::to_value(&created).unwrap();
    let expected = json!({
        "apiVersion": "kai.scheduler/v1alpha1",
        "kind": "Topology",
        "metadata": {
            "name": "fabric",
            "ownerReferences": [{
                "apiVersion": "grove.io/v1alpha1",
                "kind": "ClusterTopologyBinding",
                "name": "fabric",
                "uid": "uid-fabric",
                "controller": true,
                "blockOwnerDeletion": true,
            }],
        },
        "spec": {"levels": [
            {"nodeLabel": "example.com/zone"},
            {"nodeLabel": "example.com/rack"},
        ]},
    });
    assert_eq!(created, expected);
}

/// Exactly the seen object is deleted, and its successor waits until it is observed to be gone.
#[test]
fn is_recreated_in_steps_that_may_be_repeated() {
    let wanted = binding(&["zone"]);
    let different = snapshot(wanted.clone(), vec![own(&["rack"])]);
    let Action::Delete {
        target,
        resource_version,
        ..
    } = plan(&different).waves[0][0].clone()
    else {
        panic!("{:?}", writes(&different));
    };
    assert_eq!(
        (target.uid.as_str(), &*target.key.namespace),
        ("uid-fabric", "")
    );
    assert_eq!(resource_version.as_deref(), Some("1"));
    let deleted = snapshot(wanted.clone(), vec![going(own(&["rack"]))]);
    assert!(plan(&deleted).writes_nothing());
    let gone = snapshot(wanted.clone(), vec![]);
    assert_eq!(writes(&gone), ["create Topology fabric"]);
    assert!(plan(&snapshot(wanted, vec![own(&["zone"])])).writes_nothing());
}

#[test]
fn nothing_is_written_without_kai_scheduler() {
    let mut unserved = snapshot(binding(&["zone"]), vec![]);
    unserved.is_served = false;
    assert!(plan(&unserved).writes_nothing());
    let judged = judged(&unserved);
    let words = "topologies.kai.scheduler is not served by this cluster, or may not be read";
    assert!(!judged.in_sync && judged.message.starts_with(words));

    let mut unknown = snapshot(binding(&["zone"]), vec![]);
    unknown.schedulers.clear();
    assert!(plan(&unknown).writes_nothing());
    let status = status(&unknown);
    assert_eq!(status.observed_generation, Some(1));
    assert_eq!(
        (status.conditions, status.scheduler_topology_statuses),
        (vec![], vec![])
    );
}

#[test]
fn a_binding_that_is_being_deleted_writes_nothing() {
    let mut going = binding(&["zone"]);
    going.metadata.deletion_timestamp = Some(Time(after(50)));
    let plan = plan(&snapshot(going, vec![]));
    assert_eq!(plan, Plan::default());
}

/// One Topology serves all names by which pods ask for KAI Scheduler.
#[test]
fn two_profiles_have_the_same_topology() {
    let mut two = snapshot(binding(&["zone"]), vec![]);
    two.schedulers = vec!["kai-scheduler".to_owned(), "kai-tree".to_owned()];
    assert_eq!(writes(&two), ["create Topology fabric"]);
    let all = status(&two).scheduler_topology_statuses;
    let all: Vec<(&str, &str)> = all
        .iter()
        .map(|judged| (&*judged.scheduler_name, &*judged.topology_reference))
        .collect();
    assert_eq!(all, [("kai-scheduler", "fabric"), ("kai-tree", "fabric")]);
}
