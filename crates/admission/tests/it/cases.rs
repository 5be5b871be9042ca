//! A good set with some edits, and its errors.

use admission::defaults::{DefaultsConfig, apply};
use admission::{FieldError, Rules, validate, validate_update};
use api::PodCliqueSet;
use testkit::good_set::{Edit, edited};

/// The good set with other values in places given as JSON pointers, with the webhook's defaults.
pub(crate) fn set(edits: &[Edit<'_>]) -> PodCliqueSet {
    apply(
        &serde_json::from_value(edited(edits)).unwrap(),
        &DefaultsConfig::default(),
    )
}

pub(crate) fn lines(errors: &[FieldError]) -> String {
    let lines: Vec<_> = errors.iter().map(|error| format!("  {error}")).collect();
    lines.join("\n")
}

pub(crate) fn words(pcs: &PodCliqueSet, rules: &Rules) -> String {
    lines(&validate(pcs, rules))
}

pub(crate) fn verdict(case: &str, words: &str) -> String {
    let words = if words.is_empty() {
        "  accepted"
    } else {
        words
    };
    format!("{case}\n{words}")
}

/// The errors of each case, under its name.
pub(crate) fn describe_errors(cases: &[(&str, &[Edit<'_>])]) -> String {
    let lines = cases
        .iter()
        .map(|(case, edits)| verdict(case, &words(&set(edits), &Rules::default())));
    lines.collect::<Vec<_>>().join("\n")
}

macro_rules! cases {
    ($($case:literal: $($pointer:expr => $value:tt),+;)+) => {
        describe_errors(&[$(($case, &[$(($pointer.as_ref(), json!($value))),+])),+])
    };
}

pub(crate) use cases;

pub(crate) fn changes_of(before: &PodCliqueSet, after: &PodCliqueSet) -> String {
    lines(&validate_update(before, after, &Rules::default()))
}
