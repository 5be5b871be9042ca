//! A set that runs without its autoscaler, which the API server refuses.

use api::LastError;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use cli::tree::{build_tree, summarize};
use cli::workload::Workload;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, set as build_set};

use super::{draw, explain};
use crate::read::{demo_with, now, ready};

/// Set `demo` runs; the operator has this error.
fn refused(words: &str) -> Workload {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let status = workload.set.status.get_or_insert_default();
    status.last_errors = vec![LastError {
        code: "ERR_CREATE_HORIZONTALPODAUTOSCALER".into(),
        description: words.to_owned(),
        observed_at: Time(after(200)),
    }];
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::RequestRefused,
        message: format!("1/1 replicas available; {words}"),
    };
    set(&mut status.conditions, verdict, Some(1), after(200));
    workload
}

fn about(name: &str, problem: &str) -> String {
    format!(
        "create HorizontalPodAutoscaler {name}: HorizontalPodAutoscaler.autoscaling \"{name}\" is \
         invalid: {problem}"
    )
}

#[test]
fn it_is_a_cause_with_a_remedy() {
    let words = about(
        "demo-0-worker",
        "spec.metrics[0].type: Unsupported value: \"cpu\"",
    );
    let workload = refused(&words);
    let answer = explain(&workload, &[]);
    assert!(answer.is_ready);
    assert!(!answer.is_good());
    let text = draw(&answer);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for shown in [
        "demo is ready, but the API server refuses an object of it: RequestRefused",
        "Cause 1/1 replicas available; create HorizontalPodAutoscaler demo-0-worker",
        "Remedy correct `spec.template.cliques[0].spec.autoScalingConfig.metrics[0]` and apply",
        "`kubectl explain hpa.spec.metrics --api-version=autoscaling/v2`",
        "the operator tries again by itself",
    ] {
        assert!(text.contains(shown), "{text}");
    }
}

/// `tree` shows it too, and ends with exit code 1.
#[test]
fn it_is_in_the_tree() {
    let words = about("demo-0-worker", "spec.maxReplicas: Invalid value: 0");
    let workload = refused(&words);
    let tree = build_tree(&workload, now());
    assert!(!tree.is_ready());
    assert!(tree.cause.unwrap().ends_with(&words));
    assert!(!summarize(&[workload.set], None, now())[0].is_ready());
}

#[rstest]
#[case::metric_of_a_group(
    about(
        "demo-0-decode",
        "[spec.metrics[1].pods: Required value: x, spec.y: z]"
    ),
    "correct `spec.template.podCliqueScalingGroups[0].scaleConfig.metrics[1]` and apply"
)]
#[case::limit(
    about(
        "demo-1-router",
        "spec.maxReplicas: Invalid value: 0: must be greater than 0"
    ),
    "correct `spec.template.cliques[1].spec.autoScalingConfig.maxReplicas` and apply"
)]
#[case::something_else(
    about("demo-1-router", "metadata.name: Invalid value"),
    "correct `spec.template.cliques[1].spec.autoScalingConfig` and apply"
)]
#[case::another_object(about("other-0-router", "spec.x: y"), "")]
#[case::a_policy("create HorizontalPodAutoscaler demo-0-decode: denied".to_owned(), "")]
fn the_remedy_names_the_field(#[case] words: String, #[case] expected: &str) {
    let mut workload = refused(&words);
    let named = build_set("demo")
        .clique("worker", |c| c.replicas(2).min(2))
        .clique("router", |c| c)
        .group("decode", ["router"], |g| g)
        .build();
    workload.set.spec.template.cliques = named.spec.template.cliques;
    workload.set.spec.template.scaling_groups = named.spec.template.scaling_groups;
    let remedy = explain(&workload, &[]).remedy.unwrap();
    assert!(remedy.starts_with(expected), "{remedy}");
    assert_eq!(remedy.starts_with("correct `spec."), !expected.is_empty());
}
