//! Validation of stored sets whose findings are kept: every decision on a set and on its scaling
//! groups asks for them, and what they depend on seldom changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::PodCliqueSet;
use domain::object::ownership;
use domain::workload::limits;

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

/// What was found in the newest version of a set that was asked for.
#[derive(Debug)]
struct Known {
    /// What it was found in. Not its generation: in a restored etcd the same one may have another
    /// spec.
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

    /// What the operator's configuration says about defaults.
    pub fn defaults(&self) -> &DefaultsConfig {
        &self.defaults
    }

    /// Validates a stored `PodCliqueSet` for its children: it alone knows what all of them amount to,
    /// and reports it in its status.
    pub fn validate_parent(&self, stored: &Arc<PodCliqueSet>) -> ValidatedSet {
        let mut validated = self.validate_set(stored);
        validated.is_over_limits |= limits::says_over_limits(stored);
        validated
    }

    /// The same as [`validate_set`](crate::validated_set::validate_set).
    pub fn validate_set(&self, stored: &Arc<PodCliqueSet>) -> ValidatedSet {
        let set = defaults::apply(stored, &self.defaults);
        let findings = self.find_known(stored).unwrap_or_else(|| {
            let findings = find_faults(&set);
            self.keep(stored, &findings);
            findings
        });
        findings.of(set)
    }

    fn find_known(&self, stored: &Arc<PodCliqueSet>) -> Option<Findings> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get_mut(ownership::uid(&stored.metadata))?;
        if !Arc::ptr_eq(&known.stored, stored) {
            if !is_same(&known.stored, stored) {
                return None;
            }
            // The older version is kept alive for nobody.
            known.stored = stored.clone();
        }
        Some(known.findings.clone())
    }

    fn keep(&self, stored: &Arc<PodCliqueSet>, findings: &Findings) {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = ownership::uid(&stored.metadata);
        if !all.contains_key(uid) {
            // Of sets that are gone nobody else holds a version.
            all.retain(|_, known| Arc::strong_count(&known.stored) > 1);
        }
        let known = Known {
            stored: stored.clone(),
            findings: findings.clone(),
        };
        all.insert(uid.to_owned(), known);
    }
}
