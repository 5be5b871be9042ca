//! Validation of stored sets with a memory: every decision on a set, its scaling groups and their
//! PodCliques needs the result, and its inputs seldom change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::PodCliqueSet;
use domain::object::ownership;
use domain::workload::{hash, limits};

use crate::defaults::{self, DefaultsConfig};
use crate::rules::is_same;
use crate::validated_set::{Findings, ValidatedSet, find_faults};

/// Validates stored sets under one configuration.
#[derive(Debug, Default)]
pub struct Validator {
    defaults: DefaultsConfig,
    /// By uid.
    known: Mutex<HashMap<String, Known>>,
}

/// The result for the newest version of a set.
#[derive(Debug)]
struct Known {
    /// The validated version. The generation is no key: in a restored etcd the same one may have
    /// another spec.
    stored: Arc<PodCliqueSet>,
    findings: Findings,
}

impl Validator {
    /// With these defaults.
    pub fn new(defaults: DefaultsConfig) -> Self {
        Self {
            defaults,
            known: Mutex::default(),
        }
    }

    /// Defaults in the operator's configuration.
    pub fn defaults(&self) -> &DefaultsConfig {
        &self.defaults
    }

    /// Validates a stored `PodCliqueSet` for its children. Only the set knows the totals of all
    /// children, and reports them in its status.
    pub fn validate_parent(&self, stored: &Arc<PodCliqueSet>) -> ValidatedSet {
        let mut validated = self.validate_set(stored);
        validated.is_over_limits |= limits::says_over_limits(stored);
        validated
    }

    /// The same as [`validate_set`](crate::validated_set::validate_set).
    pub fn validate_set(&self, stored: &Arc<PodCliqueSet>) -> ValidatedSet {
        let findings = self.read(stored, Findings::clone);
        findings.of(defaults::apply(stored, &self.defaults))
    }

    /// The hash of the pods that this clique of a stored set makes: that of its template with
    /// defaults, as its PodCliques are labelled.
    pub fn template_hash(&self, stored: &Arc<PodCliqueSet>, clique: &str) -> Option<String> {
        let place = stored
            .spec
            .template
            .cliques
            .iter()
            .position(|c| c.name == clique)?;
        self.read(stored, |findings| {
            findings.template_hashes.get(place).cloned()
        })
    }

    /// The hash of the newest generation of a stored set's templates.
    pub fn generation_hash(&self, stored: &Arc<PodCliqueSet>) -> String {
        self.read(stored, |findings| {
            hash::generation_hash(&findings.template_hashes)
        })
    }

    fn read<T>(&self, stored: &Arc<PodCliqueSet>, read: impl Fn(&Findings) -> T) -> T {
        self.read_known(stored, &read).unwrap_or_else(|| {
            let findings = find_faults(&defaults::apply(stored, &self.defaults));
            let result = read(&findings);
            self.keep(stored, findings);
            result
        })
    }

    fn read_known<T>(
        &self,
        stored: &Arc<PodCliqueSet>,
        read: impl Fn(&Findings) -> T,
    ) -> Option<T> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get_mut(ownership::uid(&stored.metadata))?;
        if !Arc::ptr_eq(&known.stored, stored) {
            if !is_same(&known.stored, stored) {
                return None;
            }
            // Frees the older version.
            known.stored = stored.clone();
        }
        Some(read(&known.findings))
    }

    fn keep(&self, stored: &Arc<PodCliqueSet>, findings: Findings) {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = ownership::uid(&stored.metadata);
        if !all.contains_key(uid) {
            // Only this map holds a set that is gone.
            all.retain(|_, known| Arc::strong_count(&known.stored) > 1);
        }
        let known = Known {
            stored: stored.clone(),
            findings,
        };
        all.insert(uid.to_owned(), known);
    }
}
