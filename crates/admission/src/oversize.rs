//! What makes a set too large, with its place and a remedy. The limits themselves are in
//! [`domain::workload::limits`]; what a set amounts to is counted here before anything is enumerated, with the
//! live counts of what exists.

mod live;
mod shape;
mod single;

use api::PodCliqueSet;

use crate::field::FieldError;

pub use live::of_live;
pub use single::{of_group, of_podclique};

/// What makes the set too large by itself, with defaults applied: lists, then counts, then what
/// they make together. Each is looked at only if those before it are in order.
pub fn of_template(set: &PodCliqueSet) -> Vec<FieldError> {
    let lists = single::check_lists(set);
    if !lists.is_empty() {
        return lists;
    }
    let counts = single::check_counts(set);
    if !counts.is_empty() {
        return counts;
    }
    live::of_live(set, std::iter::empty(), std::iter::empty())
}
