//! Sets: defaults first, then validation.

use domain::workload::limits::MAX_NAMESPACE_BYTES;
use serde_json::{Value, json};
use testkit::admission_cases::{self, Case};
use testkit::good_set::{edited, good};
use webhook::answers::{Hook, Judge};
use webhook::review::Answer;

use super::{open, verdict, with};
use crate::made_up::{MadeUp, judge};
use crate::questions::{SETS, ask, create, update};

/// The object with the defaults of the webhook's patch.
fn filled_in(question: &Value) -> Value {
    let mut object = question["request"]["object"].clone();
    let answer = ask(&open(), Hook::DefaultSet, question);
    let Answer::Allowed { patch, .. } = answer else {
        panic!("{answer:?}");
    };
    if let Some(patch) = patch {
        let patch: json_patch::Patch = serde_json::from_value(patch).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
    }
    object
}

fn question_of(case: &Case) -> Value {
    match &case.before {
        Some(before) => update(SETS, before, &case.object),
        None => create(SETS, &case.object),
    }
}

/// The paths of errors, and the paths of warnings.
fn places(answer: &Answer) -> [Vec<String>; 2] {
    let path = |line: &String| line.split(": ").next().unwrap_or_default().to_owned();
    match answer {
        Answer::Allowed { warnings, .. } => [Vec::new(), warnings.iter().map(path).collect()],
        Answer::Invalid(errors) => [errors.iter().map(|e| e.path.clone()).collect(), Vec::new()],
        Answer::Refused { .. } => panic!("{answer:?}"),
    }
}

#[test]
fn all_cases_are_answered_as_their_table_says_with_and_without_defaults_filled_in() {
    let all = admission_cases::all();
    assert!(all.len() > 100);
    for case in &all {
        let expected = [case.refused_at.clone(), case.warned_at.clone()];
        let mut question = question_of(case);
        for turn in ["as it is sent", "filled in"] {
            let answer = ask(&open(), Hook::ValidateSet, &question);
            assert_eq!(
                places(&answer),
                expected,
                "{} {turn}: {answer:?}",
                case.name
            );
            question["request"]["object"] = filled_in(&question);
        }
    }
}

#[test]
fn a_set_with_its_defaults_is_not_patched() {
    let object = filled_in(&create(SETS, &good()));
    assert_ne!(object, good());
    let answer = ask(&open(), Hook::DefaultSet, &create(SETS, &object));
    assert_eq!(answer, Answer::allowed());
}

#[test]
fn an_undecodable_set_is_not_patched() {
    let bad = with(good(), "/spec/replicas", json!("three"));
    let answer = ask(&open(), Hook::DefaultSet, &create(SETS, &bad));
    assert_eq!(answer, Answer::allowed());
}

#[test]
fn a_job_stored_without_defaults_loses_its_finalizer_and_its_cliques_are_not_patched() {
    let finalizers = json!(["grove.io/podcliqueset"]);
    let stored = edited(&[
        ("/metadata/finalizers", finalizers),
        ("/spec/workloadType", json!("Training")),
    ]);
    let at = json!("2026-01-01T00:00:00Z");
    let deleting = with(stored.clone(), "/metadata/deletionTimestamp", at);
    for before in [stored, deleting] {
        let after = with(before.clone(), "/metadata/finalizers", json!([]));
        let object = filled_in(&update(SETS, &before, &after));
        let cliques = |set: &Value| set["spec"]["template"]["cliques"].clone();
        assert_eq!(cliques(&object), cliques(&before));
        let answer = ask(&open(), Hook::ValidateSet, &update(SETS, &before, &object));
        assert_eq!(verdict(&answer), "allowed");
    }
}

#[test]
fn a_minimum_that_is_not_sent_is_the_stored_one_with_and_without_defaults() {
    let stored = filled_in(&create(SETS, &good()));
    let after = edited(&[("/spec/template/cliques/0/spec/replicas", json!(4))]);
    let mut question = update(SETS, &stored, &after);
    let judged = |question: &Value| verdict(&ask(&open(), Hook::ValidateSet, question));
    assert_eq!(judged(&question), "allowed");
    let object = filled_in(&question);
    let frontend = &object["spec"]["template"]["cliques"][0]["spec"];
    assert_eq!(frontend["minAvailable"], 2);
    question["request"]["object"] = object;
    assert_eq!(judged(&question), "allowed");
}

/// The webhook was absent when the set was created with another number of pods, which is its
/// minimum for good: the operator would refuse the default of the present number, and the webhook
/// any other.
#[test]
fn a_minimum_that_was_never_stored_stays_unset() {
    let with_pods = |pods| edited(&[("/spec/template/cliques/0/spec/replicas", json!(pods))]);
    let annotated = with(with_pods(4), "/metadata/annotations", json!({"a": "b"}));
    let judged = |question: &Value| verdict(&ask(&open(), Hook::ValidateSet, question));
    let mut stored = good();
    for sent in [with_pods(4), annotated, with_pods(2)] {
        let question = update(SETS, &stored, &sent);
        let object = filled_in(&question);
        let frontend = &object["spec"]["template"]["cliques"][0]["spec"];
        assert_eq!(frontend["minAvailable"], Value::Null);
        assert_eq!(
            frontend["podSpec"]["restartPolicy"], "Always",
            "all else is filled in"
        );
        assert_eq!(judged(&update(SETS, &stored, &object)), "allowed");
        stored = object;
    }
}

const FINALIZERS: &str = "/metadata/finalizers";
const OURS: &str = "grove.io/podcliqueset.grove.io";

#[test]
fn a_set_that_is_created_gets_the_operators_finalizer_beside_its_own() {
    for (sent, filled) in [
        (Value::Null, json!([OURS])),
        (json!([]), json!([OURS])),
        (json!(["example.com/a"]), json!(["example.com/a", OURS])),
        (json!([OURS]), json!([OURS])),
        (
            json!([OURS, "example.com/a"]),
            json!([OURS, "example.com/a"]),
        ),
    ] {
        let mut question = create(SETS, &edited(&[(FINALIZERS, sent.clone())]));
        for is_dry_run in [false, true] {
            question["request"]["dryRun"] = json!(is_dry_run);
            let object = filled_in(&question);
            assert_eq!(object["metadata"]["finalizers"], filled, "{sent}");
        }
    }
    assert_eq!(
        filled_in(&create(SETS, &good()))["metadata"]["finalizers"],
        json!([OURS])
    );
}

/// Otherwise nothing could remove it: neither the operator nor a person who cleans up.
#[test]
fn an_update_never_gets_a_finalizer() {
    let held = edited(&[(FINALIZERS, json!([OURS]))]);
    let at = json!("2026-01-01T00:00:00Z");
    let unreadable = with(good(), "/spec/replicas", json!("three"));
    for before in [
        with(held.clone(), "/metadata/deletionTimestamp", at),
        held,
        good(),
        unreadable,
    ] {
        let after = with(good(), FINALIZERS, json!([]));
        let object = filled_in(&update(SETS, &before, &after));
        assert_eq!(object["metadata"]["finalizers"], json!([]), "{before}");
    }
}

/// The definition refuses it next, or the operator finds it without a finalizer.
#[test]
fn a_set_without_defaults_gets_no_finalizer_either() {
    let large = edited(&[("/spec/replicas", json!(100_000_000))]);
    let answer = ask(&open(), Hook::DefaultSet, &create(SETS, &large));
    assert_eq!(answer, Answer::allowed());
}

/// The definition of sets.
fn schema() -> Value {
    let crds = api::crds::all();
    let set = crds
        .iter()
        .find(|crd| crd.spec.names.kind == "PodCliqueSet");
    let version = serde_json::to_value(&set.unwrap().spec.versions[0].schema).unwrap();
    version["openAPIV3Schema"].clone()
}

/// Whether each entry of that list has its own owner.
fn is_map_list(schema: &Value, path: &str) -> bool {
    let mut here = schema;
    for name in path.split('.') {
        let field = name.trim_end_matches("[]");
        here = &here["properties"][field];
        if name != field {
            here = &here["items"];
        }
    }
    here["x-kubernetes-list-type"] == "map"
}

/// In any other list an entry belongs to the writer of the list, and a default in it is a conflict
/// for the next writer of the same list.
#[test]
fn a_value_that_one_writer_owns_as_a_whole_gets_no_defaults() {
    let schema = schema();
    let mut seen = Vec::new();
    for case in admission_cases::all() {
        let answer = ask(&open(), Hook::DefaultSet, &question_of(&case));
        let Answer::Allowed {
            patch: Some(patch), ..
        } = answer
        else {
            continue;
        };
        for operation in patch.as_array().unwrap() {
            let mut list = String::new();
            for part in operation["path"].as_str().unwrap().split('/').skip(1) {
                if part.parse::<usize>().is_ok() {
                    let is_ours = list == "metadata.finalizers";
                    assert!(
                        is_ours || is_map_list(&schema, &list),
                        "{}: {list}",
                        case.name
                    );
                    list.push_str("[]");
                    seen.push(list.clone());
                } else {
                    list = [list.as_str(), part]
                        .join(".")
                        .trim_start_matches('.')
                        .to_owned();
                }
            }
        }
    }
    for list in [
        "spec.template.cliques[]",
        "spec.template.podCliqueScalingGroups[]",
    ] {
        assert!(seen.iter().any(|seen| seen == list), "{list}");
    }
}

/// Other sets fill the namespace.
fn full() -> Judge {
    let stored = MadeUp {
        bytes_beside: MAX_NAMESPACE_BYTES,
        ..MadeUp::default()
    };
    judge(stored, None)
}

#[test]
fn a_full_namespace_gets_no_set_and_none_that_is_longer() {
    let longer = edited(&[("/spec/template/cliques/0/annotations", json!({"a": "long"}))]);
    let asked = |question: &Value| verdict(&ask(&full(), Hook::ValidateSet, question));
    assert_eq!(asked(&create(SETS, &good())), "422 spec");
    assert_eq!(asked(&update(SETS, &good(), &longer)), "422 spec");
    assert_eq!(asked(&update(SETS, &longer, &good())), "allowed");
    assert_eq!(asked(&update(SETS, &good(), &good())), "allowed");
}
