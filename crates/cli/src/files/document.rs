//! A file as its documents.

use serde::Serialize;

use super::events::read_events;
use super::json_stream::read_json_stream;
use super::source::Source;
use super::yaml_node::{YamlNode, YamlPosition};

/// A file that cannot be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("{file}:{}:{}: error: {problem}", position.line, position.column)]
pub struct Broken {
    /// Its name.
    pub file: String,
    /// Where.
    #[serde(flatten)]
    pub position: YamlPosition,
    /// Why, with a remedy.
    pub problem: String,
}

/// The documents of a file, YAML or JSON, empty ones included.
pub fn read_documents(source: &Source) -> Result<Vec<YamlNode>, Broken> {
    let broken = |(position, problem)| Broken {
        file: source.name.clone(),
        position,
        problem,
    };
    let text = text_of(&source.bytes).map_err(broken)?;
    read_events(text)
        .or_else(|problem| read_json_stream(text).ok_or(problem))
        .map_err(broken)
}

fn text_of(bytes: &[u8]) -> Result<&str, (YamlPosition, String)> {
    str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = String::from_utf8_lossy(good);
        let last = good.rsplit('\n').next().unwrap_or_default();
        let position = YamlPosition {
            line: good.matches('\n').count() + 1,
            column: last.chars().count() + 1,
        };
        (position, "not a text in UTF-8; save it as one".to_owned())
    })
}
