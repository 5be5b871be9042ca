//! Output: styled text, which a pipe, a file or `NO_COLOR` makes plain.

mod age;
mod count;
mod legible;
mod style;
mod table;
mod width;
mod wrap;

use std::io::{ErrorKind, Write};

use serde::Serialize;

use crate::exit::Failure;
use crate::format::Format;

pub use age::{Zone, age_of, local_time};
pub use count::count;
pub use legible::legible;
pub use style::{bold, dim, of_state, warn};
pub use table::Table;
pub use width::{fit_terminal, prose_columns, prose_width, terminal_height, terminal_width, width};
pub use wrap::{WIDTH, indent, indent_within, wrap};

/// Prints text to standard output. A reader that went away, such as `head`, is no failure.
///
/// The last guard: only line ends and our own styles pass as control characters.
pub fn print_text(text: &str) -> Result<(), Failure> {
    print_raw(&legible_text(text))
}

/// Text with our own styles as a terminal may have it.
pub fn legible_text(text: &str) -> String {
    legible::legible_with_styles(text, &style::all())
}

/// The same for a text that others follow, for ever perhaps; false once the reader went away.
pub fn print_next(text: &str) -> Result<bool, Failure> {
    write_to(&mut anstream::stdout().lock(), &legible_text(text))
}

/// Prints text without foreign parts, with any control characters.
pub fn print_raw(text: &str) -> Result<(), Failure> {
    write_to(&mut anstream::stdout().lock(), text).map(|_| ())
}

/// Writes the text; false if the reader went away.
pub fn write_to(stream: &mut impl Write, text: &str) -> Result<bool, Failure> {
    let result = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::Other(format!("cannot print: {error}"))),
    }
}

/// Prints a value in the chosen format; `text` renders it for people.
pub fn print_value<T: Serialize>(
    value: &T,
    format: Format,
    text: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    print_text(&match format {
        Format::Text | Format::Wide => text(value),
        Format::Json => to_json(value)?,
        Format::Yaml => to_yaml(value)?,
    })
}

/// One line on standard error.
pub fn print_failure(failure: &Failure) {
    let line = failure_line(failure) + "\n";
    // If the reason cannot be printed, the exit code remains.
    let _ = anstream::stderr().write_all(line.as_bytes());
}

/// A failure in one line, which names the command unless it begins with a place in a file; an API server's
/// message is foreign text.
pub fn failure_line(failure: &Failure) -> String {
    let text = failure.to_string();
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    match failure {
        Failure::Unreadable(_) => legible(&line).into_owned(),
        _ => format!("kubectl grove: {}", legible(&line)),
    }
}

/// The value as JSON, with control characters escaped.
pub fn to_json<T: Serialize>(value: &T) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| legible::legible_json(&text) + "\n")
        .map_err(|error| Failure::Other(format!("cannot write JSON: {error}")))
}

/// The value as YAML.
pub fn to_yaml<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_saphyr::to_string(value)
        .map_err(|error| Failure::Other(format!("cannot write YAML: {error}")))
}
