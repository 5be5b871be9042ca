//! How the operator runs a job, or an update, as far as the set says.

use api::PodCliqueSet;
use api::podcliqueset::{RollingUpdate, TrainingSpec, UpdateStrategy};
use domain::health::training::is_training;
use serde::Serialize;

/// How an update runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSettings {
    /// Its strategy.
    pub strategy: UpdateStrategy,
    /// The limits of cliques and scaling groups that have some.
    pub limits: Vec<UpdateLimits>,
}

/// The limits of a clique or a scaling group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateLimits {
    /// Its name.
    pub name: String,
    /// Its limits.
    pub rolling_update: RollingUpdate,
}

/// The settings of a job; none for another workload.
pub(super) fn find_job(set: &PodCliqueSet) -> Option<TrainingSpec> {
    is_training(set).then(|| set.spec.training_spec.clone().unwrap_or_default())
}

/// How its updates run; none if the set says nothing about it. A job has no updates.
pub(super) fn find_update(set: &PodCliqueSet) -> Option<UpdateSettings> {
    let template = &set.spec.template;
    let cliques = template.cliques.iter();
    let cliques = cliques.map(|clique| (&clique.name, &clique.rolling_update));
    let groups = template.scaling_groups.iter();
    let groups = groups.map(|group| (&group.name, &group.rolling_update));
    let limits = cliques.chain(groups).filter_map(|(name, limits)| {
        Some(UpdateLimits {
            name: name.clone(),
            rolling_update: limits.clone()?,
        })
    });
    let limits: Vec<UpdateLimits> = limits.collect();
    let strategy = &set.spec.update_strategy;
    let is_set = strategy.is_some() || !limits.is_empty();
    (is_set && !is_training(set)).then(|| UpdateSettings {
        strategy: strategy.clone().unwrap_or_default(),
        limits,
    })
}
