//! Values of node affinities that do not fit their operators.

use serde_json::Value;

use super::fields::values_at;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_AFFINITY: Rule = Rule::error(
    "invalid-affinity",
    "a node affinity with operator In or NotIn and no values, Exists or DoesNotExist and values, or Gt or \
     Lt and not exactly one",
    "The API server stores the set and refuses each of its pods.",
);

/// Lists of requirements.
const LISTS: [&str; 2] = [
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms\
     .matchExpressions",
    "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.preference.matchExpressions",
];

pub(super) fn check(at: &str, spec: &Value) -> Vec<Remark> {
    LISTS
        .iter()
        .flat_map(|list| values_at(spec, at, list))
        .flat_map(|(at, list)| {
            let requirements = list.as_array().into_iter().flatten().enumerate();
            requirements
                .filter_map(|(i, one)| of_requirement(&format!("{at}[{i}].values"), one))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn of_requirement(at: &str, requirement: &Value) -> Option<Remark> {
    let operator = requirement.get("operator")?.as_str()?;
    let values = requirement.get("values").and_then(Value::as_array);
    let count = values.map_or(0, Vec::len);
    let (problem, remedy) = match (operator, count) {
        ("In" | "NotIn", 0) => ("needs at least one value", "list the values"),
        ("Exists" | "DoesNotExist", 1..) => ("has no values", "remove them, or use In or NotIn"),
        ("Gt" | "Lt", 0 | 2..) => ("needs exactly one value", "write one number, in quotes"),
        _ => return None,
    };
    let problem = format!("operator {operator} {problem}");
    Some(Remark::new(&INVALID_AFFINITY, at, problem).remedy(remedy))
}
