//! A file as its documents.

use serde::Serialize;

use super::events::read_events;
use super::node::{Node, Place};
use super::source::Source;

/// A file that cannot be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("{file}:{}:{}: {problem}", place.line, place.column)]
pub struct Broken {
    /// Its name.
    pub file: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// Why.
    pub problem: String,
}

/// The documents of a file, YAML or JSON, empty ones included.
pub fn read_documents(source: &Source) -> Result<Vec<Node>, Broken> {
    let broken = |(place, problem)| Broken {
        file: source.name.clone(),
        place,
        problem,
    };
    let text = text_of(&source.bytes).map_err(broken)?;
    read_events(text).map_err(broken)
}

fn text_of(bytes: &[u8]) -> Result<&str, (Place, String)> {
    str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = String::from_utf8_lossy(good);
        let last = good.rsplit('\n').next().unwrap_or_default();
        let place = Place {
            line: good.matches('\n').count() + 1,
            column: last.chars().count() + 1,
        };
        (place, "not a text in UTF-8; save it as one".to_owned())
    })
}
