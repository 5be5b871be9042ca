//! Values that were read as another type: a number as a text, or a number in quotes as a number.

use super::remark::{Remark, Severity};
use super::rules::admitted;

/// If such a value has another error, too, that one stays alone, and has the value as it was written: its
/// remedy is right at once, and with that of the type alone the other error would remain.
pub(super) fn keep_one_error(remarks: &mut Vec<Remark>) {
    let is_of_definition = |remark: &Remark| remark.rule == &admitted::DEFINITION;
    let of_types = remarks.iter().filter(|remark| is_of_definition(remark));
    let of_types: Vec<Remark> = of_types.cloned().collect();
    let mut replaced = Vec::new();
    for remark in remarks
        .iter_mut()
        .filter(|remark| !is_of_definition(remark))
    {
        if let Some(of_type) = of_types
            .iter()
            .find(|other| are_of_one_value(remark, other))
        {
            remark.value.clone_from(&of_type.value);
            replaced.push(of_type);
        }
    }
    remarks.retain(|remark| !replaced.contains(&remark));
}

/// Whether the values are equal but for their quotes.
fn are_of_one_value(read: &Remark, written: &Remark) -> bool {
    let is_error = read.severity == Severity::Error;
    let pair = read.value.as_deref().zip(written.value.as_deref());
    let is_other_type = pair.is_some_and(|(read, written)| {
        read != written && read.trim_matches('"') == written.trim_matches('"')
    });
    is_error && is_other_type && read.path == written.path
}
