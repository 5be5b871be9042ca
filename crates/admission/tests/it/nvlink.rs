//! MNNVL groups: where they are disabled, and where no pod is in one.

use admission::{Rules, validate, validate_update};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{Edit, FRONTEND, GROUP, LEADER, WORKER, at};

use crate::cases::set;
use crate::warnings::told;

fn group(name: &str) -> Value {
    json!({"grove.io/mnnvl-group": name})
}

fn disabled() -> Rules {
    Rules {
        allows_mnnvl: false,
        ..Rules::default()
    }
}

/// The annotations of all three layers.
fn everywhere(name: &str) -> [(String, Value); 3] {
    [
        ("/metadata/annotations".to_owned(), group(name)),
        (at(FRONTEND, "annotations"), group(name)),
        (at(GROUP, "annotations"), group(name)),
    ]
}

fn edits(places: &[(String, Value)]) -> Vec<Edit<'_>> {
    let each = places.iter();
    each.map(|(at, value)| (at.as_str(), value.clone()))
        .collect()
}

#[test]
fn a_new_set_names_no_group_where_they_are_disabled() {
    let named = everywhere("rack");
    let named = set(&edits(&named));
    let errors = validate(&named, &disabled());
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let text = "\"rack\": MNNVL is not enabled in the operator configuration; set \
                network.autoMNNVLEnabled, or remove the grove.io/mnnvl-group annotation";
    let places = [
        "metadata",
        "spec.template.cliques[0]",
        "spec.template.podCliqueScalingGroups[0]",
    ];
    let expected = places.map(|at| format!("{at}.annotations[grove.io/mnnvl-group]: {text}"));
    assert_eq!(errors, expected);
    assert!(validate(&named, &Rules::default()).is_empty());
    // A stored one runs on.
    assert!(validate_update(&named, &named, &disabled()).is_empty());
    let none = everywhere("none");
    assert!(validate(&set(&edits(&none)), &disabled()).is_empty());
}

const OF_SET: &str = "  metadata.annotations[grove.io/mnnvl-group]: has no effect: no container that \
                      it is for requests nvidia.com/gpu; for those that only use resource claims, \
                      annotate the clique itself";
const OF_GROUP: &str = "  spec.template.podCliqueScalingGroups[0].annotations[grove.io/mnnvl-group]: \
                        has no effect: no container that it is for requests nvidia.com/gpu; for those \
                        that only use resource claims, annotate the clique itself";
const OF_LEADER: &str = "  spec.template.cliques[1].annotations[grove.io/mnnvl-group]: has no effect: no \
                         container that it is for requests nvidia.com/gpu or uses a resource claim";

/// An annotation is for the cliques that take their group from it.
#[rstest]
#[case::nobody(&[], &[], &[OF_SET])]
#[case::member(&[WORKER], &[], &[])]
#[case::standalone(&[FRONTEND], &[], &[])]
#[case::member_of_its_group(&[WORKER], &[GROUP], &[OF_SET])]
#[case::beside_the_group(&[FRONTEND], &[GROUP], &[OF_GROUP])]
#[case::both(&[FRONTEND, LEADER], &[GROUP], &[])]
#[case::its_own(&[LEADER], &[LEADER], &[OF_SET])]
fn an_annotation_that_no_gpu_follows_is_warned_of(
    #[case] with_gpus: &[&str],
    #[case] annotated: &[&str],
    #[case] expected: &[&str],
) {
    let resources = json!({"limits": {"nvidia.com/gpu": "1"}});
    let container = "spec/podSpec/containers/0/resources";
    let gpus = with_gpus
        .iter()
        .map(|clique| (at(clique, container), resources.clone()));
    let groups = annotated
        .iter()
        .map(|place| (at(place, "annotations"), group("rack")));
    let of_set = ("/metadata/annotations".to_owned(), group("fast"));
    let places: Vec<_> = [of_set].into_iter().chain(groups).chain(gpus).collect();
    assert_eq!(told(None, &edits(&places)), expected.join("\n"));
}

/// Claims that pods share count as those of a template, for a clique that has the annotation itself.
#[rstest]
#[case::without_claims(LEADER, None, OF_LEADER)]
#[case::of_the_clique(LEADER, Some(LEADER), "")]
#[case::of_its_group(LEADER, Some(GROUP), "")]
#[case::of_the_set(LEADER, Some("/spec/template"), "")]
#[case::of_another_clique(LEADER, Some(FRONTEND), OF_LEADER)]
#[case::annotated_on_the_group(GROUP, Some(GROUP), OF_GROUP)]
fn shared_claims_are_gpus_of_a_clique_with_its_own_annotation(
    #[case] annotated: &str,
    #[case] shares: Option<&str>,
    #[case] expected: &str,
) {
    let entries = json!([{"name": "pool", "namespace": "gpu", "scope": "AllReplicas"}]);
    let annotations = (at(annotated, "annotations"), group("rack"));
    let sharing = shares.map(|place| (at(place, "resourceSharing"), entries));
    let places: Vec<_> = [annotations].into_iter().chain(sharing).collect();
    assert_eq!(told(None, &edits(&places)), expected);
}
