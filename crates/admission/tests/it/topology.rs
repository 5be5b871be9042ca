//! Topology constraints in the cluster that a set is sent to, with the words of the errors.

mod all_replicas;

use std::collections::BTreeMap;

use admission::warnings::{in_cluster, of_set};
use admission::{Rules, validate_update};
use domain::scheduling::{Backend, Profiles};
use domain::topology::Levels;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, Edit, GROUP, at};

use crate::cases::{lines, set, verdict, words};

const OWN: &str = "/spec/template/topologyConstraint";

fn levels(domains: &[&str]) -> Levels {
    let each = domains
        .iter()
        .map(|domain| json!({"domain": domain, "key": format!("example.com/{domain}")}));
    Levels::from_text(&each.collect::<Value>().to_string()).unwrap()
}

/// A cluster with two topologies, and an operator for three schedulers.
fn rules() -> Rules {
    let topologies = [
        ("fabric", levels(&["zone", "rack", "host"])),
        ("site", levels(&["building"])),
    ];
    let profiles = [
        ("default-scheduler", Backend::Kubernetes),
        ("volcano", Backend::Volcano),
        ("plain", Backend::DefaultScheduler),
    ];
    let profiles = profiles.map(|(name, backend)| (name.to_owned(), backend));
    Rules {
        profiles: Some(Profiles::of(profiles)),
        topologies: Some(
            topologies
                .map(|(name, levels)| (name.to_owned(), levels))
                .into(),
        ),
        ..Rules::default()
    }
}

fn disabled() -> Rules {
    Rules {
        allows_topology: false,
        ..rules()
    }
}

fn pack(required: &str, preferred: &str) -> Value {
    json!({"topologyName": "fabric", "pack": {"required": required, "preferred": preferred}})
}

fn required(level: &str) -> Value {
    json!({"topologyName": "fabric", "pack": {"required": level}})
}

fn clique(i: usize) -> String {
    format!("{CLIQUES}/{i}/topologyConstraint")
}

/// The values, and this scheduler for all pods.
fn scheduled_by(scheduler: &str, edits: &[Edit<'_>]) -> Vec<(String, Value)> {
    let names = (0..3).map(|i| format!("{CLIQUES}/{i}/spec/podSpec/schedulerName"));
    let edits = edits
        .iter()
        .map(|(at, value)| ((*at).to_owned(), value.clone()));
    names
        .map(|at| (at, json!(scheduler)))
        .chain(edits)
        .collect()
}

fn borrowed(edits: &[(String, Value)]) -> Vec<Edit<'_>> {
    let each = edits.iter().map(|(at, value)| (at.as_str(), value.clone()));
    each.collect()
}

/// The errors of each new set, under its name.
fn describe(cases: &[(&str, Vec<Edit<'_>>)], rules: &Rules) -> String {
    let told = cases
        .iter()
        .map(|(case, edits)| verdict(case, &words(&set(edits), rules)));
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn levels_and_their_topology_have_to_exist() {
    let (group, first) = (at(GROUP, "topologyConstraint"), clique(0));
    let (group, first) = (group.as_str(), first.as_str());
    let unknown = json!({"topologyName": "nosuch", "pack": {"required": "rack"}});
    let told = describe(
        &[
            (
                "good",
                vec![(OWN, pack("zone", "rack")), (group, required("host"))],
            ),
            ("no such topology", vec![(OWN, unknown)]),
            ("no such levels", vec![(OWN, pack("block", "pod"))]),
            (
                "no such level of a clique without a name",
                vec![
                    (OWN, required("zone")),
                    (first, json!({"pack": {"preferred": "row"}})),
                ],
            ),
            (
                "levels of another topology",
                vec![
                    (OWN, required("zone")),
                    (
                        first,
                        json!({"topologyName": "site", "pack": {"required": "building"}}),
                    ),
                ],
            ),
        ],
        &rules(),
    );
    insta::assert_snapshot!(told);
}

#[test]
fn without_any_topology_there_is_none_to_choose() {
    let rules = Rules {
        topologies: Some(BTreeMap::new()),
        ..rules()
    };
    let told = words(&set(&[(OWN, required("rack"))]), &rules);
    assert_eq!(
        told,
        "  spec.template.topologyConstraint.topologyName: \"fabric\": ClusterTopologyBinding \
         \"fabric\" does not exist; create it"
    );
}

#[test]
fn an_outer_level_is_not_narrower_than_an_inner_one() {
    let (group, alone, member) = (at(GROUP, "topologyConstraint"), clique(0), clique(1));
    let (group, alone, member) = (group.as_str(), alone.as_str(), member.as_str());
    let told = describe(
        &[
            (
                "all in all",
                vec![
                    (OWN, pack("host", "host")),
                    (group, pack("rack", "zone")),
                    (member, required("zone")),
                ],
            ),
            (
                "a clique that is not in the group",
                vec![(group, required("host")), (alone, required("rack"))],
            ),
            (
                "equal ones",
                vec![(OWN, required("rack")), (group, required("rack"))],
            ),
            (
                "what is required and what is preferred",
                vec![
                    (OWN, required("host")),
                    (group, json!({"pack": {"preferred": "zone"}})),
                ],
            ),
            (
                "an unknown level",
                vec![(OWN, required("host")), (group, required("block"))],
            ),
        ],
        &rules(),
    );
    insta::assert_snapshot!(told);
}

#[rstest]
#[case::volcano("volcano", Some("Volcano"))]
#[case::a_profile_that_gets_no_gangs("plain", Some("plain"))]
#[case::no_profile("mine", Some("mine"))]
#[case::kubernetes("default-scheduler", None)]
fn a_required_level_needs_a_scheduler_that_keeps_it(
    #[case] scheduler: &str,
    #[case] title: Option<&str>,
) {
    let (group, member) = (at(GROUP, "topologyConstraint"), clique(1));
    let preferred = json!({"topologyName": "fabric", "pack": {"preferred": "zone"}});
    let edits = |inner: Value| {
        let constraints = [
            (OWN, preferred.clone()),
            (&*group, inner.clone()),
            (&*member, inner),
        ];
        scheduled_by(scheduler, &constraints)
    };
    let told = |inner| words(&set(&borrowed(&edits(inner))), &rules());
    assert_eq!(told(json!({"pack": {"preferred": "rack"}})), "");
    let expected = title.map(|title| {
        format!(
            "  spec.template.podCliqueScalingGroups[0].topologyConstraint.pack.required: \
             \"rack\": {title} cannot honour pack.required; use a scheduler whose profile has \
             backend kai-scheduler or kubernetes, or pack.preferred"
        )
    });
    assert_eq!(
        told(json!({"pack": {"required": "rack"}})),
        expected.unwrap_or_default()
    );
}

#[test]
fn a_new_set_has_no_constraint_where_they_are_disabled() {
    let member = clique(2);
    let edits = [(OWN, required("nosuch")), (&*member, required("rack"))];
    insta::assert_snapshot!(words(&set(&edits), &disabled()));
    assert_eq!(words(&set(&[]), &disabled()), "");
}

/// A file, and a set that is stored, are judged without a cluster.
#[test]
fn what_is_not_known_refuses_nothing() {
    let group = at(GROUP, "topologyConstraint");
    let edits = [(OWN, required("host")), (&*group, required("rack"))];
    let edits = scheduled_by("volcano", &edits);
    let set = set(&borrowed(&edits));
    assert_eq!(words(&set, &Rules::default()), "");
    assert_eq!(in_cluster(&set, &Rules::default()), []);
}

fn old(name: &str, level: &str) -> Value {
    json!({"topologyName": name, "packDomain": level})
}

fn nameless(level: &str) -> Value {
    json!({"packDomain": level})
}

const DOMAIN: &str = "  spec.template.topologyConstraint.packDomain: \"block\": topology domain \
                      \"block\" does not exist in ClusterTopologyBinding \"fabric\"; use one of \
                      zone, rack, host";
const NAME: &str = "  spec.template.topologyConstraint.topologyName: \"gone\": \
                    ClusterTopologyBinding \"gone\" does not exist; create it, or use one of \
                    fabric, site";

/// Constraints are fixed: an update is judged by the cluster only where it names the topology of old
/// ones.
#[rstest]
#[case::kept(required("block"), required("block"), "")]
#[case::modernized(old("fabric", "block"), required("block"), "")]
#[case::named(nameless("rack"), old("fabric", "rack"), "")]
#[case::named_with_an_unknown_level(nameless("block"), old("fabric", "block"), DOMAIN)]
#[case::named_as_an_unknown_one(nameless("rack"), old("gone", "rack"), NAME)]
#[case::changed(
    required("rack"),
    required("block"),
    "  spec.template.topologyConstraint: {\"topologyName\":\"fabric\",\"pack\":{\"required\":\
     \"block\"}}: is immutable: cannot be changed; restore {\"topologyName\":\"fabric\",\"pack\":\
     {\"required\":\"rack\"}}, or create another PodCliqueSet"
)]
fn stored_constraints_are_not_judged_again(
    #[case] before: Value,
    #[case] after: Value,
    #[case] expected: &str,
) {
    let stored = set(&[(OWN, before)]);
    let sent = set(&[(OWN, after), ("/spec/replicas", json!(2))]);
    assert_eq!(lines(&validate_update(&stored, &sent, &rules())), expected);
    let is_fixed = expected.contains("immutable");
    let told = lines(&validate_update(&stored, &sent, &disabled()));
    assert_eq!(told, if is_fixed { expected } else { "" }, "disabled");
}

fn warned(edits: &[Edit<'_>]) -> String {
    let warnings = in_cluster(&set(edits), &rules());
    let each = warnings.iter().map(ToString::to_string);
    each.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_preferred_level_that_is_broader_than_the_required_one_is_redundant() {
    let group = at(GROUP, "topologyConstraint");
    assert_eq!(
        warned(&[(OWN, pack("zone", "rack")), (&*group, pack("rack", "zone"))]),
        "spec.template.podCliqueScalingGroups[0].topologyConstraint.pack.preferred: zone is not \
         narrower than pack.required (rack) and is redundant"
    );
    assert_eq!(warned(&[(OWN, pack("block", "zone"))]), "");
}

#[test]
fn the_name_of_a_topology_in_an_annotation_is_warned_of() {
    let name = json!({"grove.io/topology-name": "fabric"});
    let group = at(GROUP, "annotations");
    let sent = set(&[("/metadata/annotations", name.clone()), (&*group, name)]);
    let warnings = of_set(None, &sent);
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let text = "has no effect: name the topology in topologyConstraint.topologyName";
    let places = ["metadata", "spec.template.podCliqueScalingGroups[0]"];
    let expected =
        places.map(|place| format!("{place}.annotations[grove.io/topology-name]: {text}"));
    assert_eq!(told, expected);
}

#[test]
fn a_scheduler_without_a_profile_gets_no_gangs() {
    let told = |scheduler: &str| warned(&borrowed(&scheduled_by(scheduler, &[])));
    assert_eq!(
        told("mine"),
        "spec.template.cliques[0].spec.podSpec.schedulerName: no profile of the operator \
         (scheduler.profiles) has mine: it gets no gangs, so the pods of one start together and \
         are not placed all or none"
    );
    for known in ["volcano", "default-scheduler", ""] {
        assert_eq!(told(known), "", "{known}");
    }
    assert_eq!(warned(&[]), "");
}

#[test]
fn a_set_that_is_being_deleted_gets_no_warning() {
    let deleted = ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    assert_eq!(warned(&[deleted, (OWN, pack("rack", "zone"))]), "");
}
