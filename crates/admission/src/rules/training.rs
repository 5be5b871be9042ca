//! Training jobs (seed 002): they run once, in the size they were written in.

use api::podcliqueset::{PodCliqueTemplateSpec, TrainingSpec};
use api::{PodCliqueSet, WorkloadType};

use super::termination::unreadable;
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::{FieldError, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let spec = Path::new("spec");
    let limits = pcs.spec.training_spec.as_ref();
    if pcs.spec.workload_type != Some(WorkloadType::Training) {
        return limits
            .map(|limits| without_training(&spec, limits))
            .into_iter()
            .collect();
    }
    let mut errors = Vec::new();
    errors.extend(no_replicas(&spec, pcs.spec.replicas));
    errors.extend(no_pods(pcs));
    errors.extend(limits.into_iter().flat_map(|limits| {
        let at = spec.field("trainingSpec");
        let found = [
            max_runtime(&at, limits),
            max_restarts(&at, limits),
            ttl_after_finished(&at, limits),
        ];
        found.into_iter().flatten()
    }));
    errors.extend(cliques(pcs).filter_map(|(at, clique)| restart_policy(&at, clique)));
    errors.extend(autoscaling(pcs));
    errors
}

fn without_training(spec: &Path, limits: &TrainingSpec) -> FieldError {
    let problem = "is allowed for training jobs only";
    let remedy = "remove it, or set spec.workloadType to Training";
    spec.field("trainingSpec").wrong(limits, problem, remedy)
}

/// The number of replicas cannot be changed later, so nothing would ever run.
fn no_replicas(spec: &Path, replicas: i32) -> Option<FieldError> {
    let problem = "a training job needs at least one replica, and cannot be scaled later";
    let remedy = "set it to the number of copies";
    (replicas == 0).then(|| spec.field("replicas").wrong(replicas, problem, remedy))
}

/// The same for its parts: they could not be scaled up again.
fn no_pods(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let cliques = cliques(pcs).map(|(at, c)| (at.field("spec"), c.spec.replicas));
    let groups = scaling_groups(pcs).map(|(at, g)| (at, g.replicas.unwrap_or(1)));
    let none = cliques.chain(groups).filter(|(_, replicas)| *replicas == 0);
    let problem = "a part of a training job needs at least one, and cannot be scaled later";
    let remedy = "set it to the number that the job needs";
    none.map(|(at, n)| at.field("replicas").wrong(n, problem, remedy))
        .collect()
}

fn max_runtime(at: &Path, limits: &TrainingSpec) -> Option<FieldError> {
    let given = limits.max_runtime.as_ref()?;
    let at = at.field("maxRuntime");
    match given.parse() {
        Err(error) => Some(unreadable(&at, given, &error)),
        Ok(limit) if limit.is_positive() => None,
        Ok(_) => {
            let remedy = "choose a duration such as 72h, or omit it for no limit";
            Some(at.wrong(given, "must be greater than 0", remedy))
        }
    }
}

fn max_restarts(at: &Path, limits: &TrainingSpec) -> Option<FieldError> {
    let given = limits.max_restarts?;
    let remedy = "set it to 0 for no restarts, or to how many are allowed";
    (given < 0).then(|| {
        at.field("maxRestarts")
            .wrong(given, "must not be negative", remedy)
    })
}

fn ttl_after_finished(at: &Path, limits: &TrainingSpec) -> Option<FieldError> {
    let given = limits.ttl_after_finished.as_ref()?;
    let at = at.field("ttlAfterFinished");
    match given.parse() {
        Err(error) => Some(unreadable(&at, given, &error)),
        Ok(kept) if kept.is_negative() => {
            let remedy = "choose a duration such as 1h, or omit it to keep the job";
            Some(at.wrong(given, "must not be negative", remedy))
        }
        Ok(_) => None,
    }
}

/// A kubelet that restarts containers hides their end from us.
fn restart_policy(at: &Path, clique: &PodCliqueTemplateSpec) -> Option<FieldError> {
    let given = clique.spec.pod_spec.restart_policy.as_deref()?;
    let at = at.field("spec").field("podSpec").field("restartPolicy");
    let problem = "pods of a training job end, and the operator counts their restarts";
    (given == "Always")
        .then(|| at.wrong(given, problem, "set it to Never or OnFailure, or omit it"))
}

/// A container may have a policy of its own beside that of its pod, which alone is read elsewhere.
pub(super) fn restarts_of_containers(pcs: &PodCliqueSet) -> Vec<FieldError> {
    if pcs.spec.workload_type != Some(WorkloadType::Training) {
        return Vec::new();
    }
    cliques(pcs)
        .flat_map(|(at, clique)| {
            let pod = &clique.spec.pod_spec;
            let of_pod = pod.restart_policy.as_deref().unwrap_or("Never");
            let at = at.field("spec").field("podSpec").field("containers");
            let policies = pod.containers.iter().enumerate();
            policies.filter_map(move |(i, container)| {
                let given = container.restart_policy.as_deref()?;
                let problem =
                    format!("must be that of the pod ({of_pod}), by which restarts are counted");
                let at = at.index(i).field("restartPolicy");
                (given != of_pod).then(|| at.wrong(given, problem, "remove it"))
            })
        })
        .collect()
}

fn autoscaling(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let problem = "a training job has a fixed size";
    let own = cliques(pcs).filter_map(|(at, clique)| {
        let at = at.field("spec").field("autoScalingConfig");
        let scaling = clique.spec.auto_scaling_config.as_ref()?;
        Some(at.wrong(scaling, problem, "remove it"))
    });
    let of_groups = scaling_groups(pcs).filter_map(|(at, group)| {
        let scaling = group.scale_config.as_ref()?;
        Some(at.field("scaleConfig").wrong(scaling, problem, "remove it"))
    });
    own.chain(of_groups).collect()
}
