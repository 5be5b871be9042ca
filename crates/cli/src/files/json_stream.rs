//! JSON objects one after the other, which kubectl reads and YAML does not have.

use serde::de::IgnoredAny;
use serde_json::Deserializer;

use super::events::read_events;
use super::yaml_node::YamlNode;

/// The documents of such a text; none if it is another one.
pub(super) fn read_json_stream(text: &str) -> Option<Vec<YamlNode>> {
    let mut documents = Vec::new();
    let mut stream = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut begin = 0;
    while let Some(next) = stream.next() {
        next.ok()?;
        let end = stream.byte_offset();
        let padded = blank(text.get(..begin)?) + text.get(begin..end)?;
        documents.extend(read_events(&padded).ok()?);
        begin = end;
    }
    Some(documents)
}

/// As many lines, and as many blanks in the last one: positions stay those of the file.
fn blank(text: &str) -> String {
    let last = text.rsplit('\n').next().unwrap_or_default();
    "\n".repeat(text.matches('\n').count()) + &" ".repeat(last.chars().count())
}
