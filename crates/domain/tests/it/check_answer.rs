//! The answers to the dry run of a pod of a new template (docs/semantics.md §14.1). The codes and
//! messages are those of Kubernetes 1.37.1: from the audit logs of the e2e tests, and the two about
//! several resources from its own tests of quotas.

use std::collections::BTreeMap;

use domain::plan::{Check, CheckAnswer, CheckedTemplate, Object};
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;

const MIB: f64 = 1_048_576.0;

/// The check of a pod, which replaces one with a request of 300m and 450Mi.
fn check() -> Check {
    let frees = [
        ("pods", 1.0),
        ("count/pods", 1.0),
        ("cpu", 0.3),
        ("requests.cpu", 0.3),
        ("memory", 450.0 * MIB),
        ("requests.memory", 450.0 * MIB),
    ];
    Check {
        pod: Object::of(Pod::default()),
        template: CheckedTemplate::default(),
        frees: BTreeMap::from(frees.map(|(name, amount)| (name.to_owned(), amount))),
    }
}

#[rstest]
#[case::created(201, "")]
// Validation and admission come before the name.
#[case::the_name_is_taken(409, r#"pods "svc-0-web-jpjqh" already exists"#)]
// Of a webhook that has side effects.
#[case::a_webhook_is_not_called_in_a_dry_run(
    400,
    r#"admission webhook "pods.example.com" does not support dry run"#
)]
#[case::a_full_quota_of_pods(
    403,
    r#"pods "svc-0-web-bmwhf" is forbidden: exceeded quota: full, requested: pods=1, used: pods=2, limited: pods=2"#
)]
#[case::a_full_quota_of_two_resources(
    403,
    r#"pods "a" is forbidden: exceeded quota: resize-resource-quota, requested: cpu=300m,memory=450Mi, used: cpu=600m,memory=600Mi, limited: cpu=800m,memory=800Mi"#
)]
#[case::a_larger_pod_that_takes_exactly_what_is_left(
    403,
    r#"pods "a" is forbidden: exceeded quota: q, requested: memory=650Mi, used: memory=600Mi, limited: memory=800Mi"#
)]
fn what_the_api_server_would_create_is_accepted(#[case] code: u16, #[case] message: &str) {
    let answer = CheckAnswer::of_response(code, message, &check());
    assert_eq!(answer, CheckAnswer::Accepted);
}

#[rstest]
#[case::invalid(
    422,
    r#"Pod "svc-0-web-wcpqg" is invalid: spec.containers[0].resources.requests: Invalid value: "8Gi": must be less than or equal to memory limit of 4Gi"#
)]
#[case::cannot_be_decoded(
    400,
    r#"Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.image""#
)]
#[case::a_policy_denies_it(
    400,
    r#"admission webhook "policy.example.com" denied the request: the image is not signed"#
)]
#[case::pod_security(
    403,
    r#"pods "svc-0-web-c9mnd" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)"#
)]
#[case::limit_range(
    403,
    r#"pods "svc-0-web-pdnf7" is forbidden: maximum memory usage per Container is 1Gi, but limit is 4Gi"#
)]
#[case::priority_class(
    403,
    r#"pods "svc-0-worker-q8sqz" is forbidden: no PriorityClass with name no-such-class was found"#
)]
#[case::service_account(
    403,
    r#"pods "svc-0-web-q2q92" is forbidden: error looking up service account team/robot: serviceaccount "robot" not found"#
)]
// It is about a field that is missing, and says nothing of amounts.
#[case::a_quota_that_wants_limits(
    403,
    r#"pods "a" is forbidden: failed quota: q: must specify limits.cpu for: main"#
)]
// The quota was lowered below what runs: one pod less leaves no place either.
#[case::a_quota_of_less_than_runs(
    403,
    r#"pods "x-0-a-647hh" is forbidden: exceeded quota: closed, requested: pods=1, used: pods=2, limited: pods=0"#
)]
#[case::a_quota_that_is_smaller_than_the_pod(
    403,
    r#"pods "a" is forbidden: exceeded quota: q, requested: memory=900Mi, used: memory=600Mi, limited: memory=800Mi"#
)]
#[case::one_of_two_resources_never_fits(
    403,
    r#"pods "a" is forbidden: exceeded quota: q, requested: cpu=300m,memory=900Mi, used: cpu=600m,memory=600Mi, limited: cpu=800m,memory=800Mi"#
)]
// The pod that it replaces has no device to give back.
#[case::a_full_quota_of_a_resource_that_is_new(
    403,
    r#"pods "a" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8"#
)]
fn what_it_would_never_create_is_refused_in_its_words(#[case] code: u16, #[case] message: &str) {
    let answer = CheckAnswer::of_response(code, message, &check());
    assert_eq!(answer, CheckAnswer::Refused(message.to_owned()));
}

/// The text is that of a refused dry run; only the code says that it is about one.
#[rstest]
fn words_of_another_answer_prove_nothing(#[values(403, 422)] code: u16) {
    let message =
        r#"admission webhook "a.example.com" denied the request: b does not support dry run"#;
    let answer = CheckAnswer::of_response(code, message, &check());
    assert_eq!(answer, CheckAnswer::Refused(message.to_owned()));
}
