//! Ratcheting validation: an update is refused only for errors that it introduces.
//!
//! An error is old if the stored object has the same error in the same item. Items are identified
//! by name, not by index, because lists grow and shrink. For a limit, an equal or smaller excess is
//! old.
//!
//! For a set above its limits only the limits are checked in an update.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use api::PodCliqueSet;
use serde_json::Value;

use super::create::broken_rules;
use super::options::Rules;
use super::topology;
use crate::field::FieldError;
use crate::oversize;

/// The errors of the new set that the old one does not have. Without errors in the new one there is
/// nothing to compare.
pub(super) fn find_news(old: &PodCliqueSet, new: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let over = oversize::errors_of_sent(new);
    if over.is_empty() {
        let mut news = newly_broken(old, new, rules);
        news.extend(topology::check_change(old, new, rules));
        return news;
    }
    let before = oversize::all_of_sent(old);
    if before.is_empty() {
        return over;
    }
    grown(over, &before, [old, new])
}

/// The rules that the new set breaks, which is within its limits, and the old one does not. If the
/// old one was not within them, nothing is known of it.
fn newly_broken(old: &PodCliqueSet, new: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let broken = broken_rules(new, rules);
    if broken.is_empty() || !oversize::all_of_sent(old).is_empty() {
        return Vec::new();
    }
    new_rules(broken, &broken_rules(old, rules), [old, new])
}

/// Limits that were not broken before, or not so far.
fn grown(
    mut over: Vec<FieldError>,
    before: &[FieldError],
    [old, new]: [&PodCliqueSet; 2],
) -> Vec<FieldError> {
    let mut known = HashMap::new();
    let names = Names::of(old);
    for error in before {
        if let Some(counted) = error.counted {
            let most = known.entry((names.put_into(&error.path), counted.what));
            let most = most.or_insert(counted.count);
            *most = counted.count.max(*most);
        }
    }
    let names = Names::of(new);
    over.retain(|error| {
        let counted = error.counted;
        let most = counted.and_then(|c| known.get(&(names.put_into(&error.path), c.what)));
        counted
            .zip(most)
            .is_none_or(|(now, most)| now.count > *most)
    });
    over
}

/// Errors that were not there before, or not so often: things may have one name, or none.
fn new_rules(
    mut after: Vec<FieldError>,
    before: &[FieldError],
    [old, new]: [&PodCliqueSet; 2],
) -> Vec<FieldError> {
    if before == after {
        return Vec::new();
    }
    let mut known: HashMap<_, usize> = HashMap::new();
    let names = Names::of(old);
    for error in before {
        let times = known.entry(names.identify(error)).or_default();
        *times = times.saturating_add(1);
    }
    let names = Names::of(new);
    after.retain(|error| match known.get_mut(&names.identify(error)) {
        Some(times) if *times > 0 => {
            *times = times.saturating_sub(1);
            false
        }
        _ => true,
    });
    after
}

/// The names of the items in the lists of a set.
struct Names<'a> {
    set: &'a PodCliqueSet,
    written: OnceCell<Value>,
}

impl<'a> Names<'a> {
    fn of(set: &'a PodCliqueSet) -> Self {
        Self {
            set,
            written: OnceCell::new(),
        }
    }

    /// Path, value and problem of an error. The remedy is left out because it lists alternatives.
    fn identify(&self, error: &FieldError) -> (String, String, String) {
        (
            self.put_into(&error.path),
            error.value.clone(),
            self.put_into(&error.problem),
        )
    }

    /// A value that cannot be serialized has no names; its paths stay unchanged.
    fn written(&self) -> &Value {
        let write = || serde_json::to_value(self.set).unwrap_or_default();
        self.written.get_or_init(write)
    }

    /// The words with a name for each place in a list, in all paths.
    fn put_into(&self, words: &str) -> String {
        let is_path = |word: &str| word.starts_with("spec.") && word.contains('[');
        words
            .split(' ')
            .map(|word| {
                if is_path(word) {
                    Cow::from(name_places(word, self.written()))
                } else {
                    Cow::from(word)
                }
            })
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn name_places(path: &str, set: &Value) -> String {
    let mut here = Some(set);
    let mut named = String::new();
    for step in path.split_inclusive(['.', '[', ']']) {
        let key = step.trim_end_matches(['.', '[', ']']);
        let place: Option<usize> = key.parse().ok();
        let element = place.and_then(|place| here?.get(place));
        named.push_str(element.and_then(name_of).unwrap_or(key));
        named.push_str(step.strip_prefix(key).unwrap_or_default());
        if !key.is_empty() {
            here = element.or_else(|| here?.get(key));
        }
    }
    named
}

/// The name of an element of a list; one of a list of names is its own.
fn name_of(element: &Value) -> Option<&str> {
    let name = element.get("name").unwrap_or(element);
    name.as_str()
}
