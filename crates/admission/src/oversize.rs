//! Sets that are too large, with path and remedy. The limits are in [`domain::workload::limits`];
//! this module counts the objects of a set before anything is enumerated, with the live replica
//! counts.

mod content;
mod entries;
mod live;
mod namespace;
mod record;
mod shape;
mod single;
mod text;

use api::PodCliqueSet;

use crate::error_limit::bound_errors;
use crate::field::FieldError;

pub use live::of_live;
pub use namespace::{of_change_in_namespace, of_namespace};
pub use single::{of_group, of_podclique};
pub use text::of_text;

type Check = fn(&PodCliqueSet) -> Vec<FieldError>;

/// The limits that protect a controller: cliques, groups, their members and start order are
/// compared with each other, claims with their templates, names in filters with the cliques; errors
/// repeat a name for each part; and counts are enumerated.
const STORED: [Check; 5] = [
    single::check_parts,
    single::check_lists,
    single::check_members,
    content::check_names,
    single::check_counts,
];

/// The limits for a set that is sent. Limits of maps, of all entries together, of the text, of
/// names in references and of a job's result came with the webhook or later. A controller reads
/// those values once, so a stored set above them keeps running.
const SENT: [Check; 10] = [
    single::check_parts,
    single::check_lists,
    single::check_members,
    content::check_maps,
    entries::check_entries,
    content::check_size,
    content::check_names,
    content::check_mentions,
    single::check_counts,
    record::check_record,
];

/// The first limit that a stored set with defaults exceeds by itself: lists, then names, then
/// counts, then totals. Each step needs the previous ones to pass.
pub fn of_template(set: &PodCliqueSet) -> Vec<FieldError> {
    let totals = || live::of_live(set, std::iter::empty(), std::iter::empty());
    bound_errors(first_of(&STORED, set).unwrap_or_else(totals))
}

/// The same for a set that is sent, which has more limits: lists and maps, then all of their
/// entries, then texts, then counts, then totals with surge.
pub fn of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    bound_errors(errors_of_sent(set))
}

/// The same, however many there are.
pub(crate) fn errors_of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    first_of(&SENT, set).unwrap_or_else(|| live::of_sent(set))
}

/// All limits that a set exceeds, including those that show only after others are corrected.
pub(crate) fn all_of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    SENT.iter()
        .flat_map(|check| check(set))
        .chain(live::all_of_sent(set))
        .collect()
}

fn first_of(checks: &[Check], set: &PodCliqueSet) -> Option<Vec<FieldError>> {
    checks
        .iter()
        .map(|check| check(set))
        .find(|errors| !errors.is_empty())
}
