//! The nodes that a pod may use, however much room they have.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Taint, Toleration,
};

use super::needs::PodNeeds;
use super::snapshot::NodeSnapshot;

/// The reason why a pod may not use a node; the first that the scheduler would find.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The node is cordoned.
    Unschedulable,
    /// It has a taint that the pod does not tolerate.
    Taint(String),
    /// It lacks a label of the pod's `nodeSelector`.
    Selector,
    /// The pod's required node affinity does not select it.
    Affinity,
}

/// The reason why the pod may not use that node, if there is one.
pub fn find_refusal(needs: &PodNeeds, node: &NodeSnapshot) -> Option<Refusal> {
    let is_borne = |taint: &Taint| needs.tolerations.iter().any(|t| is_tolerated(t, taint));
    if node.is_unschedulable && !is_borne(&cordon()) {
        return Some(Refusal::Unschedulable);
    }
    let mut taints = node.taints.iter();
    let keeps_away = |taint: &&Taint| ["NoSchedule", "NoExecute"].contains(&&*taint.effect);
    if let Some(taint) = taints.find(|taint| keeps_away(taint) && !is_borne(taint)) {
        return Some(Refusal::Taint(show_taint(taint)));
    }
    let has = |(key, value): (&String, &String)| node.labels.get(key) == Some(value);
    if !needs.node_selector.iter().all(has) {
        return Some(Refusal::Selector);
    }
    let affinity = needs.node_affinity.as_ref();
    let is_selected = affinity.is_none_or(|selector| selects(selector, node));
    (!is_selected).then_some(Refusal::Affinity)
}

/// The taint by which the scheduler treats a cordoned node.
fn cordon() -> Taint {
    Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    }
}

fn show_taint(taint: &Taint) -> String {
    let value = taint
        .value
        .as_deref()
        .filter(|value| !value.is_empty())
        .map_or(String::new(), |value| format!("={value}"));
    format!("{}{value}:{}", taint.key, taint.effect)
}

fn is_tolerated(toleration: &Toleration, taint: &Taint) -> bool {
    let is_any = |wanted: &Option<String>, found: &str| {
        let wanted = wanted.as_deref().unwrap_or_default();
        wanted.is_empty() || wanted == found
    };
    let value = toleration.value.as_deref().unwrap_or_default();
    let tainted = taint.value.as_deref().unwrap_or_default();
    is_any(&toleration.effect, &taint.effect)
        && is_any(&toleration.key, &taint.key)
        && match toleration.operator.as_deref().unwrap_or_default() {
            "" | "Equal" => value == tainted,
            "Exists" => true,
            // `Lt` and `Gt` count only where a feature gate of Kubernetes is on.
            _ => false,
        }
}

/// Any of its terms selects the node.
fn selects(selector: &NodeSelector, node: &NodeSnapshot) -> bool {
    selector
        .node_selector_terms
        .iter()
        .any(|term| is_met(term, node))
}

fn is_met(term: &NodeSelectorTerm, node: &NodeSnapshot) -> bool {
    let by_labels = term.match_expressions.iter().flatten();
    let by_fields = term.match_fields.iter().flatten();
    let fields = BTreeMap::from([("metadata.name".to_owned(), node.name.clone())]);
    let is_empty = by_labels.clone().count() + by_fields.clone().count() == 0;
    !is_empty
        && by_labels.into_iter().all(|one| holds(one, &node.labels))
        && by_fields.into_iter().all(|one| holds(one, &fields))
}

fn holds(requirement: &NodeSelectorRequirement, labels: &BTreeMap<String, String>) -> bool {
    let values = requirement.values.as_deref().unwrap_or_default();
    let found = labels.get(&requirement.key);
    let number = |text: &String| text.parse::<i64>().ok();
    let compared = || {
        let found = found.and_then(number)?;
        let limit = values.first().and_then(number)?;
        Some(found.cmp(&limit))
    };
    match &*requirement.operator {
        "In" => found.is_some_and(|value| values.contains(value)),
        "NotIn" => found.is_none_or(|value| !values.contains(value)),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        "Gt" => compared() == Some(std::cmp::Ordering::Greater),
        "Lt" => compared() == Some(std::cmp::Ordering::Less),
        _ => false,
    }
}
