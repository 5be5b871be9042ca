//! Command lines.

use serde_json::Value;

use super::counts::Counts;
use super::{REDACTED, Shown, fields, hidden, mask, names, text};

/// Programs that start others; their names say nothing.
const PROGRAMS: [&str; 14] = [
    "/bin/bash",
    "/bin/sh",
    "/usr/bin/env",
    "bash",
    "env",
    "java",
    "mpirun",
    "node",
    "python",
    "python3",
    "sh",
    "sleep",
    "tini",
    "torchrun",
];
/// No flag has a longer name.
const LONGEST_FLAG: usize = 64;

/// Hides the arguments of a container except names of flags and references to variables:
/// `--pass=<hidden: 12 characters>`. With arguments, it hides only text that looks like a secret:
/// `--token=x`, `--password` and the next word, `export API_KEY=x` in a script.
pub fn hide(arguments: &mut [Value], shown: &Shown, counts: &mut Counts) {
    if shown.with_arguments {
        hide_secrets(arguments, counts);
        return;
    }
    for argument in arguments {
        if let Value::String(argument) = argument {
            counts.arguments += hide_values(argument);
        }
    }
}

fn hide_values(argument: &mut String) -> usize {
    let begin = flag_of(argument);
    let value = argument.get(begin..).unwrap_or_default();
    let is_program = PROGRAMS.contains(&&**argument);
    let is_mark = fields::is_mark(value) || value == REDACTED;
    if value.is_empty() || is_program || is_mark || text::is_reference_in_spec(value) {
        return 0;
    }
    let mark = hidden(value);
    argument.truncate(begin);
    argument.push_str(&mark);
    1
}

/// The length of the flag's name at the beginning of an argument, `=` included: `-c`, `-p` of
/// `-pSECRET`, `--pass=`. A script is no flag.
fn flag_of(argument: &str) -> usize {
    let Some(long) = argument.strip_prefix("--") else {
        return short_flag_of(argument);
    };
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = long.find(|c| !is_of_name(c)).unwrap_or(long.len());
    let (name, rest) = long.split_at_checked(name).unwrap_or_default();
    let is_name = name.len() <= LONGEST_FLAG && !text::is_token(name);
    match rest.chars().next() {
        None if is_name => argument.len(),
        Some('=') if is_name && !name.is_empty() => name.len() + 3,
        _ => 0,
    }
}

fn short_flag_of(argument: &str) -> usize {
    let mut chars = argument.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('-'), None, _) => 1,
        (Some('-'), Some(flag), after) if flag.is_ascii_alphabetic() => {
            2 + usize::from(after == Some('='))
        }
        _ => 0,
    }
}

fn hide_secrets(arguments: &mut [Value], counts: &mut Counts) {
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

/// The flag of an argument, and the beginning of its value, if it has one.
fn split_flag(argument: &str) -> (Option<&str>, Option<usize>) {
    if !argument.starts_with('-') {
        return (None, None);
    }
    let flag = argument.split_once('=').map_or(argument, |(flag, _)| flag);
    let is_flag = !flag.contains(char::is_whitespace);
    let value = (flag.len() < argument.len()).then_some(flag.len() + 1);
    (is_flag.then_some(flag), value)
}

/// Hides the argument from there to its end.
fn hide_from(argument: &mut String, begin: usize) -> usize {
    let value = argument.get(begin..).unwrap_or_default();
    if value.is_empty() || value == REDACTED || text::is_reference(value) {
        return 0;
    }
    argument.truncate(begin);
    argument.push_str(REDACTED);
    1
}
