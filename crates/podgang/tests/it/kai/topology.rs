//! Topology constraints in the PodGroup.

use std::sync::Arc;

use api::kai::{KaiPodGroup, KaiTopology, KaiTopologyLevel};
use api::{PodClique, PodCliqueScalingGroup, PodGang, labels};
use domain::Pod;
use domain::object::ownership::controller_reference;
use domain::plan::Action;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podgang::Snapshot;
use podgang::backend::{FoundGroup, SchedulerObjects};
use podgang::decide::decide;
use podgang::observe::observe;
use serde_json::{Value, json};
use testkit::builders::{pod, podclique, stored};

use super::{SCHEDULER, actions, gang, written};
use crate::actions::{gang_of, only};
use crate::constraints::{constraint, note_topology, of_group_replica, part};

/// One zone and if possible one rack for all, one rack for the leader and the workers, if possible
/// one host for the workers.
fn constrained() -> PodGang {
    let mut gang = gang(&[("router", 1), ("g-0-leader", 1), ("g-0-worker", 3)]);
    note_topology(&mut gang);
    gang.spec.topology_constraint = constraint("zone/rack");
    let members = ["demo-0-g-0-leader", "demo-0-g-0-worker"];
    let group_replica = of_group_replica("demo-0-g-0", "rack", &members);
    gang.spec.topology_constraint_group_configs = vec![group_replica];
    gang.spec.pod_groups[2].topology_constraint = constraint("/host");
    gang
}

pub(super) fn spec(group: &KaiPodGroup) -> (Value, Value) {
    let spec = serde_json::to_value(&group.spec).unwrap();
    (
        spec["topologyConstraint"].clone(),
        spec["subGroups"].clone(),
    )
}

fn noted(group: &KaiPodGroup) -> &str {
    &group.metadata.annotations.as_ref().unwrap()[labels::FIELDS_WRITTEN]
}

/// The PodGroup as stored, with these values.
fn with_constraints(group: &KaiPodGroup, of_gang: Value, of_first: Value) -> KaiPodGroup {
    let mut value = serde_json::to_value(group).unwrap();
    value["spec"]["topologyConstraint"] = of_gang;
    value["spec"]["subGroups"][0]["topologyConstraint"] = of_first;
    serde_json::from_value(value).unwrap()
}

fn annotate(gang: &mut PodGang, pairs: &[(&str, &str)]) {
    let annotations = gang.metadata.annotations.get_or_insert_default();
    let pairs = pairs.iter();
    annotations.extend(pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
}

/// Reason and message of condition `SchedulingFeatureUnsupported`.
fn unsupported(gang: &PodGang, group: Option<&KaiPodGroup>) -> Option<String> {
    let snapshot = Snapshot {
        gang: Arc::new(gang.clone()),
        scheduler_objects: SchedulerObjects::Kai(FoundGroup {
            group: group.cloned().map(Arc::new),
            is_served: true,
        }),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    let mut conditions = plan.status.unwrap().conditions.into_iter();
    let found = conditions.find(|c| c.type_ == "SchedulingFeatureUnsupported");
    found.map(|c| format!("{}: {}", c.reason, c.message))
}

#[test]
fn each_level_of_a_gang_has_its_constraint() {
    let gang = constrained();
    let created = written(&actions(&gang, None));
    let (of_gang, subgroups) = spec(&created);
    let expected = json!({
        "topology": "fabric",
        "requiredTopologyLevel": "zone",
        "preferredTopologyLevel": "rack",
    });
    assert_eq!(of_gang, expected);
    let expected = json!([
        {
            "name": "demo-0-g-0",
            "topologyConstraint": {"topology": "fabric", "requiredTopologyLevel": "rack"},
        },
        {"name": "demo-0-router", "minMember": 1},
        {"name": "demo-0-g-0-leader", "parent": "demo-0-g-0", "minMember": 1},
        {
            "name": "demo-0-g-0-worker",
            "parent": "demo-0-g-0",
            "minMember": 3,
            "topologyConstraint": {"topology": "fabric", "preferredTopologyLevel": "host"},
        },
    ]);
    assert_eq!(subgroups, expected);
    let fields = "stalenessGracePeriod,topologyConstraint,subGroups.topologyConstraint";
    assert_eq!(noted(&created), fields);
    assert_eq!(actions(&gang, Some(&created)), [], "it is written once");
}

/// Its gang starts again without them.
#[test]
fn own_constraints_are_removed_when_the_gang_has_none_any_more() {
    let created = written(&actions(&constrained(), None));
    let plain = gang(&[("router", 1), ("g-0-leader", 1), ("g-0-worker", 3)]);
    let next = written(&actions(&plain, Some(&created)));
    assert_eq!(next.spec, written(&actions(&plain, None)).spec);
    assert_eq!(noted(&next), "stalenessGracePeriod");
    assert_eq!(actions(&plain, Some(&next)), []);
}

#[test]
fn constraints_of_another_writer_stay_beside_none_and_go_beside_own_ones() {
    let plain = gang(&[("router", 1), ("g-0-leader", 1), ("g-0-worker", 3)]);
    let foreign = json!({"topology": "other", "requiredTopologyLevel": "row"});
    let created = written(&actions(&plain, None));
    let found = with_constraints(&created, foreign.clone(), foreign);
    assert_eq!(actions(&plain, Some(&found)), []);
    let next = written(&actions(&constrained(), Some(&found)));
    let expected = written(&actions(&constrained(), None));
    assert_eq!(spec(&next), spec(&expected));
    assert_eq!(actions(&constrained(), Some(&next)), []);
    // KAI writes an empty constraint where there is none.
    let found = with_constraints(&created, json!({}), Value::Null);
    assert_eq!(actions(&plain, Some(&found)), []);
}

#[test]
fn constraints_of_a_gang_that_names_no_topology_are_left_out() {
    let mut foreign = constrained();
    foreign.metadata.annotations = None;
    let mut plain = foreign.clone();
    plain.spec.topology_constraint = None;
    plain.spec.topology_constraint_group_configs.clear();
    plain.spec.pod_groups[2].topology_constraint = None;
    assert_eq!(actions(&foreign, None), actions(&plain, None));
}

#[test]
fn annotations_beside_own_constraints_are_refused_by_name() {
    let mut gang = constrained();
    annotate(
        &mut gang,
        &[
            ("kai.scheduler/topology", "other"),
            ("kai.scheduler/topology-required-placement", "row"),
        ],
    );
    let created = written(&actions(&gang, None));
    assert_eq!(created.spec, written(&actions(&constrained(), None)).spec);
    let expected = "KeyNotUsed: annotation kai.scheduler/topology: other has no effect beside a \
                    topologyConstraint of the template; remove it from the set; annotation \
                    kai.scheduler/topology-required-placement: row has no effect beside a \
                    topologyConstraint of the template; remove it from the set";
    assert_eq!(unsupported(&gang, None).as_deref(), Some(expected));
    assert_eq!(unsupported(&constrained(), None), None);
}

#[test]
fn the_constraint_of_annotations_is_removed_with_them() {
    let plain = gang(&[("worker", 3)]);
    let mut asked = plain.clone();
    annotate(
        &mut asked,
        &[
            ("kai.scheduler/topology", "fabric"),
            ("kai.scheduler/topology-required-placement", "zone"),
        ],
    );
    let created = written(&actions(&asked, None));
    assert_eq!(noted(&created), "stalenessGracePeriod,topologyConstraint");
    let next = written(&actions(&plain, Some(&created)));
    assert_eq!(next.spec.topology_constraint, None);
    assert_eq!(actions(&plain, Some(&next)), []);
    // An earlier release wrote it and noted nothing.
    let mut earlier = created;
    earlier.metadata.annotations = next.metadata.annotations;
    assert_eq!(actions(&plain, Some(&earlier)), []);
    let noting = written(&actions(&asked, Some(&earlier)));
    assert_eq!(noting.spec, earlier.spec);
    assert_eq!(noted(&noting), "stalenessGracePeriod,topologyConstraint");
}

/// Repeated writes would have no effect.
#[test]
fn constraints_that_an_old_definition_drops_are_reported() {
    let gang = constrained();
    let created = written(&actions(&gang, None));
    let mut stored = created.clone();
    for node in &mut stored.spec.sub_groups {
        node.topology_constraint = None;
    }
    assert_eq!(actions(&gang, Some(&stored)), []);
    let message = unsupported(&gang, Some(&stored)).unwrap();
    let expected = "FieldsNotServed: the cluster's definition of podgroups.scheduling.run.ai \
                    lacks subGroups.topologyConstraint: ";
    assert!(message.starts_with(expected), "{message}");
}

/// KAI's topology object, with these levels.
pub(super) fn fabric(levels: &[&str]) -> KaiTopology {
    let level = |key: &&str| KaiTopologyLevel {
        node_label: (*key).to_owned(),
        ..KaiTopologyLevel::default()
    };
    let mut topology = KaiTopology {
        metadata: ObjectMeta {
            namespace: None,
            ..stored("fabric")
        },
        ..KaiTopology::default()
    };
    topology.spec.levels = levels.iter().map(level).collect();
    topology
}

/// A base gang with one rack for all, whose topology in KAI has these levels.
fn lost(levels: &[&str], is_bound: bool) -> Vec<Action> {
    let caches = Caches::default();
    let clique = PodClique::clone(&podclique("demo-0-w").build());
    let marks = [
        (
            "kai.scheduler/skip-podgrouper".to_owned(),
            "true".to_owned(),
        ),
        ("pod-group-name".to_owned(), "x".to_owned()),
    ];
    let made = pod(&clique, 0).ungated().with(|p| {
        p.metadata.annotations = Some(marks.into());
        p.spec.scheduler_name = Some(SCHEDULER.into());
        let all = p.metadata.labels.get_or_insert_default();
        all.insert(labels::KAI_SUBGROUP.into(), "demo-0-w".into());
    });
    let made = if is_bound { made.bound() } else { made }.build();
    let mut gang = gang_of(SCHEDULER, &[("w", 1)]);
    note_topology(&mut gang);
    gang.spec.topology_constraint = constraint("rack/host");
    gang.spec.pod_groups[0].pod_references = vec![api::podgang::NamespacedName {
        namespace: "default".into(),
        name: made.name().into(),
    }];
    caches.of::<PodClique>().apply(clique);
    caches.of::<Pod>().apply(Pod::clone(&made));
    caches.of::<KaiTopology>().apply(fabric(levels));
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiScheduler)]);
    let seen = observe(&Arc::new(gang), &caches, &profiles);
    let plan = decide(&seen, Timestamp::UNIX_EPOCH);
    plan.waves.into_iter().flatten().collect()
}

/// KAI would place no pod of a gang that names a level which is gone; node selectors keep the pods
/// of a running gang in their domain. A preferred level is never worth a wait.
#[test]
fn a_gang_does_without_the_levels_that_kai_does_not_know_where_it_may() {
    let rack_and_host = json!({
        "topology": "fabric",
        "requiredTopologyLevel": "rack",
        "preferredTopologyLevel": "host",
    });
    let rack = json!({"topology": "fabric", "requiredTopologyLevel": "rack"});
    let host = json!({"topology": "fabric", "preferredTopologyLevel": "host"});
    let cases = [
        (vec!["zone", "rack", "host"], true, rack_and_host.clone()),
        (vec!["zone", "row", "host"], false, rack_and_host),
        (vec!["zone", "rack"], false, rack),
        (vec!["zone", "row", "host"], true, host),
        (vec!["zone"], true, Value::Null),
    ];
    for (levels, is_bound, expected) in cases {
        let (of_gang, _) = spec(&only(&lost(&levels, is_bound)));
        assert_eq!(of_gang, expected, "{levels:?} {is_bound}");
    }
}

/// A base gang, and a scaled gang with one rack, whose group asks for one replica, which has nodes.
fn replica() -> Caches {
    let caches = Caches::default();
    let mut group = PodCliqueScalingGroup {
        metadata: ObjectMeta {
            labels: Some(labels::default_labels("demo")),
            ..stored("demo-0-g")
        },
        ..PodCliqueScalingGroup::default()
    };
    group.spec.min_available = Some(1);
    for (j, gang) in [(0, "demo-0"), (1, "demo-0-g-0")] {
        let name = format!("demo-0-g-{j}-w");
        let mut clique = PodClique::clone(&podclique(&name).build());
        clique.metadata.owner_references = Some(vec![controller_reference(&group)]);
        let all = clique.metadata.labels.get_or_insert_default();
        all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
        all.insert(labels::POD_GANG.into(), gang.into());
        if j > 0 {
            all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
        } else {
            let bound = pod(&clique, 0).bound().with(|p| {
                let marks = ["kai.scheduler/skip-podgrouper", "pod-group-name"];
                let marks = marks.map(|key| (key.to_owned(), "x".to_owned()));
                p.metadata.annotations = Some(marks.into());
                let all = p.metadata.labels.get_or_insert_default();
                all.insert(labels::KAI_SUBGROUP.into(), "demo-0-g-00000-w".into());
            });
            caches.of::<Pod>().apply(Pod::clone(&bound.build()));
        }
        caches.of::<PodClique>().apply(clique);
    }
    let mut scaled = PodGang {
        metadata: stored("demo-0-g-0"),
        ..PodGang::default()
    };
    note_topology(&mut scaled);
    scaled.spec.topology_constraint = constraint("rack");
    scaled.spec.pod_groups = vec![part("demo-0-g-1-w", "/host")];
    caches.of::<PodCliqueScalingGroup>().apply(group);
    caches.of::<PodGang>().apply(scaled);
    let levels = ["zone", "rack", "host"];
    caches.of::<KaiTopology>().apply(fabric(&levels));
    caches
}

/// That of all replicas of a group is at the group's node.
#[test]
fn a_tree_has_the_constraint_of_all_replicas_at_their_group() {
    let caches = replica();
    let mut base = gang_of(SCHEDULER, &[]);
    note_topology(&mut base);
    base.spec.pod_groups = vec![part("demo-0-g-0-w", "")];
    let of_group = of_group_replica("demo-0-g", "zone", &["demo-0-g-0-w"]);
    base.spec.scaling_group_topology_constraints = vec![of_group];
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiTree)]);
    let seen = observe(&Arc::new(base), &caches, &profiles);
    let plan = decide(&seen, Timestamp::UNIX_EPOCH);
    let all: Vec<Action> = plan.waves.into_iter().flatten().collect();
    let (of_gang, subgroups) = spec(&only(&all));
    assert_eq!(of_gang, Value::Null);
    let first = &subgroups.as_array().unwrap()[0];
    assert_eq!(first["name"], "demo-0-g");
    let zone = json!({"topology": "fabric", "requiredTopologyLevel": "zone"});
    assert_eq!(first["topologyConstraint"], zone);
}

/// The scaled gang has the constraint of its group at its node, the base gang that of the set at
/// the root.
#[test]
fn a_tree_has_the_constraints_of_all_its_gangs() {
    let caches = replica();
    let mut base = gang_of(SCHEDULER, &[]);
    note_topology(&mut base);
    base.spec.topology_constraint = constraint("zone");
    base.spec.pod_groups = vec![part("demo-0-g-0-w", "")];
    let group_replica = of_group_replica("demo-0-g-0", "rack", &["demo-0-g-0-w"]);
    base.spec.topology_constraint_group_configs = vec![group_replica];
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiTree)]);
    let seen = observe(&Arc::new(base), &caches, &profiles);
    let plan = decide(&seen, Timestamp::UNIX_EPOCH);
    let all: Vec<Action> = plan.waves.into_iter().flatten().collect();
    let (of_gang, subgroups) = spec(&only(&all));
    let fabric = |field: &str, key: &str| json!({"topology": "fabric", field: key});
    assert_eq!(of_gang, fabric("requiredTopologyLevel", "zone"));
    let found: Vec<(&str, &Value)> = subgroups
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["name"].as_str().unwrap(), &node["topologyConstraint"]))
        .collect();
    let rack = fabric("requiredTopologyLevel", "rack");
    let host = fabric("preferredTopologyLevel", "host");
    let expected = [
        ("demo-0-g", &Value::Null),
        ("demo-0-g-00000", &rack),
        ("demo-0-g-00000-w", &Value::Null),
        ("demo-0-g-00001", &rack),
        ("demo-0-g-00001-w", &host),
    ];
    assert_eq!(found, expected);
}
