//! Messages: word by word; only words that Kubernetes and the operator use themselves stay.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use super::{Shown, fields, hidden};

/// Words of the messages of the operator, of Kubernetes and of its schedulers.
static WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| include_str!("words.txt").split_whitespace().collect());
/// Numbers that are longer may be more than a count.
const LONGEST_NUMBER: usize = 5;
const LONGEST_SIGN: usize = 3;
/// Punctuation around and between words.
const AROUND: &str = "\"'`()[]{}<>.,;:!?";
const BETWEEN: &str = "/=:,|+%\"'`()[]{}";

/// Hides in a message each run of words that are neither in the dictionary nor names that may be
/// shown nor small numbers; returns the number of runs.
pub fn hide_unknown_words(text: &str, shown: &Shown) -> (String, usize) {
    let mut writer = Writer::default();
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start().len();
        let (blank, after) = rest.split_at_checked(blanks).unwrap_or((rest, ""));
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        let (word, after) = after.split_at_checked(end).unwrap_or((after, ""));
        writer.write(blank, word, is_known(word, shown));
        rest = after;
    }
    writer.finish()
}

/// The same in a line of a log: in JSON, each of its texts is a message.
pub fn hide_in_line(line: &str, shown: &Shown) -> (String, usize) {
    match serde_json::from_str::<Value>(line) {
        Ok(mut object @ Value::Object(_)) => {
            let hidden = hide_in_value(&mut object, shown);
            (object.to_string(), hidden)
        }
        _ => hide_unknown_words(line, shown),
    }
}

fn hide_in_value(value: &mut Value, shown: &Shown) -> usize {
    match value {
        Value::Object(map) => map.values_mut().map(|v| hide_in_value(v, shown)).sum(),
        Value::Array(list) => list.iter_mut().map(|v| hide_in_value(v, shown)).sum(),
        Value::String(text) => hide_in(text, shown),
        _ => 0,
    }
}

/// Hides unknown words in the text itself, and returns the number of runs.
pub fn hide_in(text: &mut String, shown: &Shown) -> usize {
    if fields::is_time(text) || fields::is_mark(text) {
        return 0;
    }
    let (left, hidden) = hide_unknown_words(text, shown);
    *text = left;
    hidden
}

#[derive(Default)]
struct Writer {
    shown: String,
    unknown: String,
    hidden: usize,
}

impl Writer {
    fn write(&mut self, blank: &str, word: &str, is_known: bool) {
        if is_known || word.is_empty() {
            self.hide();
            self.shown.push_str(blank);
            self.shown.push_str(word);
        } else if self.unknown.is_empty() {
            self.shown.push_str(blank);
            self.unknown.push_str(word);
        } else {
            self.unknown.push_str(blank);
            self.unknown.push_str(word);
        }
    }

    /// Hides all unknown words up to here; earlier replacements stay.
    fn hide(&mut self) {
        if !self.unknown.is_empty() {
            self.shown.push_str(&hidden(&self.unknown));
            self.unknown.clear();
            self.hidden += 1;
        }
    }

    fn finish(mut self) -> (String, usize) {
        self.hide();
        (self.shown, self.hidden)
    }
}

/// Whether nothing in the word can be a secret.
fn is_known(word: &str, shown: &Shown) -> bool {
    let core = word.trim_matches(|c| AROUND.contains(c));
    if core.is_empty() {
        return word.len() <= LONGEST_SIGN;
    }
    if shown.contains(core) || fields::is_time(core) {
        return true;
    }
    core.split(|c| BETWEEN.contains(c))
        .all(|part| part.is_empty() || shown.contains(part) || is_of_words(part))
}

/// `FailedScheduling`, `anti-affinity`, `nvidia.com`, `30s`, `4Gi`.
fn is_of_words(part: &str) -> bool {
    let digits = part.chars().filter(char::is_ascii_digit).count();
    let is_address = part.matches('.').count() > 2;
    let mut pieces = part.split(['-', '_', '.']);
    digits <= LONGEST_NUMBER
        && !(is_address && digits > 0)
        && pieces.all(|piece| piece.is_empty() || is_of_dictionary(piece))
}

fn is_of_dictionary(piece: &str) -> bool {
    let is_word = |word: &str| WORDS.contains(&*word.to_lowercase());
    let unit = piece.trim_start_matches(|c: char| c.is_ascii_digit());
    is_word(piece)
        || unit.is_empty()
        || (unit.len() < piece.len() && fields::UNITS.contains(&unit))
        || camel_words(piece).iter().all(|word| is_word(word))
}

/// Words of more than one letter; a letter alone is no word of a dictionary.
fn camel_words(piece: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in piece.chars() {
        match words.last_mut() {
            Some(word) if !c.is_uppercase() => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    words
}
