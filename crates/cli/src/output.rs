//! What is printed, and how: text with styles that a pipe, a file or `NO_COLOR` takes away.

mod age;
mod count;
mod style;
mod table;
mod wrap;

use std::io::{ErrorKind, Write};

use serde::Serialize;

use crate::exit::Failure;
use crate::format::Format;

pub use age::{age_of, local_time};
pub use count::count;
pub use style::{bold, dim, of_state, warn};
pub use table::Table;
pub use wrap::{WIDTH, indent, wrap};

/// Prints text to standard output. A reader that went away, such as `head`, is no failure.
pub fn print_text(text: &str) -> Result<(), Failure> {
    let mut stream = anstream::stdout().lock();
    let result = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value in the format that was asked for; `text` makes what people read.
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
    let text = failure.to_string();
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let line = format!("kubectl grove: {line}\n");
    // Where nobody reads the reason, the exit code is left.
    let _ = anstream::stderr().write_all(line.as_bytes());
}

fn to_json<T: Serialize>(value: &T) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::Other(format!("cannot write JSON: {error}")))
}

/// The value as YAML.
pub fn to_yaml<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_saphyr::to_string(value)
        .map_err(|error| Failure::Other(format!("cannot write YAML: {error}")))
}
