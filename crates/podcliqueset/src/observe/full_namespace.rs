//! A set for which there is no room beside the older ones of its namespace (docs/semantics.md §12.1).

use admission::oversize;
use admission::validated_set::ValidatedSet;
use api::PodCliqueSet;
use domain::health::fence;
use engine::Caches;

/// A set with existing objects goes on; a set that has created none yet waits until there is room.
pub(super) fn refuse(
    validated: &mut ValidatedSet,
    stored: &PodCliqueSet,
    has_begun: bool,
    caches: &Caches,
) {
    let has_begun = has_begun || !fence::attempts_of_set(stored).is_empty();
    if !has_begun && validated.errors.is_empty() {
        let older = caches.of::<PodCliqueSet>().bytes_before(stored);
        validated
            .errors
            .extend(oversize::of_namespace(stored, older));
        validated.is_over_limits |= !validated.errors.is_empty();
    }
}
