//! Makes foreign text safe for a terminal: nothing in it can move the cursor, clear the screen,
//! fill the clipboard or turn the direction of writing.

use std::borrow::Cow;
use std::fmt::Write;

/// Marks, embeddings, overrides and isolates of the direction of writing.
const DIRECTIONS: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// The text with each control character except line ends, and each character that turns the
/// direction of writing, as `\u{1b}`. Styles are added afterwards. A tab becomes a blank.
pub fn legible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        push(&mut shown, c);
    }
    Cow::Owned(shown)
}

/// The same for a text with our own styles.
pub fn legible_with_styles(text: &str, styles: &[String]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = styles.iter().find(|style| rest.starts_with(&***style));
        let length = style.map_or(c.len_utf8(), String::len);
        match style {
            Some(style) => shown.push_str(style),
            None => push(&mut shown, c),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    shown
}

/// JSON with control characters as `\u001b`: the value stays the same.
pub fn legible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hostile(c) && c != '\t' {
            // All of them are in the first plane of Unicode. Writing to a String cannot fail.
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

fn push(shown: &mut String, c: char) {
    match c {
        '\t' => shown.push(' '),
        c if is_hostile(c) => shown.extend(c.escape_unicode()),
        c => shown.push(c),
    }
}

fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n') || DIRECTIONS.contains(&c)
}
