//! Budgets and deadlines of updates (Grove, `rollingUpdate`).

use api::PodCliqueSet;
use api::limits::MAX_REPLICAS;
use api::podcliqueset::{RollingUpdate, UpdateStrategyType};
use domain::update;
use serde::Serialize;

use super::termination;
use crate::clique_paths::{cliques, group_of, scaling_groups};
use crate::field::{FieldError, Path};

/// A day, in seconds.
const LONGEST_MIN_READY: i32 = 86_400;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let strategy = update::strategy(pcs);
    let is_on_delete = update::is_on_delete(pcs);
    let of_cliques = cliques(pcs).filter_map(|(at, clique)| {
        let rolling = clique.rolling_update.as_ref()?;
        let at = at.field("rollingUpdate");
        if let Some(group) = group_of(pcs, &clique.name) {
            return Some(vec![of_member(&at, rolling, &group.name)]);
        }
        Some(of_one(&at, rolling, clique.spec.replicas, strategy))
    });
    let of_groups = scaling_groups(pcs).filter_map(|(at, group)| {
        let rolling = group.rolling_update.as_ref()?;
        let replicas = group.replicas.unwrap_or(1);
        let at = at.field("rollingUpdate");
        Some(of_one(&at, rolling, replicas, strategy))
    });
    of_cliques
        .chain(of_groups)
        .flatten()
        .chain(paused(pcs, is_on_delete))
        .chain(partition(pcs, is_on_delete))
        .collect()
}

/// Below 0 there is no replica; with `OnDelete` the operator replaces nothing anyway.
fn partition(pcs: &PodCliqueSet, is_on_delete: bool) -> Option<FieldError> {
    let given = pcs.spec.update_strategy.as_ref()?.partition?;
    let at = Path::new("spec").field("updateStrategy").field("partition");
    if given < 0 {
        let remedy = "set it to the lowest index that is updated, or omit it to update all";
        return Some(at.wrong(given, "must not be negative", remedy));
    }
    (is_on_delete && given > 0).then(|| without_effect(&at, given))
}

/// With `OnDelete` the operator replaces nothing anyway.
fn paused(pcs: &PodCliqueSet, is_on_delete: bool) -> Option<FieldError> {
    let is_paused = pcs.spec.update_strategy.as_ref().is_some_and(|s| s.paused);
    let at = Path::new("spec").field("updateStrategy").field("paused");
    (is_on_delete && is_paused).then(|| without_effect(&at, true))
}

fn without_effect(at: &Path, given: impl Serialize) -> FieldError {
    let problem = "has no effect with updateStrategy OnDelete";
    let remedy = "remove it or set spec.updateStrategy.type to RollingRecreate";
    at.wrong(given, problem, remedy)
}

fn of_member(at: &Path, rolling: &RollingUpdate, group: &str) -> FieldError {
    let problem = format!("the clique is in group {group:?}, which is updated by whole replicas");
    at.wrong(
        rolling,
        problem,
        "remove it and set rollingUpdate of the group",
    )
}

fn of_one(
    at: &Path,
    rolling: &RollingUpdate,
    replicas: i32,
    strategy: UpdateStrategyType,
) -> Vec<FieldError> {
    if strategy == UpdateStrategyType::OnDelete {
        return vec![without_effect(at, rolling)];
    }
    budget(at, rolling, replicas, strategy)
        .into_iter()
        .chain(surge(at, rolling, replicas))
        .chain(deadline(at, rolling))
        .chain(min_ready(at, rolling))
        .chain(partition_of_part(at, rolling))
        .collect()
}

/// Below 0 there is no pod or group replica.
fn partition_of_part(at: &Path, rolling: &RollingUpdate) -> Option<FieldError> {
    let given = rolling.partition.filter(|given| *given < 0)?;
    let remedy = "set it to the lowest index that is updated, or omit it to update all";
    let at = at.field("partition");
    Some(at.wrong(given, "must not be negative", remedy))
}

/// A deadline for progress that a new pod cannot meet would report every update.
fn min_ready(at: &Path, rolling: &RollingUpdate) -> Option<FieldError> {
    let given = rolling.min_ready_seconds?;
    let at = at.field("minReadySeconds");
    let remedy = "set it to how many seconds a new pod must be Ready, at most 86400";
    if given < 0 {
        return Some(at.wrong(given, "must not be negative", remedy));
    }
    if given > LONGEST_MIN_READY {
        return Some(at.wrong(given, "must not be greater than 86400", remedy));
    }
    let written = rolling.progress_deadline.as_ref()?;
    let deadline = written.parse().ok()?;
    let is_late = deadline.is_positive() && deadline.as_secs() <= given.into();
    let problem = format!(
        "must be less than progressDeadline ({written}), or every update would be reported as \
         standing still"
    );
    is_late.then(|| at.wrong(given, problem, "lower it or raise progressDeadline"))
}

/// A clique that is scaled to zero starts again with an unknown count.
fn budget(
    at: &Path,
    rolling: &RollingUpdate,
    replicas: i32,
    strategy: UpdateStrategyType,
) -> Option<FieldError> {
    let given = rolling.max_unavailable?;
    let has_surge = rolling.max_surge.is_some_and(|surge| surge > 0);
    let default = default_budget(strategy);
    let at = at.field("maxUnavailable");
    let remedy = format!("set it to how many may be missing, or omit it for {default}");
    if given < 0 {
        return Some(at.wrong(given, "must not be negative", remedy));
    }
    if given == 0 && !has_surge {
        let problem = "must be at least 1 where maxSurge is 0: no update would begin";
        let remedy = format!("set maxSurge, or omit it for {default}");
        return Some(at.wrong(given, problem, remedy));
    }
    let remedy = "lower maxUnavailable or raise replicas";
    (replicas > 0 && given > replicas).then(|| at.wrong(given, exceeds(replicas), remedy))
}

/// `maxUnavailable` where it is omitted.
fn default_budget(strategy: UpdateStrategyType) -> &'static str {
    match strategy {
        UpdateStrategyType::Coherent => "minAvailable",
        UpdateStrategyType::RollingRecreate | UpdateStrategyType::OnDelete => "1",
    }
}

/// Surge units get the indexes after those of `replicas`, which are limited.
fn surge(at: &Path, rolling: &RollingUpdate, replicas: i32) -> Option<FieldError> {
    let given = rolling.max_surge?;
    let at = at.field("maxSurge");
    if given < 0 {
        let remedy = "set it to how many more may exist during an update, or omit it for 0";
        return Some(at.wrong(given, "must not be negative", remedy));
    }
    if replicas > 0 && given > replicas {
        let remedy = "lower maxSurge or raise replicas";
        return Some(at.wrong(given, exceeds(replicas), remedy));
    }
    let problem = format!("must not exceed {MAX_REPLICAS} together with replicas ({replicas})");
    let is_over = given > MAX_REPLICAS.saturating_sub(replicas);
    is_over.then(|| at.wrong(given, problem, "lower maxSurge or replicas"))
}

fn exceeds(replicas: i32) -> String {
    format!("must not be greater than replicas ({replicas})")
}

fn deadline(at: &Path, rolling: &RollingUpdate) -> Option<FieldError> {
    let given = rolling.progress_deadline.as_ref()?;
    let at = at.field("progressDeadline");
    let remedy = "write it as 30s, 10m or 1h, or omit it for no deadline";
    match given.parse() {
        Err(_) => {
            let remedy = termination::add_unit(given, remedy);
            Some(at.wrong(given, "is not a duration", remedy))
        }
        Ok(deadline) if !deadline.is_positive() => {
            Some(at.wrong(given, "must be greater than 0", remedy))
        }
        Ok(_) => None,
    }
}
