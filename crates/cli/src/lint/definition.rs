//! Checks of the definitions: types, limits and names of fields. The API server refuses a
//! violation, and drops unknown fields.

mod blank;
mod convert;
mod foreign;
mod intended;
mod keys;
mod limits;
mod metadata;
mod nearest;
mod nulls;
mod reserved;
mod types;
mod walk;

use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use super::remark::Remark;
use super::rules::admitted;
use crate::schema;
pub(super) use intended::Guesses;
use walk::Walk;

/// Remarks that are listed.
const MOST: usize = 50;

/// The definition of a kind.
#[derive(Debug)]
pub(super) struct Definition {
    /// The kind.
    pub(super) kind: &'static str,
    schema: JSONSchemaProps,
}

static SET: LazyLock<Definition> = LazyLock::new(|| Definition::of("PodCliqueSet"));
static BINDING: LazyLock<Definition> = LazyLock::new(|| Definition::of("ClusterTopologyBinding"));

impl Definition {
    /// Of sets.
    pub(super) fn set() -> &'static Self {
        &SET
    }

    /// Of topologies.
    pub(super) fn binding() -> &'static Self {
        &BINDING
    }

    fn of(kind: &'static str) -> Self {
        let mut schema = schema::of_kind(kind).cloned().unwrap_or_default();
        let fields = schema.properties.get_or_insert_default();
        fields.insert("metadata".into(), metadata::schema());
        // The API server drops a status, so its fields are not checked.
        fields.insert("status".into(), anything());
        Self { kind, schema }
    }

    /// The object as the API server stores it: without null fields and without a status.
    pub(super) fn as_stored(&self, object: &Value) -> Value {
        let mut plain = nulls::drop_nulls(&self.schema, object);
        if let Some(fields) = plain.as_object_mut() {
            fields.remove("status");
        }
        plain
    }

    /// The same with the intended values where the definition refuses those of the object.
    pub(super) fn as_intended(&self, object: &Value) -> (Value, Guesses) {
        intended::complete(&self.schema, &self.as_stored(object))
    }
}

fn anything() -> JSONSchemaProps {
    JSONSchemaProps {
        x_kubernetes_preserve_unknown_fields: Some(true),
        ..JSONSchemaProps::default()
    }
}

/// The first error of a set that cannot be decoded, in the words of this command.
pub(crate) fn find_first_error(set: &Value) -> Option<Remark> {
    let mut remarks = check(Definition::set(), set, false).into_iter();
    remarks.find(|remark| remark.rule == &admitted::DEFINITION)
}

/// Violations of the definition, for an object that is created or, with `is_change`, updated.
pub(super) fn check(definition: &Definition, object: &Value, is_change: bool) -> Vec<Remark> {
    let mut walk = Walk::default();
    walk.look(&definition.schema, "", object);
    if definition.kind == "PodCliqueSet" {
        walk.remarks.extend(reserved::check(object, is_change));
    }
    bound(walk.remarks)
}

fn bound(mut remarks: Vec<Remark>) -> Vec<Remark> {
    let more = remarks.len().saturating_sub(MOST);
    if let Some(rule) = remarks.get(MOST).map(|remark| remark.rule) {
        let is_error = |remark: &Remark| remark.rule == &admitted::DEFINITION;
        // Errors first: warnings are no reason to leave one out.
        remarks.sort_by_key(|remark| !is_error(remark));
        remarks.truncate(MOST);
        let problem = "has more problems, which are not listed".to_owned();
        let last = Remark::new(rule, "spec", problem).value(more.to_string());
        remarks.push(last.remedy("correct the fields above first"));
    }
    remarks
}
