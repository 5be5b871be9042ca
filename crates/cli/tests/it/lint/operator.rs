//! Sets as an operator judges them that is configured in another way.

use admission::Rules;
use cli::lint::{Operator, StoredObjects, draw_report, judge_by};
use domain::scheduling::Profiles;
use domain::sharing::TemplatesOfOtherNamespaces;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{Edit, edited};

use super::{lint, said, source};

/// The refusals of a set with a claim from namespace `shared`. The operator reads no templates of other
/// namespaces.
fn refusals(namespace_of_set: Value, namespace: &str) -> Vec<String> {
    let entry = json!({"name": "pool", "namespace": "shared", "scope": "AllReplicas"});
    let set = edited(&[
        ("/metadata/namespace", namespace_of_set),
        ("/spec/template/resourceSharing", json!([entry])),
    ]);
    let operator = Operator {
        rules: Rules {
            templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
            ..Rules::default()
        },
        namespace: Some(namespace.to_owned()),
        ..Operator::default()
    };
    let sources = [source("set.json", set.to_string())];
    let report = judge_by(&operator, &sources, &StoredObjects::default()).into_report(&[]);
    said(&report, &["refused"])
}

/// A set that names no namespace is of that of the command line.
#[rstest]
#[case::of_another(json!("team"), "shared", 1)]
#[case::of_the_same(json!("shared"), "team", 0)]
#[case::of_another_by_the_command_line(Value::Null, "team", 1)]
#[case::of_the_same_by_the_command_line(Value::Null, "shared", 0)]
fn templates_of_other_namespaces_are_refused_if_the_operator_does_not_read_them(
    #[case] namespace_of_set: Value,
    #[case] namespace: &str,
    #[case] count: usize,
) {
    let refused = refusals(namespace_of_set, namespace);
    assert_eq!(refused.len(), count, "{refused:?}");
    let words = "spec.template.resourceSharing[0].namespace: \"shared\": templates of other namespaces are \
                 not read here; copy the template, or use resourceClaimTemplates";
    assert!(
        refused.iter().all(|text| text.contains(words)),
        "{refused:?}"
    );
}

/// An operator as installed refuses such a constraint, and ignores the queue.
#[test]
fn without_a_configuration_the_assumption_is_a_note() {
    let constraint = json!({"topologyName": "fabric", "pack": {"required": "rack"}});
    let edits: [Edit<'_>; 2] = [
        ("/spec/template/topologyConstraint", constraint),
        (
            "/metadata/labels",
            json!({"kueue.x-k8s.io/queue-name": "team-a"}),
        ),
    ];
    let report = lint(&edited(&edits).to_string());
    let note = "checked\nnote: assumed that the operator's configuration allows queues of Kueue, topology \
                constraints; pass --operator-config FILE to check it\n";
    let text = draw_report(&report, None);
    assert!(text.ends_with(note), "{text}");
    let operator = Operator {
        rules: Rules {
            profiles: Some(Profiles::default()),
            ..Rules::default()
        },
        ..Operator::default()
    };
    let sources = [source("set.json", edited(&edits).to_string())];
    let known = judge_by(&operator, &sources, &StoredObjects::default()).into_report(&[]);
    assert_eq!(known.assumed, [""; 0]);
    assert_eq!(lint(&edited(&[]).to_string()).assumed, [""; 0]);
}
