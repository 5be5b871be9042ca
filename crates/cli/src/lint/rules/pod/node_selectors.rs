//! Node selectors that no label of a node can match.

use admission::{is_key, is_label_value};
use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_SELECTOR: Rule = Rule::error(
    "invalid-node-selector",
    "a nodeSelector with a key or a value that no label has",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let selected = pod.node_selector.iter().flatten();
    selected
        .filter_map(|(key, value)| {
            let problem = match (is_key(key), is_label_value(value)) {
                (false, _) => {
                    "a label's key has letters, digits, '-', '_' and '.', first and last a letter or \
                     digit, at most 63 characters, and before it perhaps a domain and '/'"
                }
                (_, false) => {
                    "a label's value has letters, digits, '-', '_' and '.', first and last a letter or \
                     digit, at most 63 characters"
                }
                _ => return None,
            };
            let at = format!("{at}.nodeSelector[{key}]");
            let remark = Remark::new(&INVALID_SELECTOR, at, problem.to_owned());
            let remark = remark.value(format!("{value:?}"));
            Some(remark.remedy("choose a label that `kubectl get nodes --show-labels` shows"))
        })
        .collect()
}
