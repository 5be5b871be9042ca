//! The resource claims that pods share: those of each owner, and those that a pod names.

mod levels;

use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::resources::{
    PcsResourceSharing, PcsResourceSharingFilter, PcsgResourceSharing, PcsgResourceSharingFilter,
    ResourceSharing, ResourceSharingScope,
};
use domain::sharing::{NamedClaim, inject};
use domain::workload::claims::{self, Level, has_sharing};
use domain::workload::layout;
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
use serde_json::json;
use testkit::builders::set;

use ResourceSharingScope::{AllReplicas, PerReplica};

fn entry(name: &str, scope: ResourceSharingScope) -> ResourceSharing {
    ResourceSharing {
        name: name.into(),
        namespace: String::new(),
        scope,
    }
}

fn of_set(
    name: &str,
    scope: ResourceSharingScope,
    filter: Option<(&[&str], &[&str])>,
) -> PcsResourceSharing {
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    PcsResourceSharing {
        sharing: entry(name, scope),
        filter: filter.map(|(cliques, groups)| PcsResourceSharingFilter {
            child_clique_names: owned(cliques),
            child_scaling_group_names: owned(groups),
        }),
    }
}

fn of_group(
    name: &str,
    scope: ResourceSharingScope,
    filter: Option<&[&str]>,
) -> PcsgResourceSharing {
    PcsgResourceSharing {
        sharing: entry(name, scope),
        filter: filter.map(|cliques| PcsgResourceSharingFilter {
            child_clique_names: cliques.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// A router; leaders and workers in group `sgx`. Entries at all levels, in both scopes, with and
/// without filters; each list names its claims of one replica first.
fn demo() -> PodCliqueSet {
    set("demo")
        .clique("router", |c| {
            c.with(|c| {
                c.resource_sharing = vec![entry("own", PerReplica), entry("nic", AllReplicas)];
            })
        })
        .clique("leader", |c| c)
        .clique("worker", |c| {
            c.with(|c| {
                c.resource_sharing = vec![entry("own", PerReplica)];
            })
        })
        .group("sgx", ["leader", "worker"], |g| g)
        .with(|s| {
            let template = &mut s.spec.template;
            template.resource_sharing = vec![
                of_set("each", PerReplica, None),
                of_set("all", AllReplicas, None),
                of_set("front", AllReplicas, Some((&["router"], &[]))),
                of_set("back", PerReplica, Some((&[], &["sgx"]))),
                of_set("heads", AllReplicas, Some((&["router", "leader"], &[]))),
            ];
            template.scaling_groups[0].resource_sharing = vec![
                of_group("pool", PerReplica, None),
                of_group("net", AllReplicas, None),
                of_group("lead", AllReplicas, Some(&["leader"])),
            ];
        })
        .build()
}

fn named_by(podclique: &str, index: i32) -> Vec<String> {
    let set = demo();
    let slot = layout::find("demo", &set.spec.template, podclique).unwrap();
    let claims = claims::of_pod("demo", &set.spec.template, &slot, index);
    claims.into_iter().map(|claim| claim.name).collect()
}

/// RS-1: of the set, of the group, of the clique; of each those for all replicas first.
#[rstest]
#[case::standalone("demo-0-router", 0, &[
    "demo-all-all", "demo-all-front", "demo-all-heads", "demo-0-each",
    "demo-0-router-all-nic", "demo-0-router-0-own",
])]
#[case::another_pod_of_another_replica("demo-2-router", 3, &[
    "demo-all-all", "demo-all-front", "demo-all-heads", "demo-2-each",
    "demo-2-router-all-nic", "demo-2-router-3-own",
])]
#[case::grouped("demo-0-sgx-1-leader", 0, &[
    "demo-all-all", "demo-all-heads", "demo-0-each", "demo-0-back",
    "demo-0-sgx-all-net", "demo-0-sgx-all-lead", "demo-0-sgx-1-pool",
])]
#[case::not_in_the_filter("demo-1-sgx-0-worker", 2, &[
    "demo-all-all", "demo-1-each", "demo-1-back",
    "demo-1-sgx-all-net", "demo-1-sgx-0-pool",
    "demo-1-sgx-0-worker-2-own",
])]
fn a_pod_names_the_claims_of_all_that_it_is_in(
    #[case] podclique: &str,
    #[case] index: i32,
    #[case] wanted: &[&str],
) {
    assert_eq!(named_by(podclique, index), wanted);
}

#[rstest]
#[case::idle(&[], &["o-all-a"])]
#[case::one(&[0], &["o-all-a", "o-0-b"])]
#[case::with_surge(&[0, 1, 7], &["o-all-a", "o-0-b", "o-1-b", "o-7-b"])]
fn an_owner_has_one_claim_for_all_or_one_for_each(
    #[case] indexes: &[i32],
    #[case] wanted: &[&str],
) {
    let entries = [entry("a", AllReplicas), entry("b", PerReplica)];
    let indexes: BTreeSet<i32> = indexes.iter().copied().collect();
    let claims = claims::of_owner(Level::Group, "o", &entries, &indexes);
    let names: Vec<&str> = claims.iter().map(|claim| claim.name.as_str()).collect();
    assert_eq!(names, wanted);
}

#[rstest]
#[case::own_name("demo-all-pool", true)]
#[case::with_a_number("demo-all-pool.1", true)]
#[case::with_the_last_number("demo-all-pool.19", true)]
#[case::of_another_entry("demo-all-pools", false)]
#[case::of_another_entry_with_a_number("demo-all-pools.1", false)]
#[case::beginning_of_the_name("demo-all", false)]
#[case::nothing("", false)]
fn a_claim_may_have_its_own_name_or_that_with_a_number(#[case] name: &str, #[case] may: bool) {
    let entries = [entry("pool", AllReplicas)];
    let claims = claims::of_owner(Level::Set, "demo", &entries, &BTreeSet::new());
    let found: Vec<bool> = claims.iter().map(|c| c.may_have_name(name)).collect();
    assert_eq!(found, [may]);
}

/// The claims of all owners with that many replicas of the set and of each group, and pods of each
/// PodClique.
fn owned_claims(
    name: &str,
    set: &PodCliqueSet,
    (replicas, group, pods): (i32, i32, i32),
) -> Vec<String> {
    let template = &set.spec.template;
    let range = |count: i32| (0..count).collect::<BTreeSet<i32>>();
    let own = template.resource_sharing.iter().map(|entry| &entry.sharing);
    let mut owned = claims::of_owner(Level::Set, name, own, &range(replicas));
    let layout = layout::enumerate(name, template, replicas, |_, _| group);
    for part in layout.replicas.iter().flat_map(|replica| &replica.groups) {
        let entries = part.config.resource_sharing.iter();
        let entries = entries.map(|entry| &entry.sharing);
        owned.extend(claims::of_owner(
            Level::Group,
            &part.name,
            entries,
            &range(group),
        ));
    }
    for slot in layout.slots() {
        let mut cliques = template.cliques.iter();
        let clique = cliques.find(|c| c.name == slot.clique).unwrap();
        let entries = &clique.resource_sharing;
        owned.extend(claims::of_owner(
            Level::Clique,
            &slot.name,
            entries,
            &range(pods),
        ));
    }
    owned.into_iter().map(|claim| claim.name).collect()
}

/// Whatever the number of replicas, each pod finds the claims that it names among those of their
/// owners, and claims that nobody names exist all the same.
#[rstest]
#[case(1, 1, 1)]
#[case(2, 3, 2)]
#[case(1, 0, 4)]
fn owners_have_what_pods_name(#[case] replicas: i32, #[case] group: i32, #[case] pods: i32) {
    let set = demo();
    let template = &set.spec.template;
    let owned = owned_claims("demo", &set, (replicas, group, pods));
    let layout = layout::enumerate("demo", template, replicas, |_, _| group);
    let mut named = BTreeSet::new();
    for slot in layout.slots() {
        for index in 0..pods {
            let claims = claims::of_pod("demo", template, slot, index);
            named.extend(claims.into_iter().map(|claim| claim.name));
        }
    }
    let count = owned.len();
    let owned: BTreeSet<String> = owned.into_iter().collect();
    assert_eq!(owned.len(), count, "two owners have a claim of one name");
    assert_eq!(named.difference(&owned).next(), None);
    let unused: Vec<_> = owned.difference(&named).collect();
    assert_eq!(unused.is_empty(), group > 0, "{unused:?}");
}

#[test]
fn a_set_without_entries_shares_nothing() {
    assert!(!has_sharing(
        &set("demo").clique("a", |c| c).build().spec.template
    ));
    assert!(has_sharing(&demo().spec.template));
}

#[test]
fn each_container_may_use_the_claims() {
    let mut pod: Pod = serde_json::from_value(json!({"spec": {
        "resourceClaims": [{"name": "mine", "resourceClaimTemplateName": "t"}],
        "initContainers": [{"name": "load"}],
        "containers": [
            {"name": "main", "resources": {"claims": [{"name": "mine"}], "limits": {"cpu": "1"}}},
        ],
    }}))
    .unwrap();
    let named = NamedClaim {
        name: "demo-all-pool".into(),
        claim: "demo-all-pool.1".into(),
    };
    inject(&mut pod, std::slice::from_ref(&named));
    let expected = json!({
        "resourceClaims": [
            {"name": "mine", "resourceClaimTemplateName": "t"},
            {"name": "demo-all-pool", "resourceClaimName": "demo-all-pool.1"},
        ],
        "initContainers": [{"name": "load", "resources": {"claims": [{"name": "demo-all-pool"}]}}],
        "containers": [{"name": "main", "resources": {
            "claims": [{"name": "mine"}, {"name": "demo-all-pool"}], "limits": {"cpu": "1"},
        }}],
    });
    assert_eq!(serde_json::to_value(pod.spec.clone()).unwrap(), expected);
    inject(&mut pod, &[named]);
    assert_eq!(serde_json::to_value(pod.spec).unwrap(), expected, "once");
}
