//! PodCliqueSets.

use admission::{FieldError, Rules, defaults, oversize, scaling};
use admission::{validate, validate_update, warnings};
use api::{PodCliqueSet, labels};
use domain::object::ownership;
use domain::topology::has_constraints;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::value::RawValue;

use super::Judge;
use super::children::decode_scale;
use super::unreadable::answer_unreadable;
use crate::patch::{outline_of, plan_patch};
use crate::review::{Answer, Operation, Request, Undecodable, decode};

impl Judge {
    /// A set that cannot be decoded passes: the definition is checked next and has the better
    /// error.
    pub(super) fn default_set(&self, request: &Request<'_>) -> Answer {
        let sent = request.object.filter(|_| check_size(request).is_none());
        let patch = sent.and_then(|sent| {
            let mut after: PodCliqueSet = decode(sent).ok()?;
            // The set is refused next in any case; a patch would take several times its size.
            if !oversize::of_sent(&after).is_empty() {
                return None;
            }
            let before = outline_of(&after)?;
            match decode_stored(request) {
                Some(stored) => defaults::complete_update(&stored, &mut after, &self.defaults),
                None => defaults::apply_in_place(&mut after, &self.defaults),
            }
            if request.operation == Operation::Create {
                add_finalizer(&mut after.metadata);
            }
            plan_patch(sent.get(), &before, &after)
        });
        Answer::Allowed {
            patch,
            warnings: Vec::new(),
        }
    }

    pub(super) fn validate_set(&self, request: &Request<'_>) -> Answer {
        if request.sub_resource == "scale" {
            return self.validate_set_scale(request);
        }
        let Some(sent) = request.object else {
            return Answer::allowed();
        };
        if let Some(error) = check_size(request) {
            return Answer::Invalid(vec![error]);
        }
        let stored = decode_stored(request);
        let (old, new) = match self.with_defaults(sent, stored.as_ref()) {
            Ok(both) => both,
            Err(error) => return answer_unreadable("the PodCliqueSet", sent, &error),
        };
        let rules = self.rules_for(&new);
        let errors = match &old {
            Some(old) => validate_update(old, &new, &rules),
            // If the stored set cannot be decoded, its errors are unknown: the update may correct
            // it, and the operator reports the rest.
            None if request.operation == Operation::Update => oversize::of_sent(&new),
            None => validate(&new, &rules),
        };
        let errors = if errors.is_empty() {
            let full = self.check_namespace(request, old.as_ref(), &new);
            full.into_iter().collect()
        } else {
            errors
        };
        if !errors.is_empty() {
            return Answer::Invalid(errors);
        }
        let mut told = warnings::of_set(old.as_ref(), &new);
        told.extend(warnings::in_cluster(&new, &rules));
        Answer::judged(errors, &told)
    }

    /// The rules for this set, with the topologies that it may name.
    fn rules_for(&self, set: &PodCliqueSet) -> Rules {
        let is_constrained = has_constraints(&set.spec.template);
        let known = is_constrained.then(|| self.stored.topologies());
        Rules {
            topologies: known.flatten(),
            ..self.rules.clone()
        }
    }

    /// The cache may lag: the operator does not act on a set that exceeds the limit meanwhile.
    fn check_namespace(
        &self,
        request: &Request<'_>,
        old: Option<&PodCliqueSet>,
        new: &PodCliqueSet,
    ) -> Option<FieldError> {
        let (namespace, name) = (&request.namespace, &request.name);
        let others = self.stored.bytes_beside(namespace, name);
        match old {
            Some(old) => oversize::of_change_in_namespace(old, new, others),
            None => oversize::of_namespace(new, others),
        }
    }

    /// Applies defaults as [`Self::default_set`] does, which may not have run; a job whose stored
    /// cliques have no defaults gets them here in both versions.
    fn with_defaults(
        &self,
        sent: &RawValue,
        stored: Option<&PodCliqueSet>,
    ) -> Result<(Option<PodCliqueSet>, PodCliqueSet), Undecodable> {
        let mut new = decode(sent)?;
        let Some(stored) = stored else {
            defaults::apply_in_place(&mut new, &self.defaults);
            return Ok((None, new));
        };
        let old = defaults::apply_to_both(stored, &mut new, &self.defaults);
        Ok((Some(old), new))
    }

    fn validate_set_scale(&self, request: &Request<'_>) -> Answer {
        let replicas = match decode_scale(request) {
            Ok(replicas) => replicas,
            Err(answer) => return answer,
        };
        // A set that the cache does not show yet is new and was scaled at once: the operator will
        // report its errors.
        let Some(stored) = self.stored.set(&request.namespace, &request.name) else {
            return Answer::allowed();
        };
        let errors = scaling::check_set_scale(&stored, replicas, &self.defaults, &self.rules);
        Answer::judged(errors, &[])
    }
}

/// Adds the operator's finalizer, so that it need not write it. It does so where the webhook did
/// not run; an update never adds it, or the finalizer could not be removed.
fn add_finalizer(meta: &mut ObjectMeta) {
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        let finalizers = meta.finalizers.get_or_insert_default();
        finalizers.push(labels::PCS_FINALIZER.to_owned());
    }
}

/// The error of a set that is too large to decode. If it is stored already, its finalizers must be
/// removable.
fn check_size(request: &Request<'_>) -> Option<FieldError> {
    let over = |object: &RawValue| oversize::of_text(object.get().as_bytes());
    let error = request.object.and_then(over)?;
    let is_update = request.operation == Operation::Update;
    let stored = request.old_object.filter(|_| is_update).and_then(over);
    stored.is_none().then_some(error)
}

fn decode_stored(request: &Request<'_>) -> Option<PodCliqueSet> {
    let is_update = request.operation == Operation::Update;
    let old = request.old_object.filter(|_| is_update);
    old.and_then(|old| decode(old).ok())
}
