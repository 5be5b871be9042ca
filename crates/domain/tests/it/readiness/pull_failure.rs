//! The answer of a registry, in the cause of a pod whose image cannot be pulled.

use domain::health::readiness::Start;
use rstest::rstest;

use super::{all, container};

/// The kubelet repeats the runtime's words between two pulls; ports and requests in them differ.
#[rstest]
#[case::missing(
    "failed to resolve reference \"docker.io/library/none:1\": docker.io/library/none:1: not found",
    ": the registry does not have it"
)]
#[case::forbidden(
    "failed to authorize: unexpected status from GET request to https://example.com: 403 Forbidden",
    ": the registry refuses access"
)]
#[case::private(
    "pull access denied, repository does not exist or may require authorization",
    ": the registry refuses access"
)]
#[case::without_credentials(
    "unexpected status from HEAD request: 401 Unauthorized",
    ": the registry asks for credentials"
)]
#[case::without_name(
    "dial tcp: lookup example.com on 10.0.0.10:53: no such host",
    ": the registry's name does not resolve"
)]
#[case::closed(
    "dial tcp 127.0.0.1:5000: connect: connection refused",
    ": the registry refuses connections"
)]
#[case::silent(
    "read tcp 10.0.0.7:43210->10.0.0.8:443: i/o timeout",
    ": the registry does not answer"
)]
#[case::untrusted(
    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    ": the node does not trust the registry's certificate"
)]
#[case::too_often(
    "429 Too Many Requests - Server message: toomanyrequests: You have reached your limit",
    ": the registry answers too many requests"
)]
#[case::another_platform(
    "no match for platform in manifest: not found",
    ": it has no variant for the node's platform"
)]
#[case::full(
    "failed to extract layer: write /x: no space left on device",
    ": the node has no space for it"
)]
#[case::a_name_like_an_answer("failed to pull and unpack image \"denied:1\": EOF", "")]
fn the_answer_of_a_registry_is_part_of_the_cause(
    #[case] words: &'static str,
    #[case] answer: &str,
) {
    let between: &'static str =
        format!("Back-off pulling image \"example/main:1\": ErrImagePull: {words}").leak();
    let pulls = [("ErrImagePull", words), ("ImagePullBackOff", between)];
    for pull in pulls {
        let verdict = all(Start::Started, &container(Some(pull), None));
        let cause = format!("image example/main:1 cannot be pulled{answer}");
        assert!(verdict.ends_with(&cause), "{verdict}");
    }
}
