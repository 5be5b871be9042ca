//! RS-1 as tables: one entry at each level, with each scope and filter; and the claims of a set with
//! entries of all kinds at each count of its parts.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::resources::ResourceSharingScope;
use domain::workload::claims;
use domain::workload::layout;
use rstest::rstest;
use testkit::builders::{SetBuilder, set};

use ResourceSharingScope::{AllReplicas, PerReplica};

use super::{entry, of_group, of_set, owned_claims};

/// A standalone clique, and a group of two.
fn plain() -> SetBuilder {
    set("demo")
        .clique("front", |c| c)
        .clique("lead", |c| c)
        .clique("work", |c| c)
        .group("g", ["lead", "work"], |g| g)
}

fn in_set(scope: ResourceSharingScope, filter: Option<(&[&str], &[&str])>) -> PodCliqueSet {
    let entry = of_set("x", scope, filter);
    plain()
        .with(|s| s.spec.template.resource_sharing = vec![entry])
        .build()
}

fn in_group(scope: ResourceSharingScope, filter: Option<&[&str]>) -> PodCliqueSet {
    let entry = of_group("x", scope, filter);
    plain()
        .with(|s| s.spec.template.scaling_groups[0].resource_sharing = vec![entry])
        .build()
}

/// Each clique has the entry.
fn in_cliques(scope: ResourceSharingScope) -> PodCliqueSet {
    plain()
        .with(|s| {
            for clique in &mut s.spec.template.cliques {
                clique.resource_sharing = vec![entry("x", scope)];
            }
        })
        .build()
}

/// The claims of pod 2 of the standalone clique, and of pods 0 and 4 of the members of replica 3 of the
/// group, all in replica 1 of the set; empty where a filter leaves the pod out.
#[rstest]
#[case::of_the_set(in_set(AllReplicas, None), ["demo-all-x", "demo-all-x", "demo-all-x"])]
#[case::of_its_replica(in_set(PerReplica, None), ["demo-1-x", "demo-1-x", "demo-1-x"])]
#[case::of_the_set_for_a_clique(in_set(AllReplicas, Some((&["front"], &[]))), ["demo-all-x", "", ""])]
#[case::of_its_replica_for_a_clique(in_set(PerReplica, Some((&["front"], &[]))), ["demo-1-x", "", ""])]
#[case::of_the_set_for_a_member(in_set(AllReplicas, Some((&["lead"], &[]))), ["", "demo-all-x", ""])]
#[case::of_its_replica_for_a_member(in_set(PerReplica, Some((&["lead"], &[]))), ["", "demo-1-x", ""])]
#[case::of_the_set_for_a_group(
    in_set(AllReplicas, Some((&[], &["g"]))), ["", "demo-all-x", "demo-all-x"]
)]
#[case::of_its_replica_for_a_group(in_set(PerReplica, Some((&[], &["g"]))), ["", "demo-1-x", "demo-1-x"])]
#[case::of_the_set_for_both(
    in_set(AllReplicas, Some((&["front"], &["g"]))), ["demo-all-x", "demo-all-x", "demo-all-x"]
)]
#[case::of_its_replica_for_a_member_twice(
    in_set(PerReplica, Some((&["lead"], &["g"]))), ["", "demo-1-x", "demo-1-x"]
)]
#[case::of_the_group(in_group(AllReplicas, None), ["", "demo-1-g-all-x", "demo-1-g-all-x"])]
#[case::of_its_group_replica(in_group(PerReplica, None), ["", "demo-1-g-3-x", "demo-1-g-3-x"])]
#[case::of_the_group_for_a_member(in_group(AllReplicas, Some(&["work"])), ["", "", "demo-1-g-all-x"])]
#[case::of_its_group_replica_for_a_member(
    in_group(PerReplica, Some(&["work"])), ["", "", "demo-1-g-3-x"]
)]
#[case::of_each_clique(
    in_cliques(AllReplicas), ["demo-1-front-all-x", "demo-1-g-3-lead-all-x", "demo-1-g-3-work-all-x"]
)]
#[case::of_each_pod(
    in_cliques(PerReplica), ["demo-1-front-2-x", "demo-1-g-3-lead-0-x", "demo-1-g-3-work-4-x"]
)]
fn a_pod_names_the_claim_if_the_filter_lists_it(
    #[case] set: PodCliqueSet,
    #[case] expected: [&str; 3],
) {
    let template = &set.spec.template;
    let named = |podclique: &str, index: i32| {
        let slot = layout::find("demo", template, podclique).unwrap();
        let claims = claims::of_pod("demo", template, &slot, index);
        let names: Vec<String> = claims.into_iter().map(|claim| claim.name).collect();
        names.join(" ")
    };
    let found = [
        named("demo-1-front", 2),
        named("demo-1-g-3-lead", 0),
        named("demo-1-g-3-work", 4),
    ];
    assert_eq!(found, expected);
}

/// All levels, scopes and filters at once: a standalone clique `worker-a`, and group `sga` of `worker-b`.
fn all_kinds() -> PodCliqueSet {
    set("rs")
        .clique("worker-a", |c| {
            c.with(|c| {
                c.resource_sharing = vec![entry("own", PerReplica), entry("card", AllReplicas)];
            })
        })
        .clique("worker-b", |c| {
            c.with(|c| c.resource_sharing = vec![entry("disk", AllReplicas)])
        })
        .group("sga", ["worker-b"], |g| g)
        .with(|s| {
            let template = &mut s.spec.template;
            template.resource_sharing = vec![
                of_set("net", AllReplicas, None),
                of_set("each", PerReplica, None),
                of_set("front", PerReplica, Some((&["worker-a"], &[]))),
                of_set("back", AllReplicas, Some((&[], &["sga"]))),
            ];
            template.scaling_groups[0].resource_sharing = vec![
                of_group("bus", AllReplicas, None),
                of_group("pool", PerReplica, None),
                of_group("head", AllReplicas, Some(&["worker-b"])),
            ];
        })
        .build()
}

/// Those of one replica of the set with two of the group and one pod.
const FIRST: [&str; 12] = [
    "rs-all-net",
    "rs-all-back",
    "rs-0-each",
    "rs-0-front",
    "rs-0-worker-a-0-own",
    "rs-0-worker-a-all-card",
    "rs-0-sga-all-bus",
    "rs-0-sga-all-head",
    "rs-0-sga-0-pool",
    "rs-0-sga-1-pool",
    "rs-0-sga-0-worker-b-all-disk",
    "rs-0-sga-1-worker-b-all-disk",
];

/// Replicas of the set, of the group, and pods of each clique; then the claims that go, and those that come.
#[rstest]
#[case::first((1, 2, 1), &[], &[])]
#[case::group_in((1, 1, 1), &["rs-0-sga-1-pool", "rs-0-sga-1-worker-b-all-disk"], &[])]
#[case::group_out((1, 3, 1), &[], &["rs-0-sga-2-pool", "rs-0-sga-2-worker-b-all-disk"])]
#[case::group_idle((1, 0, 1), &FIRST[8..], &[])]
#[case::clique_out((1, 2, 2), &[], &["rs-0-worker-a-1-own"])]
#[case::clique_idle((1, 2, 0), &["rs-0-worker-a-0-own"], &[])]
#[case::set_out((2, 2, 1), &[], &[
    "rs-1-each", "rs-1-front", "rs-1-worker-a-0-own", "rs-1-worker-a-all-card",
    "rs-1-sga-all-bus", "rs-1-sga-all-head", "rs-1-sga-0-pool", "rs-1-sga-1-pool",
    "rs-1-sga-0-worker-b-all-disk", "rs-1-sga-1-worker-b-all-disk",
])]
#[case::set_idle((0, 2, 1), &FIRST[2..], &[])]
fn the_claims_follow_each_count(
    #[case] counts: (i32, i32, i32),
    #[case] gone: &[&str],
    #[case] new: &[&str],
) {
    let mut expected: BTreeSet<&str> = FIRST.into_iter().filter(|c| !gone.contains(c)).collect();
    expected.extend(new);
    let set = all_kinds();
    let owned = owned_claims("rs", &set, counts);
    let found: BTreeSet<&str> = owned.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
    assert_eq!(owned.len(), expected.len(), "no claim twice");
}
