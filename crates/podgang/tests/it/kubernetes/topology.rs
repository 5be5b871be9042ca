//! Topology domains that pods have to share.

use std::sync::Arc;

use api::podgang::TopologyConstraintGroupConfig;
use podgang::backend::kubernetes::Facts;
use podgang::backend::topology::Topology;
use rstest::rstest;
use testkit::builders::stored;

use super::settled::{carry_out, describe_composite, describe_group, plan, settle, unsupported};
use super::{cluster, tree};
use crate::actions::gang_of;
use crate::constraints::{constraint, note_topology, of_group_replica, part};

/// The constraints of gang `demo-0`: of all pods, of group replicas, of PodCliques.
fn topology(
    of_gang: &str,
    group_replicas: Vec<TopologyConstraintGroupConfig>,
    podcliques: &[(&str, &str)],
) -> Topology {
    let mut gang = gang_of("default-scheduler", &[]);
    note_topology(&mut gang);
    gang.spec.topology_constraint = constraint(of_gang);
    gang.spec.topology_constraint_group_configs = group_replicas;
    let parts = podcliques.iter().map(|(name, text)| part(name, text));
    gang.spec.pod_groups = parts.collect();
    Topology::of(&gang)
}

/// One zone for all, one rack for the leader and the workers, one host for the workers.
fn nested() -> Topology {
    let members = ["demo-0-g-0-l", "demo-0-g-0-w"];
    let group_replica = of_group_replica("demo-0-g-0", "rack", &members);
    topology("zone", vec![group_replica], &[("demo-0-g-0-w", "host")])
}

/// A router, a leader and its workers, that have these constraints.
fn instance() -> Facts {
    let members = [
        ("r", "demo-0-r", 1),
        ("g-0-l", "demo-0-g-0-l", 1),
        ("g-0-w", "demo-0-g-0-w", 3),
    ];
    Facts {
        topology: nested(),
        ..cluster(&members)
    }
}

const STARTED: [&str; 5] = [
    "PodGroup demo-0-g-0-l: 1 pods in demo-0-g-0.instance",
    "PodGroup demo-0-g-0-w: 3 pods in demo-0-g-0.instance, one host",
    "PodGroup demo-0-r: 1 pods in demo-0.groups",
    "CompositePodGroup demo-0-g-0.instance: 2 groups in demo-0.groups, one rack",
    "CompositePodGroup demo-0.groups: 2 groups, one zone",
];

#[test]
fn each_level_of_a_gang_has_the_domain_of_its_constraint() {
    let mut facts = instance();
    let written = settle(&mut facts);
    assert_eq!(written[0], "create Workload demo-0");
    assert_eq!(written[1..], STARTED);
    let templates = |name: &str| {
        let group = &facts.groups[name].spec.workload_ref;
        group.as_ref().unwrap().template_name.clone()
    };
    assert_eq!(templates("demo-0-g-0-w"), "instance-pods");
    assert_eq!(templates("demo-0-r"), "pods");
    let composite = |name: &str| {
        facts.composites[name]
            .spec
            .workload_ref
            .template_name
            .clone()
    };
    assert_eq!(composite("demo-0-g-0.instance"), "instance");
    assert_eq!(composite("demo-0.groups"), "gang");
    let workload = &facts.workloads["demo-0"].spec;
    let root = &workload.composite_pod_group_templates.as_ref().unwrap()[0];
    let below = root.composite_pod_group_templates.as_ref().unwrap();
    let names: Vec<&str> = below
        .iter()
        .map(|template| template.name.as_str())
        .collect();
    assert_eq!(names, ["scaling-group", "instance"]);
}

/// Without CompositePodGroups above it, it stands for all that it belongs to.
#[rstest]
#[case::of_the_set("zone", "", "", "zone")]
#[case::of_the_group("zone", "rack", "", "rack")]
#[case::of_the_clique("zone", "rack", "host", "host")]
#[case::the_outer_one_is_narrower("host", "", "rack", "host")]
fn a_gang_of_one_pod_group_has_the_narrowest_domain(
    #[case] of_set: &str,
    #[case] of_group: &str,
    #[case] of_clique: &str,
    #[case] expected: &str,
) {
    let group_replica = of_group_replica("demo-0-g-0", of_group, &["demo-0-g-0-w"]);
    let mut facts = cluster(&[("g-0-w", "demo-0-g-0-w", 2)]);
    let podcliques = [("demo-0-g-0-w", of_clique)];
    facts.topology = topology(of_set, vec![group_replica], &podcliques);
    let expected = format!("PodGroup demo-0-g-0-w: 2 pods, one {expected}");
    assert_eq!(settle(&mut facts), [expected]);
}

#[test]
fn podcliques_that_share_a_pod_group_have_the_domain_of_the_gang() {
    let mut facts = cluster(&[("a", "demo-0", 1), ("b", "demo-0", 2)]);
    facts.topology = topology("zone", vec![], &[]);
    assert_eq!(settle(&mut facts), ["PodGroup demo-0: 3 pods, one zone"]);
}

/// The set lists the pods beyond the minimum once the domain is chosen, that is, once a pod has a
/// node. Where it lists all of them at once, they must not count for pods of the others.
#[test]
fn pods_that_are_not_listed_yet_are_not_waited_for() {
    let mut facts = cluster(&[("a", "demo-0", 1), ("b", "demo-0", 3)]);
    facts.topology = topology("zone", vec![], &[]);
    assert_eq!(settle(&mut facts), ["PodGroup demo-0: 4 pods, one zone"]);
    facts.members[1].pods = 5;
    assert!(settle(&mut facts).is_empty());
    facts.members[1].listed = 5;
    assert_eq!(settle(&mut facts), ["demo-0 needs 6 pods now"]);
}

/// Kubernetes knows none; the affinity of pods says them.
#[test]
fn preferred_domains_are_not_written() {
    let mut facts = instance();
    let preferred = of_group_replica("demo-0-g-0", "/rack", &["demo-0-g-0-l", "demo-0-g-0-w"]);
    facts.topology = topology("/zone", vec![preferred], &[("demo-0-g-0-w", "/host")]);
    let mut plain = Facts {
        topology: Topology::default(),
        ..instance()
    };
    assert_eq!(settle(&mut facts), settle(&mut plain));
    assert_eq!(facts.groups, plain.groups);
    assert_eq!(facts.composites, plain.composites);
    assert_eq!(facts.workloads, plain.workloads);
}

/// The operator ends after each write; the next process continues there.
#[test]
fn a_begun_start_is_completed() {
    let describe = |facts: &Facts| -> Vec<String> {
        let groups = facts.groups.values().map(|group| describe_group(group));
        let composites = facts.composites.values();
        groups
            .chain(composites.map(|composite| describe_composite(composite)))
            .collect()
    };
    for writes in 0..7 {
        let mut facts = instance();
        for _ in 0..writes {
            if let Some(first) = plan(&facts).concat().first() {
                carry_out(&mut facts, first);
            }
        }
        settle(&mut facts);
        assert_eq!(describe(&facts), STARTED, "after {writes}");
    }
}

/// Node selectors hold it in the domain of the others: a parent of the running ones would hinder
/// them.
#[test]
fn a_part_that_joins_has_its_domain_by_itself() {
    let mut facts = instance();
    settle(&mut facts);
    let all = ["l", "w", "x", "y", "z"].map(|clique| format!("demo-0-g-0-{clique}"));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let group_replica = of_group_replica("demo-0-g-0", "rack", &all);
    facts.topology = topology("zone", vec![group_replica], &[("demo-0-g-0-w", "host")]);
    let joined = |clique: &str| {
        let name = format!("g-0-{clique}");
        cluster(&[(&name, &format!("demo-0-{name}"), 1)]).members
    };
    facts.members.extend(joined("x"));
    assert_eq!(
        settle(&mut facts),
        ["PodGroup demo-0-g-0-x: 1 pods, one rack"]
    );
    facts.members.extend(joined("y"));
    facts.members.extend(joined("z"));
    assert_eq!(
        settle(&mut facts),
        [
            "PodGroup demo-0-g-0-y: 1 pods in demo-0-g-0.instance.1",
            "PodGroup demo-0-g-0-z: 1 pods in demo-0-g-0.instance.1",
            "CompositePodGroup demo-0-g-0.instance.1: 2 groups in demo-0.groups.1, one rack",
            "CompositePodGroup demo-0.groups.1: 1 groups, one zone",
        ]
    );
}

#[test]
fn a_part_that_is_gone_is_not_waited_for() {
    let mut facts = instance();
    settle(&mut facts);
    let leader = facts.members.remove(1);
    assert_eq!(
        settle(&mut facts),
        [
            "delete PodGroup demo-0-g-0-l",
            "delete CompositePodGroup demo-0-g-0.instance",
            "CompositePodGroup demo-0-g-0.instance: 1 groups in demo-0.groups, one rack",
        ]
    );
    facts.members.push(leader);
    facts
        .members
        .retain(|member| member.podclique != "demo-0-g-0-w");
    assert_eq!(
        settle(&mut facts),
        [
            "delete PodGroup demo-0-g-0-w",
            "delete CompositePodGroup demo-0-g-0.instance",
            "delete CompositePodGroup demo-0.groups",
            "PodGroup demo-0-g-0-l: 1 pods, one rack",
            "CompositePodGroup demo-0.groups: 1 groups, one zone",
        ]
    );
}

/// The same names come back, so nothing is begun before their previous holders are gone.
#[test]
fn a_start_waits_until_the_previous_groups_are_gone() {
    let mut facts = instance();
    settle(&mut facts);
    facts.groups.clear();
    let mut going = facts.clone();
    going.composites.remove("demo-0.groups");
    let instance = going.composites.get_mut("demo-0-g-0.instance").unwrap();
    Arc::make_mut(instance).metadata.deletion_timestamp = stored("x").creation_timestamp;
    assert!(settle(&mut going).is_empty());
    let written = settle(&mut facts);
    assert_eq!(
        written[..2],
        [
            "delete CompositePodGroup demo-0-g-0.instance",
            "delete CompositePodGroup demo-0.groups",
        ]
    );
    assert_eq!(written[2..], STARTED);
}

/// An earlier release created it, and nothing can be added to it.
#[test]
fn a_workload_without_the_level_is_left_for_another_one() {
    let mut facts = cluster(&[("a", "demo-0-a", 1), ("b", "demo-0-b", 2)]);
    settle(&mut facts);
    let before = facts.workloads.clone();
    let mut facts = Facts {
        workloads: before,
        ..instance()
    };
    assert_eq!(settle(&mut facts)[0], "create Workload demo-0.1");
    let groups = facts.groups.values();
    let of_groups = groups.map(|g| &g.spec.workload_ref.as_ref().unwrap().workload_name);
    let composites = facts.composites.values();
    let of_composites = composites.map(|c| &c.spec.workload_ref.workload_name);
    let mut all = of_groups.chain(of_composites);
    assert!(all.all(|name| name == "demo-0.1"));
    assert!(settle(&mut facts).is_empty());
}

/// The fields are immutable, and its pods may be anywhere.
#[test]
fn groups_from_before_the_constraints_are_not_judged() {
    let mut facts = instance();
    facts.topology = Topology::default();
    settle(&mut facts);
    facts.topology = nested();
    assert!(settle(&mut facts).is_empty());
    assert_eq!(unsupported(&facts), "");
}

#[test]
fn a_constraint_that_the_api_server_has_dropped_is_reported() {
    let mut facts = instance();
    settle(&mut facts);
    assert_eq!(unsupported(&facts), "");
    let group = facts.groups.get_mut("demo-0-g-0-w").unwrap();
    Arc::make_mut(group).spec.scheduling_constraints = None;
    assert!(settle(&mut facts).is_empty(), "it cannot be written again");
    let expected = "the cluster's definition of podgroups.scheduling.k8s.io lacks \
                    schedulingConstraints: the gang's pods need not share";
    assert!(unsupported(&facts).starts_with(expected));
    let mut facts = instance();
    settle(&mut facts);
    let root = facts.composites.get_mut("demo-0.groups").unwrap();
    Arc::make_mut(root).spec.scheduling_constraints = None;
    assert!(unsupported(&facts).starts_with("the cluster's definition of compositepodgroups."));
}

/// The API server would drop the constraint.
#[rstest]
fn a_pod_group_with_a_domain_waits_for_a_cluster_that_knows_groups_of_groups(
    #[values(true, false)] is_listed: bool,
) {
    let mut facts = cluster(&[("a", "demo-0-a", 2)]);
    facts.serves_composites = false;
    facts.members[0].is_listed = is_listed;
    assert_eq!(unsupported(&facts), "");
    facts.topology = topology("zone", vec![], &[]);
    let expected = "compositepodgroups.scheduling.k8s.io/v1alpha3 is not served";
    assert!(unsupported(&facts).starts_with(expected));
    assert!(settle(&mut facts).is_empty());
}

#[test]
fn a_tree_has_them_at_its_levels() {
    let mut facts = tree();
    let group_replicas = (0..2).map(|replica| {
        let name = format!("demo-0-g-{replica}");
        of_group_replica(&name, "rack", &[])
    });
    let podcliques = [("demo-0-g-1-work", "host")];
    facts.topology = topology("zone", group_replicas.collect(), &podcliques);
    assert_eq!(
        settle(&mut facts),
        [
            "create Workload demo-0",
            "PodGroup demo-0-router: 1 pods in demo-0.groups",
            "PodGroup demo-0-g-0-lead: 1 pods in demo-0-g-0.groups",
            "PodGroup demo-0-g-0-work: 1 pods in demo-0-g-0.groups",
            "PodGroup demo-0-g-1-lead: 1 pods in demo-0-g-1.groups",
            "PodGroup demo-0-g-1-work: 1 pods in demo-0-g-1.groups, one host",
            "CompositePodGroup demo-0-g-0.groups: 2 groups in demo-0-g.groups, one rack",
            "CompositePodGroup demo-0-g-1.groups: 2 groups in demo-0-g.groups, one rack",
            "CompositePodGroup demo-0-g.groups: 2 groups in demo-0.groups",
            "CompositePodGroup demo-0.groups: 2 groups, one zone",
        ]
    );
}
