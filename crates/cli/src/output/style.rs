//! Styles: colour repeats the meaning of the words.

use anstyle::{AnsiColor, Style};

use super::legible::legible;

/// Important text.
pub fn bold(text: &str) -> String {
    styled(Style::new().bold(), text)
}

/// Minor text.
pub fn dim(text: &str) -> String {
    styled(Style::new().dimmed(), text)
}

/// Text that needs attention.
pub fn warn(text: &str) -> String {
    styled(AnsiColor::Red.on_default(), text)
}

/// A state: good, bad, or temporary (`None`).
pub fn of_state(text: &str, is_good: Option<bool>) -> String {
    let colour = match is_good {
        Some(true) => AnsiColor::Green,
        Some(false) => AnsiColor::Red,
        None => AnsiColor::Yellow,
    };
    styled(colour.on_default(), text)
}

/// All characters of styles.
pub fn all() -> Vec<String> {
    let colours = [AnsiColor::Red, AnsiColor::Green, AnsiColor::Yellow].map(AnsiColor::on_default);
    let styles = [Style::new().bold(), Style::new().dimmed()]
        .into_iter()
        .chain(colours);
    styles
        .flat_map(|style| [style.render().to_string(), style.render_reset().to_string()])
        .collect()
}

/// The text is made safe before its style is added.
fn styled(style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{style}{}{style:#}", legible(text))
}
