//! Fields that have one of a few words.

use serde_json::Value;
use strsim::osa_distance;

use super::fields::values_at;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const UNKNOWN_WORD: Rule = Rule::error(
    "unknown-word",
    "a word that Kubernetes does not know in that field: imagePullPolicy, dnsPolicy, \
     terminationMessagePolicy, an init container's restartPolicy, a seccompProfile, a hostPath's type, \
     operators and effects",
    "The API server stores the set and refuses each of its pods.",
);

const PULL: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const MESSAGE: [&str; 2] = ["File", "FallbackToLogsOnError"];
/// Versions before 1.34 know only the first one.
const RESTART: [&str; 3] = ["Always", "Never", "OnFailure"];
const DNS: [&str; 4] = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
const SECCOMP: [&str; 3] = ["RuntimeDefault", "Localhost", "Unconfined"];
/// The last two need a feature gate.
const TOLERATE: [&str; 4] = ["Equal", "Exists", "Gt", "Lt"];
const EFFECT: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const SELECT: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
const HOST_PATH: [&str; 7] = [
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
    "CharDevice",
    "BlockDevice",
];

/// Fields and their words. An empty one stands for the default.
const WORDS: [(&str, &[&str]); 15] = [
    ("dnsPolicy", &DNS),
    ("containers.imagePullPolicy", &PULL),
    ("initContainers.imagePullPolicy", &PULL),
    ("containers.terminationMessagePolicy", &MESSAGE),
    ("initContainers.terminationMessagePolicy", &MESSAGE),
    ("initContainers.restartPolicy", &RESTART),
    ("securityContext.seccompProfile.type", &SECCOMP),
    ("containers.securityContext.seccompProfile.type", &SECCOMP),
    (
        "initContainers.securityContext.seccompProfile.type",
        &SECCOMP,
    ),
    ("volumes.hostPath.type", &HOST_PATH),
    ("tolerations.operator", &TOLERATE),
    ("tolerations.effect", &EFFECT),
    (
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms\
         .matchExpressions.operator",
        &SELECT,
    ),
    (
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms\
         .matchFields.operator",
        &SELECT,
    ),
    (
        "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.preference\
         .matchExpressions.operator",
        &SELECT,
    ),
];

/// So many letters differ at most in a word that was misspelt, whatever their case.
const NEAR: usize = 2;

pub(super) fn check(at: &str, spec: &Value) -> Vec<Remark> {
    WORDS
        .iter()
        .flat_map(|(field, words)| {
            let values = values_at(spec, at, field).into_iter();
            values.filter_map(move |(at, value)| unknown(at, value.as_str()?, words))
        })
        .collect()
}

fn unknown(at: String, word: &str, words: &[&str]) -> Option<Remark> {
    let is_known = word.is_empty() || words.contains(&word);
    (!is_known).then(|| {
        let problem = "is not a value of this field".to_owned();
        let remark = Remark::new(&UNKNOWN_WORD, at, problem).value(format!("{word:?}"));
        remark.remedy(remedy(word, words))
    })
}

fn remedy(word: &str, words: &[&str]) -> String {
    let lower = word.to_lowercase();
    let distances = words
        .iter()
        .map(|known| (osa_distance(&known.to_lowercase(), &lower), *known));
    match distances.min().filter(|(distance, _)| *distance <= NEAR) {
        Some((_, meant)) => format!("did you mean {meant}?"),
        None => format!("use one of {}", words.join(", ")),
    }
}
