//! Every name derived from an accepted set is a DNS label, at every scale.

use admission::{Rules, validate};
use api::limits::MAX_REPLICAS;
use api::{PodCliqueSet, labels, names};
use domain::scheduling;
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::builders::stored;
use testkit::good_set::{CLIQUES, GROUPS};

use crate::cases::set;

/// The last index that `/scale` allows.
const LAST: i32 = MAX_REPLICAS - 1;
/// The API server's suffix for `generateName`.
const GENERATED: &str = "x7k2p";

/// Names of a length that is often just allowed and often just too long: from 1 to this.
fn name(longest: usize) -> impl Strategy<Value = String> {
    let inner = longest.saturating_sub(2);
    let label = format!("[a-z0-9][a-z0-9-]{{0,{inner}}}[a-z0-9]");
    let label = proptest::string::string_regex(&label).unwrap();
    prop_oneof![9 => label, 1 => "[a-z0-9]", 1 => "[a-z0-9.-]{1,6}"]
}

fn sharing() -> impl Strategy<Value = Value> {
    let scope = prop_oneof![Just("AllReplicas"), Just("PerReplica")];
    let entry = (name(39), scope).prop_map(|(name, scope)| json!([{"name": name, "scope": scope}]));
    prop_oneof![entry, Just(json!([]))]
}

fn nvlink() -> impl Strategy<Value = Value> {
    let group = name(49).prop_map(|group| json!({ "grove.io/mnnvl-group": group }));
    prop_oneof![group, Just(json!({}))]
}

/// A standalone clique and a group of one, with claims and NVLink groups at each level.
fn sets() -> impl Strategy<Value = PodCliqueSet> {
    let own = (name(15), any::<bool>());
    let names = (name(31), name(15), name(15));
    let claims = (sharing(), sharing(), sharing(), sharing());
    let groups = (nvlink(), nvlink(), nvlink());
    (own, names, claims, groups).prop_map(|((own, is_generated), names, claims, groups)| {
        let clique = |name: &str, sharing: &Value, annotations: &Value| {
            json!({
                "name": name, "resourceSharing": sharing, "annotations": annotations,
                "spec": {"roleName": name, "replicas": 1, "podSpec": {"containers": [{"name": "main"}]}}
            })
        };
        let field = if is_generated { "/metadata/generateName" } else { "/metadata/name" };
        let front = clique(&names.0, &claims.1, &groups.1);
        let member = clique(&names.2, &claims.2, &json!({}));
        set(&[
            ("/metadata/name", Value::Null),
            (field, json!(own)),
            ("/metadata/annotations", groups.0),
            ("/spec/template/resourceSharing", claims.0),
            (CLIQUES, json!([front, member])),
            (GROUPS, json!([{
                "name": names.1, "cliqueNames": [names.2], "resourceSharing": claims.3,
                "annotations": groups.2
            }])),
        ])
    })
}

/// All names that begin with the name of the set, at full size.
fn made_of(pcs: &PodCliqueSet) -> Vec<String> {
    let template = &pcs.spec.template;
    let set = set_name(pcs);
    let (front, member) = (&template.cliques[0], &template.cliques[1]);
    let config = &template.scaling_groups[0];
    let group = names::scaling_group(&set, LAST, &config.name);
    let alone = names::standalone_clique(&set, LAST, &front.name);
    let grouped = names::grouped_clique(&group, LAST, &member.name);
    let scaled = names::scaled_gang(&group, LAST, 0);
    let mut made = vec![
        names::base_gang(&set, LAST),
        names::headless_service(&set, LAST),
        names::group_constraint(&group, LAST),
        scheduling::pod_group_name("default", &scaled),
        scheduling::leaf_name(&in_group(&grouped, &group)),
        scaled,
        group.clone(),
    ];
    for podclique in [&alone, &grouped] {
        made.push(names::hostname(podclique, LAST));
        made.push(format!("{podclique}-{GENERATED}"));
    }
    let of_set = template.resource_sharing.iter().map(|entry| &entry.sharing);
    let of_group = config.resource_sharing.iter().map(|entry| &entry.sharing);
    let shared = of_set
        .map(|entry| (&set, entry))
        .chain(of_group.map(|entry| (&group, entry)));
    let shared = shared.chain(front.resource_sharing.iter().map(|entry| (&alone, entry)));
    let shared = shared.chain(
        member
            .resource_sharing
            .iter()
            .map(|entry| (&grouped, entry)),
    );
    made.extend(shared.map(|(owner, entry)| match entry.scope {
        api::resources::ResourceSharingScope::AllReplicas => {
            names::shared_claim(owner, &entry.name)
        }
        api::resources::ResourceSharingScope::PerReplica => {
            names::replica_claim(owner, LAST, &entry.name)
        }
    }));
    let annotations = [
        pcs.metadata.annotations.as_ref(),
        Some(&front.annotations),
        Some(&config.annotations),
    ];
    let domains = annotations
        .into_iter()
        .flatten()
        .filter_map(|all| all.get(labels::MNNVL_GROUP));
    made.extend(domains.map(|domain| names::compute_domain(&set, LAST, domain)));
    made.extend([alone, grouped, set]);
    made
}

fn set_name(pcs: &PodCliqueSet) -> String {
    let meta = &pcs.metadata;
    let generated = meta
        .generate_name
        .as_ref()
        .map(|prefix| format!("{prefix}{GENERATED}"));
    meta.name.clone().or(generated).unwrap_or_default()
}

fn in_group(
    podclique: &str,
    group: &str,
) -> k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
    let mut meta = stored(podclique);
    meta.labels
        .get_or_insert_default()
        .insert(labels::SCALING_GROUP.into(), group.into());
    meta
}

fn is_label(name: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=63).contains(&name.len())
        && name.bytes().all(is_inner)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn names_made_of_an_accepted_set_are_dns_labels_at_any_scale(pcs in sets()) {
        let is_accepted = validate(&pcs, &Rules::default()).is_empty();
        let made = made_of(&pcs);
        let wrong: Vec<_> = made.iter().filter(|name| !is_label(name)).collect();
        prop_assert!(!is_accepted || wrong.is_empty(), "{:?}", wrong);
        // Services.
        let starts = set_name(&pcs).starts_with(|c: char| c.is_ascii_lowercase());
        prop_assert!(!is_accepted || starts, "{}", set_name(&pcs));
    }
}

/// The longest accepted names use the last character of a pod's name.
#[test]
fn the_limit_is_as_high_as_it_can_be() {
    let group = names::scaling_group("s", LAST, "g");
    let pod = format!(
        "{}-{GENERATED}",
        names::grouped_clique(&group, LAST, &"c".repeat(43))
    );
    assert_eq!(names::MAX_COMBINED_LENGTH, 45);
    assert_eq!(pod.len(), 63);
}
