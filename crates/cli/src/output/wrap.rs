//! Text in lines that fit a terminal.

use super::legible::legible;
use super::width::prose_width;

/// Columns that text is wrapped to in a pipe or a file.
pub const WIDTH: usize = 80;

/// Breaks foreign text between words so that no line is longer than `width` columns; a longer word
/// keeps a line of its own, so that it can be copied.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = &*legible(word);
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text wrapped to the columns of prose and made safe, its first line after `first`, which may
/// have styles, the others with the same indent.
pub fn indent(first: &str, text: &str) -> String {
    indent_within(first, text, prose_width())
}

/// The same in that many columns.
pub fn indent_within(first: &str, text: &str, width: usize) -> String {
    let margin = columns(&anstream::adapter::strip_str(first).to_string());
    let lines = wrap(text, width.saturating_sub(margin).max(20));
    let mut all = String::new();
    for (number, line) in lines.iter().enumerate() {
        if number == 0 {
            all.push_str(first);
        } else {
            all.push_str(&" ".repeat(margin));
        }
        all.push_str(line);
        all.push('\n');
    }
    all
}

fn columns(text: &str) -> usize {
    text.chars().count()
}
