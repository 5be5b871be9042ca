//! The size of the terminal.

use std::sync::OnceLock;

use super::WIDTH;

/// The least that text is laid out for: a narrower terminal breaks lines itself.
const NARROWEST: usize = 40;
/// The most that prose is laid out for: longer lines are hard to read.
const WIDEST: usize = 120;

/// The columns of prose; none are set in tests, whose texts must not depend on a terminal.
static PROSE: OnceLock<usize> = OnceLock::new();

/// Lays prose out for the terminal from now on. The first call counts.
pub fn fit_terminal() {
    let _ = PROSE.set(prose_columns(terminal_width()));
}

/// The columns to lay prose out for: those of the terminal, within limits, or 80.
pub fn prose_width() -> usize {
    PROSE.get().copied().unwrap_or(WIDTH)
}

/// The columns of prose on a terminal of that width, or in a pipe or a file.
pub fn prose_columns(terminal: Option<usize>) -> usize {
    terminal.map_or(WIDTH, |width| width.clamp(NARROWEST, WIDEST))
}

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
