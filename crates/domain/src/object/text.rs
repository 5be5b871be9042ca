//! Texts that others make, of any length.

use std::error::Error;

/// The first `longest` characters, and a mark if there were more.
pub fn cut_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What an error says, with its causes down to the innermost: libraries say the outermost and keep
/// the one that helps to themselves.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        // Some repeat the one below.
        if !said.contains(&words) {
            said = format!("{said}: {words}");
        }
        next = cause.source();
    }
    said
}
