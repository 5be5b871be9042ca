//! Labels and annotations.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::labels::{MNNVL_GROUP, ORPHAN_ASKED};

use crate::clique_paths::{cliques, scaling_groups};
use crate::field::{FieldError, Path};
use crate::syntax;

type Texts = BTreeMap<String, String>;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let empty = Texts::new();
    let own = pcs.metadata.annotations.as_ref().unwrap_or(&empty);
    let mut errors: Vec<_> = check_mnnvl_group(&Path::new("metadata.annotations"), own).collect();
    for (at, clique) in cliques(pcs) {
        errors.extend(check_labels(&at.field("labels"), &clique.labels));
        errors.extend(check_annotations(
            &at.field("annotations"),
            &clique.annotations,
        ));
    }
    for (at, group) in scaling_groups(pcs) {
        errors.extend(check_annotations(
            &at.field("annotations"),
            &group.annotations,
        ));
    }
    errors
}

/// Annotations that only the operator sets, and only on a set that is being deleted: no webhook
/// runs then.
pub(super) fn of_operator(pcs: &PodCliqueSet) -> Vec<FieldError> {
    pcs.metadata
        .annotations
        .iter()
        .flatten()
        .filter(|(key, _)| *key == ORPHAN_ASKED)
        .map(|(key, value)| {
            let problem = "only the operator sets it, on a set that is deleted with \
                           --cascade=orphan";
            let remedy = "remove the annotation; to keep pods and PodCliques when the set goes: \
                          kubectl delete podcliqueset NAME --cascade=orphan";
            let at = Path::new("metadata.annotations");
            at.key(key).wrong(value, problem, remedy)
        })
        .collect()
}

fn check_labels(at: &Path, labels: &Texts) -> Vec<FieldError> {
    let mut errors: Vec<_> = check_keys(at, labels, syntax::is_key).collect();
    let wrong = labels
        .iter()
        .filter(|(_, value)| !syntax::is_label_value(value));
    errors.extend(wrong.map(|(key, value)| {
        let problem = "a label's value has letters, digits, '-', '_' and '.', first and last a \
                       letter or digit, at most 63 characters";
        at.key(key).wrong(
            value,
            problem,
            "shorten or change it, or make it an annotation",
        )
    }));
    errors
}

fn check_annotations(at: &Path, annotations: &Texts) -> Vec<FieldError> {
    // As Kubernetes looks at them.
    let is_key = |key: &str| syntax::is_key(&key.to_ascii_lowercase());
    check_keys(at, annotations, is_key)
        .chain(check_mnnvl_group(at, annotations))
        .collect()
}

fn check_keys(
    at: &Path,
    texts: &Texts,
    is_key: impl Fn(&str) -> bool,
) -> impl Iterator<Item = FieldError> {
    texts
        .iter()
        .filter(move |(key, _)| !is_key(key))
        .map(|(key, value)| {
            let problem = format!(
                "the key {key:?} must be a name of letters, digits, '-', '_' and '.', optionally \
                 after a domain and a slash"
            );
            at.key(key).wrong(
                value,
                problem,
                "change the key, for example to example.com/my-key",
            )
        })
}

fn check_mnnvl_group(at: &Path, annotations: &Texts) -> impl Iterator<Item = FieldError> {
    let group = annotations.get(MNNVL_GROUP);
    group
        .filter(|group| !syntax::is_dns_label(group))
        .into_iter()
        .map(|group| {
            let problem = format!("must be \"none\" or a DNS label ({})", syntax::DNS_LABEL);
            at.key(MNNVL_GROUP)
                .wrong(group, problem, "change it, or remove the annotation")
        })
}
