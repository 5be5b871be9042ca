//! The message of a failed request: one line with a remedy.

use cli::exit::{Exit, Failure};
use cli::files::{Source, read_documents};
use cli::output::failure_line;
use kube::core::Status;
use rstest::rstest;

fn answered(code: u16, message: &str) -> kube::Error {
    kube::Error::Api(Box::new(Status::failure(message, "").with_code(code)))
}

#[rstest]
#[case(401, "Unauthorized", "does not accept your login; log in again")]
#[case(
    403,
    "pods is forbidden: User \"x\" cannot list",
    "(pods is forbidden: User \"x\" cannot list); ask an administrator for that right"
)]
#[case(
    403,
    "podgangs.scheduler.grove.io is forbidden",
    "for that right: the chart adds grove's kinds to the ClusterRole `view`"
)]
#[case(
    403,
    "podcliquesets.grove.io \"llm\" is forbidden: User \"x\" cannot patch resource",
    "for that right: the chart adds grove's kinds to the ClusterRole `edit`"
)]
#[case(
    404,
    "404 page not found",
    "is grove installed there? `kubectl grove status`"
)]
#[case(429, "too many requests", "try again in a moment")]
#[case(503, "etcd is away", "(503 etcd is away); try again in a moment")]
#[case(410, "too old", "answers 410: too old")]
fn a_refusal_names_the_request_and_the_remedy(
    #[case] code: u16,
    #[case] message: &str,
    #[case] words: &str,
) {
    let failure = Failure::of_request("list pods in namespace ml", &answered(code, message));
    let text = failure.to_string();
    assert!(
        text.starts_with("cannot list pods in namespace ml: "),
        "{text}"
    );
    assert!(text.contains(words), "{text}");
    assert_eq!(failure.exit(), Exit::NoCluster);
}

#[test]
fn an_answer_that_is_not_understood_is_not_called_a_lost_connection() {
    let error = serde_json::from_str::<u8>("{").unwrap_err();
    let failure = Failure::of_request("get podcliquesets", &kube::Error::SerdeError(error));
    let text = failure.to_string();
    assert!(
        text.contains("is kubectl-grove as new as the operator?"),
        "{text}"
    );
    assert!(!text.contains("cannot be reached"), "{text}");
}

/// Editors and `grep` read lines that begin with the place.
#[test]
fn a_file_that_cannot_be_parsed_is_named_first() {
    let broken = read_documents(&Source {
        name: "a.yaml".into(),
        bytes: b"a: [".to_vec(),
    });
    let failure = Failure::from(broken.unwrap_err());
    assert_eq!(
        failure_line(&failure),
        "a.yaml:1:4: error: unclosed bracket '['; close it"
    );
    assert_eq!(failure.exit(), Exit::BadInput);
    let other = Failure::BadInput("no".into());
    assert_eq!(failure_line(&other), "kubectl grove: no");
}
