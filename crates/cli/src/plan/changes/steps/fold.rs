//! A PodClique whose pods restart is also updated: both are one step.

use std::collections::BTreeMap;

use super::step::{Action, PlannedStep};

/// Where the template of pods is in a PodClique.
const TEMPLATE: [&str; 3] = ["spec.podSpec", "metadata.labels", "metadata.annotations"];

pub(super) fn fold_updates(steps: Vec<PlannedStep>) -> Vec<PlannedStep> {
    let restarts = steps.iter().filter(|step| step.action == Action::Restart);
    let mut fields: BTreeMap<String, Vec<String>> = restarts
        .map(|step| (step.name.clone(), Vec::new()))
        .collect();
    let mut kept = Vec::new();
    for step in steps {
        let of_restart = fields.get_mut(&step.name);
        match of_restart.filter(|_| is_of_template(&step)) {
            Some(fields) => fields.extend(step.fields),
            None => kept.push(step),
        }
    }
    for step in kept
        .iter_mut()
        .filter(|step| step.action == Action::Restart)
    {
        step.fields = fields.remove(&step.name).unwrap_or_default();
    }
    kept
}

fn is_of_template(step: &PlannedStep) -> bool {
    let is_template = |field: &String| TEMPLATE.iter().any(|part| field.starts_with(part));
    step.action == Action::Update && step.kind == "PodClique" && step.fields.iter().all(is_template)
}
