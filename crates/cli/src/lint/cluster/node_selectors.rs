//! Node selectors that select no node.

use std::collections::BTreeMap;

use api::PodCliqueSet;

use super::rules::NO_NODE_SELECTED;
use crate::lint::parts::pods;
use crate::lint::remark::Remark;

type Labels = BTreeMap<String, String>;

/// The node selectors of a set with their fields.
pub(super) fn selectors(set: &PodCliqueSet) -> Vec<(String, &Labels)> {
    pods(set)
        .filter_map(|(at, pod)| Some((format!("{at}.nodeSelector"), pod.node_selector.as_ref()?)))
        .filter(|(_, selector)| !selector.is_empty())
        .collect()
}

pub(super) fn check(set: &PodCliqueSet, nodes: &[Labels]) -> Vec<Remark> {
    let selects = |selector: &Labels| {
        nodes.iter().any(|labels| {
            selector
                .iter()
                .all(|(key, value)| labels.get(key) == Some(value))
        })
    };
    selectors(set)
        .into_iter()
        .filter(|(_, selector)| !selects(selector))
        .map(|(at, selector)| {
            let labels: Vec<_> = selector
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            let problem = format!("no node has {}", labels.join(" and "));
            let remark = Remark::new(&NO_NODE_SELECTED, at, problem);
            remark.remedy("correct it, or label nodes: `kubectl get nodes --show-labels`")
        })
        .collect()
}
