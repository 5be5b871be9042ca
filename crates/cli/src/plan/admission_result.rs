//! Admission of a file by the API server and the operator's webhook: defaults, and errors.

use admission::defaults::{self, DefaultsConfig};
use admission::{FieldError, Rules, unknown_fields, validate, validate_update, warnings};
use api::{PodCliqueSet, labels};
use serde_json::{Value, json};

use super::world::schema;
use crate::exit::Failure;
use crate::json;
use crate::lint;

const API_VERSION: &str = "grove.io/v1alpha1";
const KIND: &str = "PodCliqueSet";

/// The result of admission.
#[derive(Clone, Debug)]
pub enum AdmissionResult {
    /// The object will be stored like this.
    Accepted {
        /// The set as it will be stored.
        set: Box<PodCliqueSet>,
        /// Warnings that kubectl prints.
        warnings: Vec<String>,
    },
    /// Nothing is stored.
    Refused(Vec<FieldError>),
}

/// Whether the object is a PodCliqueSet; its version must be the served one.
pub fn is_set(object: &Value) -> Result<bool, Failure> {
    if json::text(object, "/kind") != KIND {
        return Ok(false);
    }
    let version = json::text(object, "/apiVersion");
    if version == API_VERSION {
        return Ok(true);
    }
    Err(Failure::BadInput(format!(
        "{}: apiVersion is {version:?}; use {API_VERSION}",
        describe(object),
    )))
}

/// Name of the set, which is required.
pub fn name_of(object: &Value) -> Result<&str, Failure> {
    let name = json::meta(object, "name");
    let missing = || "a PodCliqueSet has no metadata.name; give it one".to_owned();
    let is_named = (!name.is_empty()).then_some(name);
    is_named.ok_or_else(|| Failure::BadInput(missing()))
}

/// A new set in that namespace; `rules_for` finds the rules for it.
pub fn admit_new(
    file: &Value,
    namespace: &str,
    config: &DefaultsConfig,
    rules_for: impl FnOnce(&PodCliqueSet) -> Rules,
) -> Result<AdmissionResult, Failure> {
    let mut set = decode(json!({
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "name": name_of(file)?,
            "namespace": namespace,
            "labels": json::at(file, "/metadata/labels"),
            "annotations": json::at(file, "/metadata/annotations"),
        },
        "spec": json::at(file, "/spec"),
    }))?;
    defaults::apply_in_place(&mut set, config);
    let rules = rules_for(&set);
    let errors = refused(file, validate(&set, &rules));
    if !errors.is_empty() {
        return Ok(AdmissionResult::Refused(errors));
    }
    let warnings = warnings_of(file, None, &set, &rules);
    let finalizers = set.metadata.finalizers.get_or_insert_default();
    finalizers.push(labels::PCS_FINALIZER.to_owned());
    let set = Box::new(set);
    Ok(AdmissionResult::Accepted { set, warnings })
}

/// A stored set with this change.
pub fn admit_change(
    file: &Value,
    stored: &PodCliqueSet,
    changed: Value,
    config: &DefaultsConfig,
    rules_for: impl FnOnce(&PodCliqueSet) -> Rules,
) -> Result<AdmissionResult, Failure> {
    let mut set = decode(changed)?;
    let mut new = set.clone();
    let old = defaults::apply_to_both(stored, &mut new, config);
    defaults::complete_update(stored, &mut set, config);
    let rules = rules_for(&new);
    let errors = refused(file, validate_update(&old, &new, &rules));
    if !errors.is_empty() {
        return Ok(AdmissionResult::Refused(errors));
    }
    let warnings = warnings_of(file, Some(&old), &new, &rules);
    let set = Box::new(set);
    Ok(AdmissionResult::Accepted { set, warnings })
}

/// A field with a wrong name explains a field that is missing elsewhere.
fn refused(file: &Value, errors: Vec<FieldError>) -> Vec<FieldError> {
    if errors.is_empty() {
        return errors;
    }
    let mut all = unknown_fields::hints(file);
    all.extend(errors);
    all
}

fn warnings_of(
    file: &Value,
    old: Option<&PodCliqueSet>,
    new: &PodCliqueSet,
    rules: &Rules,
) -> Vec<String> {
    let unknown = schema::find_unknown(KIND, file).into_iter();
    let unknown = unknown.map(|path| format!("{path}: {}", unknown_fields::PROBLEM));
    let of_set = warnings::of_set(old, new).into_iter();
    let in_cluster = warnings::in_cluster(new, rules);
    let known = of_set.chain(in_cluster).map(|warning| warning.to_string());
    // The API server stores such a set, and creates none of its pods.
    let of_pods = lint::check_pods(new).into_iter();
    let of_pods = of_pods.map(|remark| remark.to_string());
    unknown.chain(known).chain(of_pods).collect()
}

fn decode(mut sent: Value) -> Result<PodCliqueSet, Failure> {
    schema::complete(KIND, &mut sent);
    let name = describe(&sent);
    serde_path_to_error::deserialize(&sent).map_err(|error| {
        let (path, error) = (error.path().to_string(), error.into_inner());
        let problem = lint::find_first_error(&sent).map_or_else(
            || format!("{path}: {error}; correct this field"),
            |remark| remark.to_string(),
        );
        Failure::BadInput(format!(
            "{name}: {problem}; `kubectl grove lint FILE` lists all errors"
        ))
    })
}

fn describe(object: &Value) -> String {
    format!("podcliqueset {}", json::meta(object, "name"))
}
