//! The comparison of the chart's rights with the used rights can fail.

use e2e::rights::{WITHOUT_ROLE, asked, granted, problems, summary};
use serde_json::{Value, json};

/// All rights with a reason other than a request, and two more rights.
const ROLE: &str = "
rules:
  - {apiGroups: [grove.io], resources: [podcliquesets/finalizers, podcliquescalinggroups/finalizers,
     podcliques/finalizers], verbs: [update]}
  - {apiGroups: [''], resources: [nodes], verbs: [get]}
  - {apiGroups: [grove.io], resources: [clustertopologybindings], verbs: [get]}
  - {apiGroups: [resource.k8s.io], resources: [resourceclaimtemplates], verbs: [get]}
  - {apiGroups: [''], resources: [pods], verbs: [create, delete]}
";

fn event(verb: &str, decision: &str) -> Value {
    json!({
        "verb": verb,
        "objectRef": {"resource": "pods", "namespace": "ns"},
        "annotations": {"authorization.k8s.io/decision": decision},
    })
}

/// The problems of the role, given these requests; the summary without problems.
fn compared(role: &str, events: &[Value]) -> Vec<String> {
    let lines: Vec<_> = events.iter().map(Value::to_string).collect();
    let asked = asked([lines.join("\n").as_bytes()]).unwrap();
    let granted = granted(role).unwrap();
    let problems = problems(&granted, &asked);
    if problems.is_empty() {
        return vec![summary(&granted, &asked)];
    }
    problems
}

#[test]
fn every_right_is_used_or_has_a_reason() {
    let mut begins = event("create", "allow");
    begins["stage"] = "ResponseStarted".into();
    let mut throttled = event("create", "allow");
    throttled["annotations"] = json!({});
    throttled["responseStatus"] = json!({"code": 429});
    let all = [
        event("create", "allow"),
        event("delete", "allow"),
        begins,
        throttled,
    ];
    let lines = compared(ROLE, &all);
    assert!(lines[0].starts_with("rights: 2 requests of the operator, none forbidden"));
    assert!(lines[0].contains("of 8 rights in the chart's role 2 were used"));
    let lines = compared(ROLE, &all[..1]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("no test used `delete pods`"),
        "{lines:?}"
    );
}

#[test]
fn forbidden_requests_are_reported() {
    let mut owned = event("delete", "allow");
    let words = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't \
                 set finalizers on";
    owned["responseStatus"] = json!({"code": 403, "message": words});
    let mut confined = event("create", "allow");
    let words = "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'grove-operator' with binding";
    confined["responseStatus"] = json!({"code": 403, "message": words});
    let lines = compared(
        ROLE,
        &[
            event("create", "allow"),
            event("delete", "allow"),
            event("patch", "forbid"),
            owned,
            confined,
        ],
    );
    assert_eq!(lines.len(), 3, "{lines:?}");
    let (refused, lines) = lines.split_first().unwrap();
    assert!(refused.starts_with("forbidden: `create pods`"), "{lines:?}");
    assert!(
        lines[0].starts_with("forbidden: `delete pods` in \"ns\""),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("forbidden: `patch pods` in \"ns\""),
        "{lines:?}"
    );
}

#[test]
fn forbidden_requests_where_a_test_removed_the_role_are_not_reported() {
    let mut refused = event("list", "forbid");
    refused["objectRef"]["namespace"] = format!("e2e-{WITHOUT_ROLE}-1").into();
    let lines = compared(
        ROLE,
        &[event("create", "allow"), event("delete", "allow"), refused],
    );
    assert!(lines[0].starts_with("rights: 3 requests"), "{lines:?}");
}

#[test]
fn a_reason_for_a_used_or_missing_right_is_stale() {
    let mut updating = event("update", "allow");
    updating["objectRef"]["apiGroup"] = "grove.io".into();
    updating["objectRef"]["resource"] = "podcliques/finalizers".into();
    let all = [event("create", "allow"), event("delete", "allow"), updating];
    let lines = compared(ROLE, &all);
    let used = "`update podcliques/finalizers.grove.io` is used";
    assert!(lines[0].starts_with(used), "{lines:?}");
    let without = ROLE.replace("     podcliques/finalizers", "");
    let lines = compared(&without, &all[..2]);
    let gone = "`update podcliques/finalizers.grove.io` is used, or not granted";
    assert!(lines[0].starts_with(gone), "{lines:?}");
}

#[test]
fn the_operator_grants_no_account_and_no_right() {
    let all = [event("create", "allow"), event("delete", "allow")];
    for (resource, verb) in [("roles", "create"), ("serviceaccounts", "get")] {
        let line = format!("  - {{apiGroups: [''], resources: [{resource}], verbs: [{verb}]}}\n");
        let lines = compared(&format!("{ROLE}{line}"), &all);
        let granted = format!("`{verb} {resource}` is granted: it must never be");
        assert!(lines.contains(&granted), "{lines:?}");

        let mut asking = event(verb, "forbid");
        asking["objectRef"]["resource"] = resource.into();
        let lines = compared(ROLE, &[&all[..], &[asking]].concat());
        let asked = format!("`{verb} {resource}` was asked for: it must never be");
        assert!(lines.contains(&asked), "{lines:?}");
    }
}
