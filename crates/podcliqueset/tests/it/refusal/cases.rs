//! Without a webhook the operator reports the errors of a stored set that the webhook would have
//! answered: of each refused case, or the case is listed here with the reason.

use std::collections::BTreeSet;
use std::sync::Arc;

use admission::defaults::{DefaultsConfig, apply, apply_on_update};
use admission::minimums::{Minimums, keep_minimums};
use admission::validated_set::validate_set;
use admission::{FieldError, Rules, validate, validate_update};
use api::conditions::{self, ConditionType};
use api::{PodCliqueSet, PodCliqueSetStatus, labels};
use domain::object::ownership;
use podcliqueset::Snapshot;
use serde_json::Value;
use testkit::admission_cases::{Case, all};
use testkit::builders::store;

use super::webhook_only::{OTHER_WORDS, WEBHOOK_ONLY};
use crate::situation::{alone, carry_out, plan};

/// The operator lists this many errors, and the others once these are corrected.
const LISTED: usize = 5;

/// The API server makes a name of a prefix before it calls webhooks.
fn decode(object: &Value) -> PodCliqueSet {
    let mut set: PodCliqueSet = serde_json::from_value(object.clone()).unwrap();
    let meta = &mut set.metadata;
    let prefix = meta.generate_name.as_ref();
    let made = prefix.map(|prefix| format!("{prefix}x7x7x"));
    meta.name = meta.name.take().or(made);
    set
}

fn decode_stored(object: &Value) -> PodCliqueSet {
    let mut set = decode(object);
    store(&mut set.metadata);
    set.metadata.finalizers = Some(vec![labels::PCS_FINALIZER.into()]);
    set
}

/// The webhook's errors.
fn refusals(case: &Case) -> Vec<FieldError> {
    let (config, rules) = (DefaultsConfig::default(), Rules::default());
    let mut sent = decode(&case.object);
    let Some(before) = &case.before else {
        return validate(&apply(&sent, &config), &rules);
    };
    let before = apply(&decode(before), &config);
    apply_on_update(&before, &mut sent, &config);
    validate_update(&before, &sent, &rules)
}

/// The set as it is stored now, with the objects that were created for it before.
fn stored(case: &Case) -> Snapshot {
    let now = decode_stored(&case.object);
    let Some(before) = &case.before else {
        return alone(&now);
    };
    let mut snapshot = alone(&decode_stored(before));
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let mut minimums = Minimums::default();
    let name = ownership::name(&now.metadata);
    for group in &snapshot.children.groups {
        minimums.add_group(name, group);
    }
    for seen in snapshot.podcliques.values() {
        minimums.add_clique(name, &seen.podclique);
    }
    snapshot.validated = validate_set(&now, &DefaultsConfig::default());
    keep_minimums(&mut snapshot.validated, &now, &minimums);
    snapshot.stored = Arc::new(now);
    snapshot
}

/// The errors in the set's status.
fn texts(status: &PodCliqueSetStatus) -> Vec<&str> {
    let is_false = |type_| {
        let found = conditions::find(&status.conditions, type_);
        found.filter(|condition| condition.status == "False")
    };
    let disabled = conditions::find(&status.conditions, ConditionType::GangTerminationDisabled);
    let listed = is_false(ConditionType::Ready).map(|_| &status.last_errors);
    let listed = listed.into_iter().flatten().map(|e| e.description.as_str());
    listed.chain(disabled.map(|c| c.message.as_str())).collect()
}

fn is_reported(case: &Case, words: fn(&FieldError) -> String) -> bool {
    let errors = refusals(case);
    assert!(!errors.is_empty(), "{}", case.name);
    let status = plan(&stored(case)).status.unwrap();
    let texts = texts(&status);
    let is_listed = |error: &FieldError| {
        let words = words(error);
        texts.iter().any(|text| text.contains(&words))
    };
    errors.iter().take(LISTED).all(is_listed)
}

fn refused() -> Vec<Case> {
    let all = all().into_iter();
    all.filter(|case| !case.refused_at.is_empty()).collect()
}

#[test]
fn the_set_reports_the_same_errors_as_the_webhook() {
    let refused = refused();
    let silent = refused
        .iter()
        .filter(|case| !is_reported(case, FieldError::to_string));
    let silent: BTreeSet<_> = silent.map(|case| case.name).collect();
    let listed = WEBHOOK_ONLY.iter().flat_map(|(_, names)| *names);
    let listed = listed.chain(&OTHER_WORDS).copied().collect();
    assert_eq!(
        silent, listed,
        "left: reported by the webhook alone; right: the known ones of these"
    );
}

#[test]
fn a_changed_minimum_is_reported_at_the_same_path() {
    let path = |error: &FieldError| format!("{}: {}: cannot be changed", error.path, error.value);
    for case in refused() {
        let is_meant = OTHER_WORDS.contains(&case.name);
        assert!(!is_meant || is_reported(&case, path), "{}", case.name);
    }
}
