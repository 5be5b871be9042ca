//! Constraints within one another. All pods of an outer constraint share one of its domains, so a
//! level further in cannot be broader than it.

use domain::topology::Levels;

use super::{Placed, Scope};
use crate::field::{FieldError, Path};

/// What is required is compared with what is required, and what is preferred with what is
/// preferred. Levels that the topology lacks are not compared.
pub(super) fn check(placed: &[&Placed<'_>], levels: &Levels) -> Vec<FieldError> {
    let pairs = placed.iter().flat_map(|outer| {
        let inner = placed
            .iter()
            .filter(move |inner| outer.scope.holds(inner.scope));
        inner.map(move |inner| (*outer, *inner))
    });
    pairs
        .flat_map(|(outer, inner)| compare(outer, inner, levels))
        .collect()
}

fn compare(outer: &Placed<'_>, inner: &Placed<'_>, levels: &Levels) -> Vec<FieldError> {
    let (around, within) = (outer.pack(), inner.pack());
    let both = [
        (outer.at_required(), around.required, within.required),
        (outer.at_preferred(), around.preferred, within.preferred),
    ];
    both.into_iter()
        .filter_map(|(at, around, within)| {
            let around = (around?, outer.scope);
            narrower(&at, around, (within?, inner.scope), levels)
        })
        .collect()
}

/// The error of an outer level that is narrower than an inner one.
fn narrower(
    at: &Path,
    (around, outer): (&str, Scope<'_>),
    (within, inner): (&str, Scope<'_>),
    levels: &Levels,
) -> Option<FieldError> {
    let is_narrower = levels.position(around)? > levels.position(within)?;
    is_narrower.then(|| {
        let problem = format!("{around:?} of {outer} is narrower than {within:?} of {inner}");
        let remedy = format!(
            "use {within} or a broader level here, or {around} or a narrower level for {inner}"
        );
        at.wrong(around, problem, remedy)
    })
}
