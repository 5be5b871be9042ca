//! Changes of a set's objects: users and autoscalers scale PodCliques and scaling groups, by an
//! update or through `/scale`.
//!
//! The definitions refuse the same as far as they can: they see neither the set of an object nor
//! totals.

use api::podclique::AutoScalingConfig;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, WorkloadType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::defaults::{self, DefaultsConfig};
use crate::field::{FieldError, Path};
use crate::oversize;
use crate::rules::{Rules, validate_update};
use crate::warnings::Warning;

/// The verdict on a change. Any error refuses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalingVerdict {
    /// The errors.
    pub errors: Vec<FieldError>,
    /// Warnings about consequences that are easily missed; none if the change is refused.
    pub warnings: Vec<Warning>,
}

/// The verdict on an update of a scaling group. `parent` is its set, if it exists.
pub fn check_group_update(
    old: &PodCliqueScalingGroup,
    new: &PodCliqueScalingGroup,
    parent: Option<&PodCliqueSet>,
) -> ScalingVerdict {
    let change = Change {
        replicas: (old.spec.replicas, new.spec.replicas),
        minimum: new.spec.min_available.unwrap_or(1),
        is_training: is_training(parent, old.spec.workload_type),
        scaling: None,
    };
    change.judge(&new.metadata, || oversize::of_group(new))
}

/// The verdict on an update of a PodClique. `parent` is its set, if it exists.
pub fn check_podclique_update(
    old: &PodClique,
    new: &PodClique,
    parent: Option<&PodCliqueSet>,
) -> ScalingVerdict {
    let (before, after) = (&old.spec, &new.spec);
    let scaling = after.auto_scaling_config.as_ref();
    let change = Change {
        replicas: (before.replicas, after.replicas),
        minimum: after.min_available.unwrap_or(1),
        is_training: is_training(parent, before.workload_type),
        scaling: scaling.filter(|_| after.auto_scaling_config != before.auto_scaling_config),
    };
    change.judge(&new.metadata, || {
        oversize::of_podclique(new).into_iter().collect()
    })
}

/// The verdict on a scaling group that is scaled through `/scale`.
pub fn check_group_scale(
    stored: &PodCliqueScalingGroup,
    replicas: i32,
    parent: Option<&PodCliqueSet>,
) -> ScalingVerdict {
    let mut scaled = stored.clone();
    scaled.spec.replicas = replicas;
    check_group_update(stored, &scaled, parent)
}

/// The verdict on a PodClique that is scaled through `/scale`.
pub fn check_podclique_scale(
    stored: &PodClique,
    replicas: i32,
    parent: Option<&PodCliqueSet>,
) -> ScalingVerdict {
    let mut scaled = stored.clone();
    scaled.spec.replicas = replicas;
    check_podclique_update(stored, &scaled, parent)
}

/// The errors of a set that is scaled through `/scale`: those of an update of `spec.replicas`
/// alone.
pub fn check_set_scale(
    stored: &PodCliqueSet,
    replicas: i32,
    config: &DefaultsConfig,
    rules: &Rules,
) -> Vec<FieldError> {
    let before = defaults::apply(stored, config);
    let mut after = before.clone();
    after.spec.replicas = replicas;
    validate_update(&before, &after, rules)
}

/// The set decides; without it, its copy in the object.
fn is_training(parent: Option<&PodCliqueSet>, own: Option<WorkloadType>) -> bool {
    let type_ = parent.map_or(own, |set| set.spec.workload_type);
    type_ == Some(WorkloadType::Training)
}

struct Change<'a> {
    /// Before and after.
    replicas: (i32, i32),
    minimum: i32,
    is_training: bool,
    /// An autoscaler that was added or changed.
    scaling: Option<&'a AutoScalingConfig>,
}

impl Change<'_> {
    /// A stored size that is refused by now may stay, and an object that is being deleted may have
    /// any: its finalizer must be removable.
    fn judge(
        &self,
        new: &ObjectMeta,
        oversize: impl FnOnce() -> Vec<FieldError>,
    ) -> ScalingVerdict {
        if new.deletion_timestamp.is_some() {
            return ScalingVerdict::default();
        }
        let mut errors = Vec::from_iter(self.scaled_by_itself());
        let (before, after) = self.replicas;
        if before != after {
            errors.extend(self.scaled(oversize));
        }
        let is_accepted = errors.is_empty() && before != after;
        let warning = is_accepted.then(|| self.warning()).flatten();
        let warnings = warning.into_iter().collect();
        ScalingVerdict { errors, warnings }
    }

    fn scaled(&self, oversize: impl FnOnce() -> Vec<FieldError>) -> Vec<FieldError> {
        let (before, after) = self.replicas;
        if self.is_training {
            let problem = "cannot be changed: the workload is Training";
            let remedy = format!("restore {before}, or create another PodCliqueSet");
            return vec![replicas().wrong(after, problem, remedy)];
        }
        if after < 0 {
            let remedy = "set it to 0 to run nothing of it for now";
            return vec![replicas().wrong(after, "must not be negative", remedy)];
        }
        // The path names the object only if its set reports the error.
        let path = replicas().to_string();
        oversize()
            .into_iter()
            .map(|error| FieldError {
                path: path.clone(),
                ..error
            })
            .collect()
    }

    fn scaled_by_itself(&self) -> Option<FieldError> {
        let scaling = self.scaling.filter(|_| self.is_training)?;
        let at = Path::new("spec").field("autoScalingConfig");
        let problem = "cannot be set: the workload is Training, which has a fixed size";
        Some(at.wrong(scaling, problem, "remove it"))
    }

    fn warning(&self) -> Option<Warning> {
        let (_, after) = self.replicas;
        let minimum = self.minimum;
        let text = match after {
            0 => "0 scales it to zero: it leaves its gang".to_owned(),
            _ => format!("{after} is below minAvailable {minimum}; {after} count as enough now"),
        };
        (after < minimum).then(|| Warning::new(&replicas(), text))
    }
}

fn replicas() -> Path {
    Path::new("spec").field("replicas")
}
