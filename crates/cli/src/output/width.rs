//! The width of the terminal.

use std::io::IsTerminal;

use super::WIDTH;

/// The least that text is laid out for: a narrower terminal breaks lines itself.
const NARROWEST: usize = 40;

/// The columns of the terminal that standard output is; none if it is a pipe or a file.
pub fn terminal_width() -> Option<usize> {
    let output = std::io::stdout();
    let is_terminal = output.is_terminal();
    let size = is_terminal
        .then(|| terminal_size::terminal_size_of(output))
        .flatten();
    size.map(|(width, _)| usize::from(width.0).max(NARROWEST))
}

/// The columns to lay text out for: those of the terminal, or 80.
pub fn width() -> usize {
    terminal_width().unwrap_or(WIDTH)
}
