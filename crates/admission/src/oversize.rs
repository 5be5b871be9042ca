//! What makes a set too large, with its place and a remedy. The limits themselves are in
//! [`domain::workload::limits`]; what a set amounts to is counted here before anything is enumerated, with the
//! live counts of what exists.

mod content;
mod entries;
mod live;
mod shape;
mod single;
mod text;

use api::PodCliqueSet;

use crate::bounded::bound_errors;
use crate::field::FieldError;

pub use live::of_live;
pub use single::{of_group, of_podclique};
pub use text::of_text;

/// What makes the set too large by itself, with defaults applied: lists and maps, then all
/// of their entries, then texts, then counts, then what they make together. Each is looked at only if those before it are in order.
pub fn of_template(set: &PodCliqueSet) -> Vec<FieldError> {
    let checks = [
        single::check_lists,
        content::check_maps,
        |set: &PodCliqueSet| entries::check_entries(set).into_iter().collect(),
        |set: &PodCliqueSet| content::check_size(set).into_iter().collect(),
        content::check_names,
        single::check_counts,
    ];
    let mut errors = checks.iter().map(|check| check(set));
    match errors.find(|errors| !errors.is_empty()) {
        Some(errors) => bound_errors(errors),
        None => live::of_live(set, std::iter::empty(), std::iter::empty()),
    }
}
