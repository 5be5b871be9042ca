//! The remedy for an autoscaler that the API server refuses: the field of the set that it comes from.

use api::{PodCliqueSet, names};
use domain::object::ownership;

/// The remedy if these are the words about a refused autoscaler of the set: `create
/// HorizontalPodAutoscaler demo-0-decode: ... is invalid: spec.metrics[0].type: Unsupported value`.
pub(super) fn remedy_of_autoscaler(set: &PodCliqueSet, words: &str) -> Option<String> {
    let (_, object) = words.split_once("HorizontalPodAutoscaler ")?;
    let (name, answer) = object.split_once(": ")?;
    let (_, invalid) = answer.split_once(" is invalid: ")?;
    let mut field = find_config(set, name)?;
    let wrong = invalid.trim_start_matches('[').strip_prefix("spec.");
    let wrong = wrong.and_then(|path| path.split(['.', ':']).next());
    let is_metric = wrong.is_some_and(|wrong| wrong.starts_with("metrics"));
    if let Some(wrong) = wrong.filter(|wrong| is_metric || wrong.ends_with("Replicas")) {
        field = format!("{field}.{wrong}");
    }
    let fields = if is_metric {
        "; `kubectl explain hpa.spec.metrics --api-version=autoscaling/v2` shows its fields"
    } else {
        ""
    };
    Some(format!(
        "correct `{field}` and apply the set again: the operator then creates the autoscaler{fields}"
    ))
}

/// The configuration of the autoscaler of that name: it has the name of its group or clique.
fn find_config(set: &PodCliqueSet, name: &str) -> Option<String> {
    let (_, part) = names::parts_of_scaling_group(ownership::name(&set.metadata), name)?;
    let template = &set.spec.template;
    let group = template.scaling_groups.iter().position(|g| g.name == part);
    let clique = template.cliques.iter().position(|c| c.name == part);
    let group = group.map(|i| format!("spec.template.podCliqueScalingGroups[{i}].scaleConfig"));
    group.or_else(|| {
        Some(format!(
            "spec.template.cliques[{}].spec.autoScalingConfig",
            clique?
        ))
    })
}
