//! A line of a log.

use crate::output::{self, legible};

/// The line after its prefix. A container writes any bytes: none of them reaches the terminal as a
/// control character.
pub fn draw_line(prefix: &str, line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let prefix = output::dim(&format!("[{prefix}]"));
    // A line end within the line would begin one without a prefix.
    format!("{prefix} {}\n", legible(text).replace('\n', " "))
}
