//! Warnings about accepted fields with no effect or with an effect that is rarely wanted. The
//! author of the set sees them; they have no other effect.
//!
//! The API server cuts a warning after 256 characters, and drops warnings beyond 4 KiB in all.

mod autoscaling;
mod coherent;
mod min_ready;
mod no_replicas;
mod nvlink;
mod queue;
mod resized;
mod scheduler;
mod topology;
mod ttl;
mod without_effect;

use std::fmt;

use api::{PodCliqueSet, WorkloadType};
use domain::health::termination;
use domain::object::text::cut_text;
use jiff::SignedDuration;

use crate::clique_paths::{cliques, scaling_groups, template};
use crate::field::Path;
use crate::rules::Rules;

/// Shorter delays terminate gangs while their pods only restart.
const SHORT: SignedDuration = SignedDuration::from_secs(10);
/// Of one warning.
const MAX_CHARS: usize = 250;

/// A warning, and its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// JSON path of the field.
    pub path: String,
    /// The text.
    pub text: String,
}

impl Warning {
    pub(crate) fn new(at: &Path, text: impl Into<String>) -> Self {
        Self {
            path: at.to_string(),
            text: text.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{}: {}", self.path, self.text);
        f.write_str(&cut_text(&line, MAX_CHARS))
    }
}

/// The warnings about an accepted set with its defaults applied; `old` is the stored one in an
/// update. A set that is being deleted gets none.
pub fn of_set(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Vec<Warning> {
    if new.metadata.deletion_timestamp.is_some() {
        return Vec::new();
    }
    let is_training = new.spec.workload_type == Some(WorkloadType::Training);
    let no_replicas = no_replicas::check(old, new).into_iter().collect();
    let of_type = if is_training {
        without_effect::of_job(new)
    } else {
        of_service(new)
    };
    [
        no_replicas,
        without_effect::start_order(new),
        of_type,
        without_effect::priorities(new),
        without_effect::partition(new),
        autoscaling::check(old, new),
        resized::check(old, new),
        topology::old_names(new),
        topology::equal_levels(new),
        topology::names_in_annotations(new),
        ttl::check(new),
        nvlink::check(new),
    ]
    .concat()
}

/// Further warnings about a set that is sent to a cluster: they follow from what `rules` know of it.
pub fn in_cluster(new: &PodCliqueSet, rules: &Rules) -> Vec<Warning> {
    if new.metadata.deletion_timestamp.is_some() {
        return Vec::new();
    }
    [
        scheduler::without_profile(new, rules),
        topology::broader_levels(new, rules),
        queue::check(new, rules),
    ]
    .concat()
}

/// Warnings about an Inference workload. The templates of a job cannot be changed, so nothing of it is
/// updated.
fn of_service(pcs: &PodCliqueSet) -> Vec<Warning> {
    [
        short_delays(pcs),
        ending_pods(pcs),
        without_effect::partitions_of_parts(pcs),
        min_ready::check(pcs),
        coherent::check(pcs),
    ]
    .concat()
}

fn short_delays(pcs: &PodCliqueSet) -> Vec<Warning> {
    let own = &pcs.spec.template.termination_delay;
    let groups = scaling_groups(pcs).map(|(at, group)| (at, &group.termination_delay));
    [(template(), own)]
        .into_iter()
        .chain(groups)
        .filter_map(|(at, delay)| {
            let delay = delay.as_ref()?.parse().ok()?;
            // Still shorter is an error, and disables gang termination where it was stored before.
            let is_short = (termination::SHORTEST..SHORT).contains(&delay);
            let text = format!(
                "{}s is shorter than most restarts: gangs may be terminated for one",
                delay.as_secs()
            );
            is_short.then(|| Warning::new(&at.field("terminationDelay"), text))
        })
        .collect()
}

/// A kubelet that does not restart containers leaves that to the operator (docs/semantics.md §6.4).
fn ending_pods(pcs: &PodCliqueSet) -> Vec<Warning> {
    cliques(pcs)
        .filter_map(|(at, clique)| {
            let policy = clique.spec.pod_spec.restart_policy.as_deref()?;
            let at = at.field("spec").field("podSpec").field("restartPolicy");
            let text = "pods that end are replaced by new ones; use Always, or Training for a job";
            (policy != "Always").then(|| Warning::new(&at, text))
        })
        .collect()
}
