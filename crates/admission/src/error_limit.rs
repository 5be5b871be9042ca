//! Limits the number of listed errors. An object may have a hundred thousand, but an answer of the
//! webhook and a status must stay small.

use crate::field::{FieldError, Path};

/// Listed errors; the last one may have the number of the others.
const MAX_LISTED: usize = 50;
/// Bytes of all of them as text, without that last one.
const MAX_BYTES: usize = 15 * 1024;

/// The first errors, and the number of the others. The first one is always listed: it is short.
pub(crate) fn bound_errors(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    let all = errors.len();
    let listed = count_that_fit(&errors);
    if listed == all {
        return errors;
    }
    errors.truncate(listed.clamp(1, MAX_LISTED.saturating_sub(1)));
    let more = all.saturating_sub(errors.len());
    let problem = "further errors are not listed";
    errors.push(Path::new("spec").wrong(more, problem, "correct the errors above first"));
    errors
}

fn count_that_fit(errors: &[FieldError]) -> usize {
    let sizes = errors.iter().take(MAX_LISTED).map(text_length);
    let ends = sizes.scan(0_usize, |end, size| {
        *end = end.saturating_add(size);
        Some(*end)
    });
    ends.take_while(|end| *end <= MAX_BYTES).count()
}

fn text_length(error: &FieldError) -> usize {
    error.to_string().len()
}
