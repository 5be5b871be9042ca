//! What makes a set too large, with its place and a remedy. The limits themselves are in
//! [`domain::workload::limits`]; what a set amounts to is counted here before anything is enumerated, with the
//! live counts of what exists.

mod content;
mod entries;
mod live;
mod namespace;
mod record;
mod shape;
mod single;
mod text;

use api::PodCliqueSet;

use crate::bounded::bound_errors;
use crate::field::FieldError;

pub use live::of_live;
pub use namespace::{of_change_in_namespace, of_namespace};
pub use single::{of_group, of_podclique};
pub use text::of_text;

type Check = fn(&PodCliqueSet) -> Vec<FieldError>;

/// What a controller could not bear: cliques, groups, their members and who waits for whom are
/// walked with each other, claims with their templates, names in filters with the cliques; a name is
/// told again for each part that is wrong with it; and counts are what is enumerated.
const STORED: [Check; 5] = [
    single::check_parts,
    single::check_lists,
    single::check_members,
    content::check_names,
    single::check_counts,
];

/// What is refused when it is sent. Maps, all entries together, the text, names that are only
/// mentioned and what a job says of its end got their limits with the webhook or later. A controller
/// walks them once, and did so before there was a limit: a set that was stored and ran goes on,
/// however many or long they are.
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

/// What makes a stored set too large by itself to be acted on, with defaults applied: lists, then
/// names, then counts, then what they make together. Each is looked at only if those before it are in order.
pub fn of_template(set: &PodCliqueSet) -> Vec<FieldError> {
    bound_errors(first_of(&STORED, set))
}

/// The same of a set that is sent, which has more limits: lists and maps, then all of their
/// entries, then texts, then counts, then what they make together.
pub fn of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    bound_errors(errors_of_sent(set))
}

/// The same, however many there are.
pub(crate) fn errors_of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    first_of(&SENT, set)
}

/// All limits that a set is over, what is told only when others are corrected too.
pub(crate) fn all_of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    let each = SENT.iter().flat_map(|check| check(set));
    each.chain(live::of_shape(set)).collect()
}

fn first_of(checks: &[Check], set: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = checks.iter().map(|check| check(set));
    let first = errors.find(|errors| !errors.is_empty());
    first.unwrap_or_else(|| live::of_live(set, std::iter::empty(), std::iter::empty()))
}
