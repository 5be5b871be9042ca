//! Labels and annotations.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::labels::{MNNVL_GROUP, ORPHAN_ASKED};

use crate::clique_paths::{annotations, cliques, scaling_groups};
use crate::field::{FieldError, Path};
use crate::syntax;

type Texts = BTreeMap<String, String>;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors: Vec<_> = annotations(pcs)
        .filter_map(|(at, annotations)| check_mnnvl_group(&at, annotations))
        .collect();
    for (at, clique) in cliques(pcs) {
        errors.extend(check_labels(&at.field("labels"), &clique.labels));
        errors.extend(check_annotation_keys(
            &at.field("annotations"),
            &clique.annotations,
        ));
    }
    for (at, group) in scaling_groups(pcs) {
        errors.extend(check_annotation_keys(
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

fn check_annotation_keys(at: &Path, annotations: &Texts) -> Vec<FieldError> {
    // As Kubernetes looks at them.
    let is_key = |key: &str| syntax::is_key(&key.to_ascii_lowercase());
    check_keys(at, annotations, is_key).collect()
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

fn check_mnnvl_group(at: &Path, annotations: &Texts) -> Option<FieldError> {
    let group = annotations.get(MNNVL_GROUP)?;
    let problem = format!("must be \"none\" or a DNS label ({})", syntax::DNS_LABEL);
    let remedy = "change it, or remove the annotation";
    (!syntax::is_dns_label(group)).then(|| at.key(MNNVL_GROUP).wrong(group, problem, remedy))
}
