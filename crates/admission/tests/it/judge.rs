//! The webhook's answer to the bytes of a request: decoded, defaults applied, validated.

use admission::defaults::{DefaultsConfig, apply};
use admission::{FieldError, Rules, oversize, validate, validate_update, validated_set};
use api::PodCliqueSet;

/// The largest number of listed errors, and of bytes of their text.
pub(crate) const MAX_ERRORS: usize = 50;
pub(crate) const MAX_BYTES: usize = 16 * 1024;

/// The set with its defaults; a decoding failure is an error like any other.
pub(crate) fn decode(text: &[u8]) -> Result<PodCliqueSet, String> {
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

/// The errors of the object in this text; empty without errors. Fails if the answer is too long or
/// contradicts itself.
pub(crate) fn judge(text: &[u8]) -> Vec<String> {
    if let Some(error) = oversize::of_text(text) {
        return vec![error.to_string()];
    }
    let stored = match decode(text) {
        Ok(stored) => stored,
        Err(error) => return vec![error],
    };
    let config = DefaultsConfig::default();
    let set = apply(&stored, &config);
    let errors = validate(&set, &Rules::default());
    assert!(is_bounded(&errors), "{} errors", errors.len());
    assert!(
        validate(&set, &Rules::default()) == errors,
        "a second look tells something else"
    );
    assert!(
        apply(&set, &config) == set,
        "defaults that are applied twice differ"
    );
    let changed = validate_update(&set, &set, &Rules::default());
    assert!(changed.is_empty(), "no change is refused: {changed:?}");
    let validated = validated_set::validate_set(&stored, &config);
    for found in [&validated.errors, &validated.invalid_delays] {
        assert!(is_bounded(found), "{} errors of a stored set", found.len());
    }
    assert!(
        validated.may_act() || !errors.is_empty(),
        "what is accepted is not acted on"
    );
    errors.iter().map(ToString::to_string).collect()
}

pub(crate) fn is_bounded(errors: &[FieldError]) -> bool {
    let bytes: usize = errors.iter().map(|error| error.to_string().len()).sum();
    errors.len() <= MAX_ERRORS && bytes <= MAX_BYTES
}
