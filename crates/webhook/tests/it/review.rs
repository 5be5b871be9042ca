//! Requests as the API server writes them, and answers as it reads them.

use std::collections::BTreeSet;

use admission::{FieldError, Rules, validate};
use api::PodCliqueSet;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::admission_cases;
use testkit::good_set::{CLIQUES, FRONTEND, at, edited, good};
use webhook::answers::Hook;
use webhook::review::{Answer, Operation, Review, encode};

use crate::made_up::judge_of_nothing;
use crate::questions::{PODCLIQUES, SETS, ask, create, question, scale, update};

/// The answer and its response.
fn responded(question: &Value, answer: &Answer) -> Value {
    let text = question.to_string();
    let review: Review<'_> = serde_json::from_str(&text).unwrap();
    let encoded = encode(&review.request, answer);
    assert_eq!(encoded["apiVersion"], "admission.k8s.io/v1");
    assert_eq!(encoded["kind"], "AdmissionReview");
    assert_eq!(encoded["response"]["uid"], question["request"]["uid"]);
    encoded["response"].clone()
}

/// The output of kubectl for an invalid object: `statusCausesToAggrError` and `MultilineError`.
fn printed(response: &Value) -> String {
    let details = &response["status"]["details"];
    let (kind, name) = (
        details["kind"].as_str().unwrap(),
        details["name"].as_str().unwrap(),
    );
    let causes = details["causes"].as_array().unwrap().iter().map(|cause| {
        let text = |field: &str| cause[field].as_str().unwrap().to_owned();
        format!("* {}: {}\n", text("field"), text("message"))
    });
    format!(
        "The {kind} {name:?} is invalid: \n{}",
        causes.collect::<String>()
    )
}

#[rstest]
#[case::create(create(SETS, &good()), Operation::Create, "", [true, false])]
#[case::update(update(SETS, &good(), &good()), Operation::Update, "", [true, true])]
#[case::delete(question("DELETE", SETS, &Value::Null, &good()), Operation::Delete, "", [false, true])]
#[case::scale(scale(SETS, "serve", 3), Operation::Update, "scale", [true, true])]
#[case::connect(
    question("CONNECT", "pods/exec", &json!({"kind": "PodExecOptions", "stdin": true}), &Value::Null),
    Operation::Connect, "exec", [true, false]
)]
fn questions_are_read(
    #[case] question: Value,
    #[case] operation: Operation,
    #[case] subresource: &str,
    #[case] has: [bool; 2],
) {
    let text = question.to_string();
    let review: Review<'_> = serde_json::from_str(&text).unwrap();
    let request = review.request;
    assert_eq!(request.operation, operation);
    assert_eq!(request.sub_resource, subresource);
    assert_eq!(
        [request.object.is_some(), request.old_object.is_some()],
        has
    );
    assert_eq!(request.user_info.username, "alice");
    assert_eq!(request.user_info.groups, ["staff"]);
    assert_eq!(request.namespace, "default");
}

#[test]
fn optional_fields_of_a_request_may_be_missing() {
    let text = r#"{"request": {"uid": "u", "resource": {"version": "v1", "resource": "nodes"},
        "operation": "DELETE", "userInfo": {}}}"#;
    let review: Review<'_> = serde_json::from_str(text).unwrap();
    assert_eq!(review.request.resource.group, "");
    assert!(review.request.object.is_none() && review.request.old_object.is_none());
}

#[test]
fn kubectl_prints_each_problem_in_a_line_of_its_own() {
    let wrong = edited(&[
        (&at(FRONTEND, "spec/minAvailable"), json!(5)),
        ("/spec/replicas", json!(-1)),
    ]);
    let question = create(SETS, &wrong);
    let answer = ask(&judge_of_nothing(), Hook::ValidateSet, &question);
    let response = responded(&question, &answer);
    assert_eq!(response["allowed"], false);
    assert_eq!(response["status"]["code"], 422);
    assert_eq!(response["status"]["reason"], "Invalid");
    let Answer::Invalid(errors) = &answer else {
        panic!("{answer:?}");
    };
    assert_eq!(errors.len(), 2);
    let line = |e: &FieldError| format!("* {}: {}: {}; {}\n", e.path, e.value, e.problem, e.remedy);
    let lines = errors.iter().map(line).collect::<Vec<_>>().concat();
    let expected = format!("The PodCliqueSet \"serve\" is invalid: \n{lines}");
    assert_eq!(printed(&response), expected);
}

#[test]
fn a_field_that_is_not_set_is_printed_so() {
    let question = create(SETS, &edited(&[(CLIQUES, json!([]))]));
    let answer = ask(&judge_of_nothing(), Hook::ValidateSet, &question);
    let printed = printed(&responded(&question, &answer));
    assert!(printed.contains("* spec.template.cliques: "), "{printed}");
}

#[test]
fn every_problem_is_printed_once_in_all_refused_cases() {
    for case in admission_cases::all() {
        let set: PodCliqueSet = serde_json::from_value(case.object.clone()).unwrap();
        let errors = validate(&set, &Rules::default());
        let question = create(SETS, &case.object);
        let response = responded(&question, &Answer::Invalid(errors.clone()));
        let causes = response["status"]["details"]["causes"].as_array().unwrap();
        let told: BTreeSet<_> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), causes.len(), "{}", case.name);
        assert_eq!(causes.len(), errors.len(), "{}", case.name);
        for (cause, error) in causes.iter().zip(&errors) {
            let line = format!(
                "{}: {}",
                cause["field"].as_str().unwrap(),
                cause["message"].as_str().unwrap()
            );
            assert_eq!(line, error.to_string());
        }
    }
}

#[test]
fn a_refusal_has_its_code_and_reason_and_no_patch() {
    let answer = Answer::Refused {
        code: 403,
        reason: "Forbidden",
        message: "no".into(),
    };
    let response = responded(
        &question("DELETE", PODCLIQUES, &Value::Null, &good()),
        &answer,
    );
    let status = json!({"status": "Failure", "code": 403, "reason": "Forbidden", "message": "no"});
    assert_eq!(response["status"], status);
    assert_eq!(response["allowed"], false);
    assert!(response.get("patch").is_none() && response.get("patchType").is_none());
}

#[test]
fn an_allowed_object_has_its_warnings_and_patch() {
    let patch = json!([{"op": "add", "path": "/spec/x", "value": "é"}]);
    let answer = Answer::Allowed {
        patch: Some(patch.clone()),
        warnings: vec!["mind this".into()],
    };
    let response = responded(&create(SETS, &good()), &answer);
    assert_eq!(response["allowed"], true);
    assert_eq!(response["warnings"], json!(["mind this"]));
    assert_eq!(response["patchType"], "JSONPatch");
    let sent = STANDARD
        .decode(response["patch"].as_str().unwrap())
        .unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&sent).unwrap(), patch);
}

#[test]
fn an_accepted_request_without_warnings_has_no_text() {
    let question = create(SETS, &good());
    let response = responded(&question, &Answer::allowed());
    let uid = &question["request"]["uid"];
    assert_eq!(response, json!({"uid": uid, "allowed": true}));
}
