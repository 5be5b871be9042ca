//! The size of the terminal.

use super::WIDTH;

/// The least that text is laid out for: a narrower terminal breaks lines itself.
const NARROWEST: usize = 40;

/// The columns of the terminal that standard output is; none if it is a pipe or a file.
pub fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0).max(NARROWEST))
}

/// The lines of the terminal that standard output is.
pub fn terminal_height() -> Option<usize> {
    let (_, height) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(height.0))
}

/// The columns to lay text out for: those of the terminal, or 80.
pub fn width() -> usize {
    terminal_width().unwrap_or(WIDTH)
}
