//! Command lines.

use serde_json::Value;

use super::counts::Counts;
use super::{REDACTED, mask, names, text};

/// Hides what looks like a secret in the arguments of a container: `--token=x`, `--password` and
/// what follows it, `export API_KEY=x` in a script.
pub fn hide(arguments: &mut [Value], counts: &mut Counts) {
    let mut is_value_of_secret = false;
    for argument in arguments {
        let Value::String(argument) = argument else {
            continue;
        };
        if is_value_of_secret && !argument.starts_with("--") {
            is_value_of_secret = false;
            counts.arguments += hide_from(argument, 0);
            continue;
        }
        let (flag, value) = split_flag(argument);
        let is_sensitive = flag.is_some_and(names::is_sensitive);
        is_value_of_secret = is_sensitive && value.is_none();
        counts.arguments += match value {
            Some(value) if is_sensitive => hide_from(argument, value),
            _ => mask(argument),
        };
    }
}

/// The flag that an argument is, and where its value begins, if it has one.
fn split_flag(argument: &str) -> (Option<&str>, Option<usize>) {
    if !argument.starts_with('-') {
        return (None, None);
    }
    let flag = argument.split_once('=').map_or(argument, |(flag, _)| flag);
    let is_flag = !flag.contains(char::is_whitespace);
    let value = (flag.len() < argument.len()).then_some(flag.len() + 1);
    (is_flag.then_some(flag), value)
}

/// Hides the argument from there on, however it goes on.
fn hide_from(argument: &mut String, begin: usize) -> usize {
    let value = argument.get(begin..).unwrap_or_default();
    if value.is_empty() || value == REDACTED || text::is_reference(value) {
        return 0;
    }
    argument.truncate(begin);
    argument.push_str(REDACTED);
    1
}
