//! An object of a file with its remarks, before they get places.

use std::collections::HashSet;

use admission::{FieldError, defaults, warnings};
use admission::{Rules, oversize, unknown_fields, validate, validate_binding, validate_update};
use api::{ClusterTopologyBinding, PodCliqueSet};
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::coerced;
use super::definition::{self, Definition, Guesses};
use super::operator::Operator;
use super::remark::{NOT_SET, Remark};
use super::rules::{self, admitted};

/// A manifest of a set, judged.
#[derive(Debug, Default)]
pub(super) struct JudgedSet {
    /// Remarks on it.
    pub(super) remarks: Vec<Remark>,
    /// The set with its defaults, if it can be read and is within its limits.
    pub(super) set: Option<PodCliqueSet>,
}

/// Judges a set as the webhook does at its creation, or at an update of `stored`, and by the
/// definition and the rules of this command.
pub(super) fn judge_set(operator: &Operator, object: &Value, stored: Option<&Value>) -> JudgedSet {
    if let Some(error) = check_size(object, stored) {
        return refused(vec![Remark::of_error(&admitted::REFUSED, error)]);
    }
    let mut remarks = of_definition(Definition::set(), object, stored);
    add_hints(&mut remarks, object);
    let read = match read_set(object, &remarks) {
        Ok(read) => read,
        Err(error) => {
            remarks.extend(error);
            return refused(remarks);
        }
    };
    let before = stored.and_then(|stored| decode(Definition::set(), stored, &[]).ok());
    let is_change = stored.is_some();
    let mut judged = judge_readable(operator, remarks, read, before.as_ref(), is_change);
    coerced::keep_one_error(&mut judged.remarks);
    judged
}

/// The set, with guesses in place of the values that its definition refuses: one wrong value hides nothing
/// else.
fn read_set(object: &Value, said: &[Remark]) -> Result<(PodCliqueSet, Guesses), Option<Remark>> {
    let definition = Definition::set();
    let read = decode(definition, object, said).map(|set| (set, Guesses::default()));
    read.or_else(|error| {
        let (intended, guesses) = definition.as_intended(object);
        let set = PodCliqueSet::deserialize(&intended).map_err(|_| error)?;
        Ok((set, guesses))
    })
}

fn judge_readable(
    operator: &Operator,
    mut remarks: Vec<Remark>,
    (mut set, guesses): (PodCliqueSet, Guesses),
    before: Option<&PodCliqueSet>,
    is_change: bool,
) -> JudgedSet {
    let config = &operator.defaults;
    let old = before.map(|before| defaults::apply_to_both(before, &mut set, config));
    if old.is_none() {
        defaults::apply_in_place(&mut set, config);
    }
    if set.metadata.namespace.is_none() {
        set.metadata.namespace.clone_from(&operator.namespace);
    }
    let known = operator.rules_of(&set);
    let errors = errors_of(&known, old.as_ref(), &set, is_change);
    add_errors(&mut remarks, errors, &guesses);
    // A set above a limit is not judged any further.
    if !oversize::of_sent(&set).is_empty() {
        return refused(remarks);
    }
    let mut more = warnings_and_rules(old.as_ref(), &set, &known);
    more.extend(rules::topologies::check(&set, &operator.topologies));
    more.retain(|remark| !guesses.is_unknown(&remark.path) && !is_missing(&remarks, &remark.path));
    remarks.extend(more);
    let set = Some(set);
    JudgedSet { remarks, set }
}

/// Whether it is said that the field is required and not set. Kubernetes' types then have an empty value.
fn is_missing(said: &[Remark], path: &str) -> bool {
    let is_of_definition = |remark: &&Remark| remark.rule == &admitted::DEFINITION;
    let mut said = said.iter().filter(is_of_definition);
    said.any(|remark| remark.path == path && remark.value.as_deref() == Some(NOT_SET))
}

fn warnings_and_rules(
    old: Option<&PodCliqueSet>,
    set: &PodCliqueSet,
    known: &Rules,
) -> Vec<Remark> {
    let in_cluster = warnings::in_cluster(set, known);
    let warnings = warnings::of_set(old, set).into_iter().chain(in_cluster);
    let mut remarks: Vec<Remark> = warnings.map(admitted::warning).collect();
    if set.metadata.deletion_timestamp.is_none() {
        remarks.extend(rules::check_set(set));
    }
    remarks
}

/// By the webhook's rule: if the stored version cannot be decoded, its errors are unknown.
fn errors_of(
    rules: &Rules,
    old: Option<&PodCliqueSet>,
    new: &PodCliqueSet,
    is_change: bool,
) -> Vec<FieldError> {
    match old {
        Some(old) => validate_update(old, new, rules),
        None if is_change => oversize::of_sent(new),
        None => validate(new, rules),
    }
}

/// Judges a topology likewise.
pub(super) fn judge_binding(
    operator: &Operator,
    sent: &Value,
    stored: Option<&Value>,
) -> Vec<Remark> {
    let definition = Definition::binding();
    let mut remarks = of_definition(definition, sent, stored);
    let binding: ClusterTopologyBinding = match decode(definition, sent, &remarks) {
        Ok(binding) => binding,
        Err(error) => {
            remarks.extend(error);
            return remarks;
        }
    };
    let old = stored.and_then(|stored| decode(definition, stored, &[]).ok());
    let errors = validate_binding(old.as_ref(), &binding, &operator.rules);
    add_errors(&mut remarks, errors, &Guesses::default());
    remarks
}

fn refused(remarks: Vec<Remark>) -> JudgedSet {
    let set = None;
    JudgedSet { remarks, set }
}

/// The error of an object that is too large to decode, unless it is stored already.
fn check_size(sent: &Value, stored: Option<&Value>) -> Option<FieldError> {
    let over = |object: &Value| oversize::of_text(object.to_string().as_bytes());
    let error = over(sent)?;
    stored.and_then(over).is_none().then_some(error)
}

/// Ratcheting: errors that the stored object has are not reported, wherever they are in a list now.
fn of_definition(definition: &Definition, sent: &Value, stored: Option<&Value>) -> Vec<Remark> {
    let mut remarks = definition::check(definition, sent, stored.is_some());
    if let Some(stored) = stored {
        let before = definition::check(definition, stored, true);
        let before: HashSet<_> = before.iter().map(identity).collect();
        remarks.retain(|remark| !before.contains(&identity(remark)));
    }
    remarks
}

/// The identity of a remark without its index in a list.
fn identity(remark: &Remark) -> (String, Option<String>) {
    let is_digit = |c: char| c.is_ascii_digit();
    let path = remark.path.replace(is_digit, "");
    (path, remark.value.clone())
}

/// A hint replaces the remark that the field does not exist.
fn add_hints(remarks: &mut Vec<Remark>, sent: &Value) {
    let hints: Vec<_> = unknown_fields::hints(sent)
        .into_iter()
        .map(|hint| Remark::of_error(&admitted::UNKNOWN_FIELD, hint))
        .collect();
    remarks.retain(|remark| hints.iter().all(|hint| hint.path != remark.path));
    remarks.extend(hints);
}

/// The rules of admission have better messages than the definition, except about a value of another type
/// than the written one.
fn add_errors(remarks: &mut Vec<Remark>, mut errors: Vec<FieldError>, guesses: &Guesses) {
    errors.retain(|error| !guesses.is_unknown(&error.path));
    let is_said = |remark: &Remark| {
        let is_limit = remark.rule == &admitted::DEFINITION && !guesses.is_replaced(&remark.path);
        is_limit && errors.iter().any(|error| error.path == remark.path)
    };
    remarks.retain(|remark| !is_said(remark));
    let errors = errors.into_iter();
    remarks.extend(errors.map(|error| Remark::of_error(&admitted::REFUSED, error)));
}

/// An object that cannot be decoded is an error, unless the definition reported it already.
fn decode<T: DeserializeOwned>(
    definition: &Definition,
    object: &Value,
    said: &[Remark],
) -> Result<T, Option<Remark>> {
    serde_path_to_error::deserialize(&definition.as_stored(object)).map_err(|error| {
        let is_said = said.iter().any(|r| r.rule == &admitted::DEFINITION);
        let problem = format!("the {} cannot be read: {}", definition.kind, error.inner());
        let remark = Remark::new(&admitted::DEFINITION, error.path().to_string(), problem);
        (!is_said).then(|| remark.remedy("correct this field"))
    })
}
