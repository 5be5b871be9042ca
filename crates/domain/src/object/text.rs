//! Texts of other programs, of any length.

use std::error::Error;

/// The first `longest` characters, and a mark if the text is longer.
pub fn cut_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The end of a text, of at most that many bytes: of a message it is the most useful part.
pub fn keep_end(text: &str, bytes: usize) -> String {
    let surplus = text.len().saturating_sub(bytes);
    let start = (surplus..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    text.get(start..).unwrap_or_default().to_owned()
}

/// The text with a blank for each control character, such as the end of a line or the beginning of a
/// terminal's command.
pub fn on_one_line(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.collect::<String>().trim().to_owned()
}

/// The text of an error with its causes down to the innermost: libraries show the outermost error
/// only, and the helpful one is inside.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        // Some errors repeat the text of their cause.
        if !said.contains(&words) {
            said = format!("{said}: {words}");
        }
        next = cause.source();
    }
    said
}
