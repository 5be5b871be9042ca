//! The registry's answer in a few words that stay the same from pull to pull: the kubelet's own words
//! have ports and requests that differ, and a condition stores the sentence.

/// Words of a runtime or registry in lower case, and their meaning; the first that match count.
/// Words have spaces or colons, so that no image's name has them.
const ANSWERS: [(&[&str], &str); 10] = [
    (
        &["no match for platform"],
        "it has no variant for the node's platform",
    ),
    (
        &["429 too many requests", "toomanyrequests: "],
        "the registry answers too many requests",
    ),
    (
        &[
            "401 unauthorized",
            "unauthorized: ",
            "authentication required",
        ],
        "the registry asks for credentials",
    ),
    (
        &["403 forbidden", "access denied", "denied: "],
        "the registry refuses access",
    ),
    (&["no such host"], "the registry's name does not resolve"),
    (&["connection refused"], "the registry refuses connections"),
    (
        &["x509: "],
        "the node does not trust the registry's certificate",
    ),
    (
        &["i/o timeout", "deadline exceeded", "handshake timeout"],
        "the registry does not answer",
    ),
    (&["no space left on device"], "the node has no space for it"),
    (
        &["not found", "manifest unknown", "name unknown"],
        "the registry does not have it",
    ),
];

/// The registry's answer, if the kubelet's message has one that is known.
pub(super) fn describe(message: &str) -> Option<&'static str> {
    let message = message.to_lowercase();
    let answer = ANSWERS
        .iter()
        .find(|(words, _)| words.iter().any(|words| message.contains(words)));
    answer.map(|(_, meaning)| *meaning)
}
