//! Claims as objects: created once, adopted, removed, and named by new pods.

mod blocked;
mod blocked_domain;
mod named;

use std::sync::Arc;

use api::resources::{ResourceClaimTemplateConfig, ResourceSharing, ResourceSharingScope};
use api::{PodCliqueSet, labels};
use domain::object::ownership;
use domain::plan::Action;
use domain::sharing::{ClaimFacts, Holders, Keeper, TemplatesOfOtherNamespaces};
use domain::workload::claims::{self, Level, SharedClaim};
use domain::{Claim, Key, Pod};
use jiff::Timestamp;
use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimTemplate};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{after, set, stored};

use ResourceSharingScope::{AllReplicas, PerReplica};

fn sharing(name: &str, namespace: &str, scope: ResourceSharingScope) -> ResourceSharing {
    ResourceSharing {
        name: name.into(),
        namespace: namespace.into(),
        scope,
    }
}

/// A set with a template of its own.
fn demo() -> PodCliqueSet {
    let spec = json!({
        "metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}},
        "spec": {"devices": {"requests": [{"name": "gpu"}]}},
    });
    set("demo")
        .with(|s| {
            s.spec.template.resource_claim_templates = vec![ResourceClaimTemplateConfig {
                name: "pool".into(),
                template_spec: serde_json::from_value(spec).unwrap(),
            }];
        })
        .build()
}

/// `+` before a name: it is being deleted; `?`: it has no owner; `!`: it has another owner; `-`: it has
/// none of our labels.
fn claim(text: &str) -> Arc<Claim> {
    let name = text.trim_start_matches(['+', '?', '!', '-']);
    let mut metadata = stored(name);
    let mut all = labels::default_labels("demo");
    all.insert(labels::COMPONENT.into(), "resource-claim".into());
    if let Some((_, index)) = name
        .split('.')
        .next()
        .and_then(|n| n.strip_suffix("-pool")?.rsplit_once('-'))
        && index != "all"
    {
        all.insert(labels::PCS_REPLICA_INDEX.into(), index.into());
    }
    metadata.labels = Some(all).filter(|_| !text.starts_with('-'));
    if !text.contains('?') {
        let mut owner = ownership::controller_reference(&demo());
        if text.contains('!') {
            owner.uid = "uid-of-an-earlier-one".into();
        }
        metadata.owner_references = Some(vec![owner]);
    }
    if text.contains('+') {
        metadata.deletion_timestamp = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
            after(0),
        ));
    }
    Arc::new(Claim { metadata })
}

/// `<pod> <claim>`; a pod with `+` is terminating, since as many seconds as there are `+`; one with `=`
/// has ended.
fn holders(pods: &[&str]) -> Holders {
    let pods: Vec<Pod> = pods.iter().map(|text| pod(text)).collect();
    Holders::of(&pods, |pod| {
        let deleted = pod.metadata.deletion_timestamp.as_ref()?.0;
        Some(deleted + jiff::SignedDuration::from_secs(60))
    })
}

fn pod(text: &str) -> Pod {
    let (name, claim) = text.split_once(' ').unwrap();
    let mut pod = json!({"metadata": {"name": name.trim_start_matches(['+', '='])}, "spec": {
        "resourceClaims": [{"name": "x", "resourceClaimName": claim}],
    }});
    if name.starts_with('=') {
        pod["status"] = json!({"phase": "Succeeded"});
    }
    let age = name.chars().filter(|c| *c == '+').count();
    if age > 0 {
        let deleted = after(100 - i64::try_from(age).unwrap() * 50);
        pod["metadata"]["deletionTimestamp"] = json!(deleted.to_string());
    }
    serde_json::from_value(pod).unwrap()
}

fn facts(found: &[&str], pods: &[&str]) -> ClaimFacts {
    let found = found.iter().map(|text| claim(text));
    ClaimFacts {
        is_served: true,
        found: found
            .map(|claim| (claim.name().to_owned(), claim))
            .collect(),
        holders: holders(pods),
        ..ClaimFacts::default()
    }
}

fn now() -> Timestamp {
    after(100)
}

fn wanted(entry: &ResourceSharing, replicas: i32) -> Vec<SharedClaim<'_>> {
    claims::of_owner(Level::Set, "demo", [entry], &(0..replicas).collect())
}

fn keeper<'a>(
    set: &'a PodCliqueSet,
    wanted: Vec<SharedClaim<'a>>,
    facts: &'a ClaimFacts,
) -> Keeper<'a> {
    Keeper {
        set,
        owner: ownership::controller_reference(set),
        wanted,
        facts,
    }
}

fn texts(actions: &[Action]) -> Vec<String> {
    actions.iter().map(ToString::to_string).collect()
}

#[test]
fn a_claim_is_made_from_its_template_with_our_labels() {
    let (set, entry) = (demo(), sharing("pool", "", PerReplica));
    let facts = facts(&["demo-0-pool"], &[]);
    let actions = keeper(&set, wanted(&entry, 2), &facts).creations(now());
    assert_eq!(texts(&actions), ["create ResourceClaim demo-1-pool"]);
    let made = actions[0].written::<ResourceClaim>().unwrap();
    assert_eq!(
        serde_json::to_value(made).unwrap(),
        json!({
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {
                "name": "demo-1-pool",
                "namespace": "default",
                "labels": {
                    "app.kubernetes.io/component": "resource-claim",
                    "app.kubernetes.io/managed-by": "grove-operator",
                    "app.kubernetes.io/part-of": "demo",
                    "grove.io/podcliqueset-replica-index": "1",
                    "team": "a",
                },
                "annotations": {"note": "b"},
                "ownerReferences": [{
                    "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "name": "demo",
                    "uid": "uid-demo", "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {"devices": {"requests": [{"name": "gpu"}]}},
        })
    );
}

fn template(namespace: &str, name: &str) -> ResourceClaimTemplate {
    serde_json::from_value(json!({
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"spec": {"devices": {"requests": [{"name": "nic"}]}}},
    }))
    .unwrap()
}

/// One of the set's own comes first, unless the entry names a namespace.
#[rstest]
#[case::own(sharing("pool", "", AllReplicas), None, Some("gpu"))]
#[case::own_before_an_object(sharing("pool", "", AllReplicas), Some("default"), Some("gpu"))]
#[case::of_a_namespace(sharing("pool", "shared", AllReplicas), Some("shared"), Some("nic"))]
#[case::of_the_namespace_of_the_set(sharing("net", "", AllReplicas), Some("default"), Some("nic"))]
#[case::missing(sharing("net", "", AllReplicas), None, None)]
#[case::of_another_namespace(sharing("net", "", AllReplicas), Some("shared"), None)]
fn the_template_is_found_where_the_entry_says(
    #[case] entry: ResourceSharing,
    #[case] object_in: Option<&str>,
    #[case] request: Option<&str>,
) {
    let set = demo();
    let mut facts = facts(&[], &[]);
    if let Some(namespace) = object_in {
        let found = template(namespace, &entry.name);
        facts.templates = [(Key::new(namespace, &*entry.name), Arc::new(found))].into();
    }
    let actions = keeper(&set, wanted(&entry, 1), &facts).creations(now());
    let made: Vec<Value> = actions
        .iter()
        .map(|action| serde_json::to_value(action.written::<ResourceClaim>()).unwrap())
        .map(|made| made["spec"]["devices"]["requests"][0]["name"].clone())
        .collect();
    assert_eq!(
        made,
        request.map(Value::from).into_iter().collect::<Vec<_>>()
    );
}

/// The template exists in each case, and templates of other namespaces are not read.
#[rstest]
#[case::of_another_namespace(sharing("net", "shared", AllReplicas), "shared", &[])]
#[case::of_the_namespace_of_the_set(sharing("net", "default", AllReplicas), "default", &["net"])]
#[case::without_a_namespace(sharing("net", "", AllReplicas), "default", &["net"])]
#[case::own(sharing("pool", "", AllReplicas), "shared", &["pool"])]
fn no_claim_is_made_from_a_template_of_another_namespace(
    #[case] entry: ResourceSharing,
    #[case] object_in: &str,
    #[case] made: &[&str],
) {
    let set = demo();
    let found = Arc::new(template(object_in, &entry.name));
    let facts = ClaimFacts {
        templates: [(Key::new(object_in, &*entry.name), found)].into(),
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..facts(&[], &[])
    };
    let actions = keeper(&set, wanted(&entry, 1), &facts).creations(now());
    let made = made.iter();
    let made: Vec<String> = made
        .map(|name| format!("create ResourceClaim demo-all-{name}"))
        .collect();
    assert_eq!(texts(&actions), made);
}

/// Nothing is created where a claim of an earlier owner is in the way, or where the cluster has no
/// claims.
#[test]
fn creation_waits_for_what_is_in_the_way() {
    let (set, entry) = (demo(), sharing("pool", "", AllReplicas));
    let created =
        |facts: &ClaimFacts| texts(&keeper(&set, wanted(&entry, 1), facts).creations(now()));
    assert_eq!(
        created(&facts(&["+demo-all-pool"], &[])),
        Vec::<String>::new()
    );
    assert_eq!(
        created(&facts(&["!demo-all-pool"], &[])),
        Vec::<String>::new()
    );
    let unserved = ClaimFacts {
        is_served: false,
        ..facts(&[], &[])
    };
    assert_eq!(created(&unserved), Vec::<String>::new());
    assert_eq!(
        created(&facts(&[], &[])),
        ["create ResourceClaim demo-all-pool"]
    );
}

#[test]
fn claims_without_an_owner_are_adopted_and_edited_labels_restored() {
    let (set, entry) = (demo(), sharing("pool", "", PerReplica));
    let mut facts = facts(&["?demo-0-pool", "demo-1-pool", "!demo-2-pool"], &[]);
    let mut edited = Claim::clone(&facts.found["demo-1-pool"]);
    edited
        .metadata
        .labels
        .as_mut()
        .unwrap()
        .remove(labels::MANAGED_BY);
    facts.found.insert("demo-1-pool".into(), Arc::new(edited));
    let actions = keeper(&set, wanted(&entry, 3), &facts).corrections();
    insta::assert_snapshot!(texts(&actions).join("\n"), @r#"
    merge ResourceClaim demo-0-pool {"metadata":{"ownerReferences":[{"apiVersion":"grove.io/v1alpha1","blockOwnerDeletion":true,"controller":true,"kind":"PodCliqueSet","name":"demo","uid":"uid-demo"}],"resourceVersion":"1"}}
    merge ResourceClaim demo-1-pool {"metadata":{"labels":{"app.kubernetes.io/managed-by":"grove-operator"}}}
    "#);
    let foreign = facts_of_users();
    assert_eq!(keeper(&set, wanted(&entry, 2), &foreign).corrections(), []);
    let unchanged = facts_of_two();
    assert_eq!(
        keeper(&set, wanted(&entry, 2), &unchanged).corrections(),
        []
    );
}

/// Without an owner and without our labels of the set: users made them.
fn facts_of_users() -> ClaimFacts {
    let mut facts = facts(&["-?demo-0-pool", "?demo-1-pool"], &[]);
    let mut other = Claim::clone(&facts.found["demo-1-pool"]);
    other.metadata.labels = Some(labels::default_labels("other"));
    facts.found.insert("demo-1-pool".into(), Arc::new(other));
    facts
}

fn facts_of_two() -> ClaimFacts {
    facts(&["demo-0-pool", "demo-1-pool"], &[])
}

/// Of a replica that is scaled in, once no pod names it and none can be created any more.
#[rstest]
#[case::unused(&[], 1, true, false, &["demo-1-pool"])]
#[case::wanted(&[], 2, true, false, &[])]
#[case::its_replica_is_not_gone(&[], 1, false, false, &[])]
#[case::used(&["p demo-1-pool"], 1, true, false, &[])]
#[case::used_by_a_pod_that_ends(&["+p demo-1-pool"], 1, true, false, &[])]
#[case::used_by_a_lost_pod(&["++p demo-1-pool"], 1, true, false, &[])]
#[case::named_by_a_pod_that_ended(&["=p demo-1-pool"], 1, true, false, &[])]
#[case::a_pod_may_exist_unseen(&[], 1, true, true, &[])]
fn claims_are_removed_exactly(
    #[case] pods: &[&str],
    #[case] replicas: i32,
    #[case] is_free: bool,
    #[case] may_have_more: bool,
    #[case] removed: &[&str],
) {
    let (set, entry) = (demo(), sharing("pool", "", PerReplica));
    let facts = ClaimFacts {
        may_have_more,
        ..facts(
            &["demo-0-pool", "demo-1-pool", "!demo-2-pool", "+demo-3-pool"],
            pods,
        )
    };
    let actions = keeper(&set, wanted(&entry, replicas), &facts).removals(now(), |_| is_free);
    let expected = removed.iter();
    let expected: Vec<String> = expected
        .map(|name| format!("delete ResourceClaim {name}: no pod uses it any more"))
        .collect();
    assert_eq!(texts(&actions), expected);
}

/// The owner makes the claim that pods wait for, and removes the earlier one once its last pod is
/// gone.
#[test]
fn a_claim_of_lost_pods_is_replaced_and_removed_once_they_are_gone() {
    let (set, entry) = (demo(), sharing("pool", "", AllReplicas));
    let lost = facts(&["demo-all-pool"], &["++p demo-all-pool"]);
    let keeper_of_lost = keeper(&set, wanted(&entry, 1), &lost);
    let created = texts(&keeper_of_lost.creations(now()));
    assert_eq!(created, ["create ResourceClaim demo-all-pool.1"]);
    assert_eq!(keeper_of_lost.removals(now(), |_| true), []);
    let taken = facts(
        &["demo-all-pool", "!demo-all-pool.1"],
        &["++p demo-all-pool"],
    );
    let created = texts(&keeper(&set, wanted(&entry, 1), &taken).creations(now()));
    assert_eq!(created, ["create ResourceClaim demo-all-pool.2"]);
    let gone = facts(
        &["demo-all-pool", "demo-all-pool.1"],
        &["q demo-all-pool.1"],
    );
    let keeper_of_gone = keeper(&set, wanted(&entry, 1), &gone);
    assert_eq!(keeper_of_gone.creations(now()), []);
    let removed = texts(&keeper_of_gone.removals(now(), |_| true));
    assert_eq!(
        removed,
        ["delete ResourceClaim demo-all-pool: no pod uses it any more"]
    );
}

/// Claim 0.1 has replaced claim 0, whose pods are gone: its replica lives on, and new pods name 0.1.
#[test]
fn a_replaced_claim_of_a_replica_does_not_wait_for_the_end_of_the_replica() {
    let (set, entry) = (demo(), sharing("pool", "", PerReplica));
    let replaced = facts(
        &["demo-0-pool", "demo-0-pool.1", "demo-1-pool"],
        &["q demo-0-pool.1"],
    );
    let removed = keeper(&set, wanted(&entry, 1), &replaced).removals(now(), |_| false);
    assert_eq!(
        texts(&removed),
        ["delete ResourceClaim demo-0-pool: no pod uses it any more"]
    );
}

#[test]
fn a_loss_is_waited_for() {
    let none = holders(&["p a", "++q a"]);
    assert_eq!(none.next_loss(now(), |_| true), None);
    let soon = holders(&["p a", "++q a", "+r b"]);
    assert_eq!(soon.next_loss(now(), |_| true), Some(after(110)));
    assert_eq!(soon.next_loss(now(), |claim| claim == "a"), None);
    assert_eq!(soon.clone().only(|claim| claim == "a"), none);
}
