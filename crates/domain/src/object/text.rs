//! Texts that others make, of any length.

/// The first `longest` characters, and a mark if there were more.
pub fn cut_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
