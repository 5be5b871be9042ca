//! PodGroups of KAI Scheduler (seed 001, "Validation Rules").

use rstest::rstest;
use serde_json::{Value, json};

use super::lint;

fn group(spec: &Value) -> String {
    let object = json!({
        "apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
        "metadata": {"name": "svc"}, "spec": spec,
    });
    object.to_string()
}

fn prefill(root: &Value) -> Value {
    let leaf = |i| json!({"name": format!("prefill-{i}"), "minMember": 8});
    let mut spec = json!({"subGroups": (0..4).map(leaf).collect::<Vec<_>>()});
    for (key, value) in root.as_object().unwrap() {
        spec[key] = value.clone();
    }
    spec
}

#[rstest]
#[case(prefill(&json!({"minMember": 24, "minSubGroup": 3})), &[])]
#[case(prefill(&json!({"minMember": 20, "minSubGroup": 3})), &[])]
#[case(prefill(&json!({})), &[])]
#[case(
    prefill(&json!({"minMember": 30, "minSubGroup": 3})),
    &["gang-tree-inconsistent spec.minMember: svc: minMember 30 is more than the 24 pods of the \
       children that it requires: raise minSubGroup, or lower minMember"]
)]
#[case(
    prefill(&json!({"minSubGroup": 5})),
    &["gang-tree-impossible spec.minSubGroup: svc: minSubGroup 5 is more than its 4 children: \
       lower it, or add children"]
)]
#[case(
    json!({"subGroups": [{"name": "a", "minSubGroup": 1}]}),
    &["gang-tree-impossible spec.subGroups[0].minSubGroup: a: minSubGroup counts children, and it \
       has none: use minMember"]
)]
#[case(
    json!({"subGroups": [{"name": "a", "parent": "b", "minMember": 1}]}),
    &["gang-tree-impossible spec.subGroups: subgroup a names the parent b, which is not listed: \
       add it, or drop `parent`"]
)]
#[case(
    json!({"subGroups": [{"name": "a"}, {"name": "a"}]}),
    &["gang-tree-impossible spec.subGroups: subgroup a is listed twice: give each a name of its own"]
)]
fn a_tree_is_checked(#[case] spec: Value, #[case] expected: &[&str]) {
    let report = lint(&group(&spec));
    assert_eq!(report.checked, 1);
    let findings = report.findings.iter();
    let said = findings.map(|f| format!("{} {}", f.remark.rule.id, f.remark));
    assert_eq!(said.collect::<Vec<_>>(), expected);
}

#[test]
fn a_pod_group_that_cannot_be_decoded_is_reported() {
    let report = lint(&group(&json!({"subGroups": "x"})));
    let said = report.findings[0].remark.to_string();
    assert!(
        said.starts_with("spec: cannot be read as a PodGroup: "),
        "{said}"
    );
    let other = r#"{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}"#;
    assert_eq!(lint(other).checked, 0);
}
