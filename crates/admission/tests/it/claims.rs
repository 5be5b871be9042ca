//! How many pods share a claim, how many claims there are, claims of pods with their names, and templates of
//! other namespaces.

use admission::{Rules, validate_update};
use domain::scheduling::{Backend, Profiles};
use domain::sharing::TemplatesOfOtherNamespaces;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{Edit, FRONTEND, GROUP, WORKER, at};

use crate::cases::{set, words};

const SHARING: &str = "/spec/template/resourceSharing";

/// An operator that hands gangs to this backend.
fn rules(backend: Backend) -> Rules {
    let profile = ("default-scheduler".to_owned(), backend);
    Rules {
        profiles: Some(Profiles::of([profile])),
        ..Rules::default()
    }
}

fn all(filter: &Value) -> Value {
    let mut entry = json!({"name": "pool", "scope": "AllReplicas"});
    if !filter.is_null() {
        entry["filter"] = filter.clone();
    }
    json!([entry])
}

fn each() -> Value {
    json!([{"name": "pool", "scope": "PerReplica"}])
}

fn many_workers() -> Edit<'static> {
    ("/spec/template/cliques/2/spec/replicas", json!(130))
}

/// Two instances of a leader and 130 workers, and two frontends.
#[rstest]
#[case::of_the_set(&[(SHARING, all(&Value::Null))], Some(264))]
#[case::of_each_replica(&[(SHARING, each())], Some(264))]
#[case::filtered(&[(SHARING, all(&json!({"childCliqueNames": ["frontend", "leader"]})))], None)]
#[case::filtered_by_group(&[(SHARING, all(&json!({"childScalingGroupNames": ["prefill"]})))], Some(262))]
fn more_than_256_pods_share_no_claim_of_a_set(
    #[case] edits: &[Edit<'_>],
    #[case] users: Option<u32>,
) {
    let mut edits = edits.to_vec();
    edits.push(many_workers());
    expect_users(&edits, "spec.template.resourceSharing[0]", users);
}

/// Refused with the number, unless a PodGroup of Kubernetes stands for the pods, or the scheduler
/// is not known.
fn expect_users(edits: &[Edit<'_>], path: &str, users: Option<u32>) {
    let expected = users.map_or_else(String::new, |users| {
        format!(
            "  {path}: \"pool\": {users} pods would share one claim, and Kubernetes lets 256; use \
             scope PerReplica, or a filter"
        )
    });
    assert_eq!(words(&set(edits), &rules(Backend::Volcano)), expected);
    assert_eq!(words(&set(edits), &rules(Backend::Kubernetes)), "");
    assert_eq!(words(&set(edits), &Rules::default()), "");
}

#[test]
fn more_than_256_pods_share_no_claim_of_a_group_or_clique() {
    let of_group = at(GROUP, "resourceSharing");
    let path = "spec.template.podCliqueScalingGroups[0].resourceSharing[0]";
    expect_users(
        &[(&of_group, all(&Value::Null)), many_workers()],
        path,
        Some(262),
    );
    expect_users(&[(&of_group, each()), many_workers()], path, None);
    let of_clique = at(WORKER, "resourceSharing");
    let path = "spec.template.cliques[2].resourceSharing[0]";
    let most = ("/spec/template/cliques/2/spec/replicas", json!(257));
    expect_users(
        &[(&of_clique, all(&Value::Null)), most.clone()],
        path,
        Some(257),
    );
    expect_users(&[(&of_clique, each()), most], path, None);
}

fn named(count: usize, scope: &str) -> Value {
    let entries = (0..count).map(|i| json!({"name": format!("c{i}"), "scope": scope}));
    entries.collect()
}

#[test]
fn a_pod_names_no_more_than_32_shared_claims() {
    let of_clique = at(FRONTEND, "resourceSharing");
    let edits = [
        (SHARING, named(16, "AllReplicas")),
        (&of_clique, named(16, "PerReplica")),
    ];
    assert_eq!(words(&set(&edits), &Rules::default()), "");
    let edits = [
        (SHARING, named(16, "AllReplicas")),
        (&of_clique, named(17, "PerReplica")),
    ];
    assert_eq!(
        words(&set(&edits), &Rules::default()),
        "  spec.template.cliques[0].resourceSharing: 33: a pod would name 33 claims, at most 32 are \
         allowed; share fewer claims, or use filters"
    );
}

#[test]
fn a_set_has_no_more_than_20_000_shared_claims() {
    let edits = |replicas: i32| {
        [
            ("/spec/replicas", json!(replicas)),
            ("/spec/template/podCliqueScalingGroups", json!([])),
            ("/spec/template/cliques/0/spec/replicas", json!(1)),
            ("/spec/template/cliques/2/spec/replicas", json!(1)),
            (SHARING, named(20, "PerReplica")),
        ]
    };
    assert_eq!(words(&set(&edits(1_000)), &Rules::default()), "");
    assert_eq!(
        words(&set(&edits(1_001)), &Rules::default()),
        "  spec.template: 20020: pods would share 20020 claims, at most 20000 are allowed; use scope \
         AllReplicas, or split the workload into several sets"
    );
}

/// At each level, for all replicas and for each.
#[rstest]
#[case::of_the_set(SHARING, "serve-all-pool", all(&Value::Null))]
#[case::of_a_replica(SHARING, "serve-3-pool", each())]
#[case::of_a_group("/spec/template/podCliqueScalingGroups/0/resourceSharing", "serve-0-prefill-all-pool", all(&Value::Null))]
#[case::of_a_group_replica(
    "/spec/template/podCliqueScalingGroups/0/resourceSharing",
    "serve-1-prefill-7-pool",
    each()
)]
#[case::of_a_podclique("/spec/template/cliques/2/resourceSharing", "serve-0-prefill-1-worker-all-pool", all(&Value::Null))]
#[case::of_a_pod(
    "/spec/template/cliques/2/resourceSharing",
    "serve-2-prefill-1-worker-9-pool",
    each()
)]
fn a_claim_of_a_pod_has_no_name_of_a_shared_one(
    #[case] place: &str,
    #[case] name: &str,
    #[case] sharing: Value,
) {
    let own = at(WORKER, "spec/podSpec/resourceClaims");
    let claim = |name: &str| json!([{"name": name, "resourceClaimTemplateName": "t"}]);
    let judged = |name: &str| {
        let edits = [(place, sharing.clone()), (&own, claim(name))];
        words(&set(&edits), &Rules::default())
    };
    assert_eq!(
        judged(name),
        format!(
            "  spec.template.cliques[2].spec.podSpec.resourceClaims[0].name: \"{name}\": is the name of \
             a shared claim; rename it"
        )
    );
    assert_eq!(judged("mine"), "");
    assert_eq!(judged(&format!("{name}s")), "");
}

/// A set of namespace `team` with these entries in that place.
fn in_team(place: &str, entries: Value) -> api::PodCliqueSet {
    set(&[("/metadata/namespace", json!("team")), (place, entries)])
}

fn from(namespace: &str) -> Value {
    json!([
        {"name": "a", "scope": "AllReplicas"},
        {"name": "b", "namespace": namespace, "scope": "PerReplica"},
    ])
}

fn without_other_namespaces() -> Rules {
    Rules {
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..Rules::default()
    }
}

/// At each level.
#[rstest]
#[case::of_the_set(SHARING, "spec.template.resourceSharing[1]")]
#[case::of_a_group(
    "/spec/template/podCliqueScalingGroups/0/resourceSharing",
    "spec.template.podCliqueScalingGroups[0].resourceSharing[1]"
)]
#[case::of_a_clique(
    "/spec/template/cliques/2/resourceSharing",
    "spec.template.cliques[2].resourceSharing[1]"
)]
fn a_new_set_names_no_template_of_another_namespace_if_these_are_not_read(
    #[case] place: &str,
    #[case] path: &str,
) {
    let denied = without_other_namespaces();
    assert_eq!(
        words(&in_team(place, from("shared")), &denied),
        format!(
            "  {path}.namespace: \"shared\": templates of other namespaces are not read here; copy the \
             template, or use resourceClaimTemplates"
        )
    );
    assert_eq!(words(&in_team(place, from("team")), &denied), "");
    let allowed = Rules::default();
    assert_eq!(words(&in_team(place, from("shared")), &allowed), "");
}

/// Its pods wait for claims that it does not have yet.
#[test]
fn a_stored_set_that_names_such_a_template_can_be_changed() {
    let stored = in_team(SHARING, from("shared"));
    let mut changed = stored.clone();
    changed.spec.replicas = 2;
    let denied = without_other_namespaces();
    assert_eq!(validate_update(&stored, &changed, &denied), []);
}
