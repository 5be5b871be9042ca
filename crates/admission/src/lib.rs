//! Defaults and validation of a stored or sent PodCliqueSet before a rule of a reconciler reads it.
//! Pure: controllers and all other checks of a set use it.
//!
//! ```text
//! defaults ─▶ oversize ─▶ rules       the steps of `validate_set`, in this order
//! minimums                            existing objects keep their minimums
//! scaling                             changes of a set's objects
//! scale_lock                          their sizes during a coherent update
//! authorizer                          users who may change managed objects
//! warnings, unknown_fields            accepted fields without the expected effect
//! syntax                              how Kubernetes wants names and keys to be spelled
//! field, clique_paths, error_limit    where something is wrong, its words, how many of them
//! ```

pub mod authorizer;
mod clique_paths;
pub mod defaults;
mod error_limit;
mod field;
pub mod minimums;
pub mod oversize;
mod rules;
pub mod scale_lock;
pub mod scaling;
mod syntax;
pub mod unknown_fields;
pub mod validated_set;
mod validator;
pub mod warnings;

pub use field::FieldError;
pub use rules::{Rules, invalid_delays, validate, validate_binding, validate_update};
pub use syntax::{is_dns_label, is_key, is_label_value};
pub use validator::Validator;
pub use warnings::Warning;
