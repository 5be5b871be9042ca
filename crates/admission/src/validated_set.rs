//! A stored PodCliqueSet for the operator: with defaults, and with the decision whether the
//! operator may act on it. Controllers do not rely on the webhook, which may be absent.

use std::collections::HashSet;

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodCliqueSet, WorkloadType};
use domain::workload::hash;

use crate::defaults::{self, DefaultsConfig};
use crate::error_limit::bound_errors;
use crate::field::FieldError;
use crate::oversize;
use crate::rules::{self, Rules};

/// A PodCliqueSet with defaults and validation errors: the input of the reconcilers' rules.
#[derive(Clone, Debug, Default)]
pub struct ValidatedSet {
    /// With defaults applied.
    pub set: PodCliqueSet,
    /// Its errors; while there are any, nothing is created.
    pub errors: Vec<FieldError>,
    /// Whether it is over a limit: by itself (then `errors` holds nothing else), or, for its
    /// children, with all live counts, as its status reports. Nothing of it is enumerated then.
    pub is_over_limits: bool,
    /// Invalid delays of gang termination: gang termination is disabled there, and everything else
    /// is acted on.
    pub invalid_delays: Vec<FieldError>,
    /// Changes that are not possible: the value before the change counts, and everything else is
    /// acted on.
    pub not_acted_on: Vec<FieldError>,
    /// The hash of the pods of each clique, in the order of the cliques.
    template_hashes: Vec<String>,
}

impl ValidatedSet {
    /// These cliques, each with the hash of its pods. They are borrowed from `set`; a copy of one is
    /// left out.
    pub fn hash_cliques<'a>(
        &'a self,
        cliques: impl IntoIterator<Item = &'a PodCliqueTemplateSpec>,
    ) -> Vec<(&'a PodCliqueTemplateSpec, String)> {
        let known = || {
            self.set
                .spec
                .template
                .cliques
                .iter()
                .zip(&self.template_hashes)
        };
        let hashed = |clique: &'a PodCliqueTemplateSpec| {
            let (_, hash) = known().find(|(known, _)| std::ptr::eq(*known, clique))?;
            Some((clique, hash.clone()))
        };
        cliques.into_iter().filter_map(hashed).collect()
    }

    /// Hash of all template fields whose change is an update.
    pub fn generation_hash(&self) -> String {
        hash::generation_hash(&self.template_hashes)
    }

    /// Whether children may be created and corrected.
    pub fn may_act(&self) -> bool {
        self.errors.is_empty() && !self.is_over_limits
    }
}

/// The errors of a set, and results that are expensive to compute. They depend only on the defaults
/// and on the fields that [`rules::is_same`] compares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    errors: Vec<FieldError>,
    is_over_limits: bool,
    invalid_delays: Vec<FieldError>,
    pub(crate) template_hashes: Vec<String>,
}

impl Findings {
    /// The set in which they were found, and they.
    pub(crate) fn of(self, set: PodCliqueSet) -> ValidatedSet {
        ValidatedSet {
            set,
            errors: self.errors,
            is_over_limits: self.is_over_limits,
            invalid_delays: self.invalid_delays,
            not_acted_on: Vec::new(),
            template_hashes: self.template_hashes,
        }
    }
}

/// Applies the defaults to a stored PodCliqueSet and validates it.
pub fn validate_set(stored: &PodCliqueSet, config: &DefaultsConfig) -> ValidatedSet {
    let set = defaults::apply(stored, config);
    find_faults(&set).of(set)
}

/// Validates a set that has its defaults.
pub(crate) fn find_faults(set: &PodCliqueSet) -> Findings {
    let over = oversize::of_template(set);
    let template_hashes = hash::pod_template_hashes(&set.spec.template);
    if !over.is_empty() {
        return Findings {
            errors: over,
            is_over_limits: true,
            template_hashes,
            ..Findings::default()
        };
    }
    let mut errors = rules::within_limits(set, &Rules::default());
    let is_inference = set.spec.workload_type == Some(WorkloadType::Inference);
    let invalid_delays = if is_inference {
        rules::invalid_delays(set)
    } else {
        Vec::new()
    };
    let delays: HashSet<&FieldError> = invalid_delays.iter().collect();
    errors.retain(|e| !delays.contains(e));
    Findings {
        errors: bound_errors(errors),
        is_over_limits: false,
        invalid_delays: bound_errors(invalid_delays),
        template_hashes,
    }
}
