//! From the parser's events to documents.

use granit_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag, options};
use serde_json::Value;

use super::builder::Builder;
use super::scalar::resolve_plain;
use super::yaml_node::{YamlNode, YamlPosition};

/// Where a text is broken, and why.
pub(super) type Problem = (YamlPosition, String);

/// JSON keys have any length; the parser reads keys of block YAML only up to a line.
const LONGEST_KEY: usize = 4 * 1024 * 1024;
/// The depth at which the API server stops reading JSON, more than a set needs.
const DEEPEST: usize = 120;

/// The documents of a text.
pub(super) fn read_events(text: &str) -> Result<Vec<YamlNode>, Problem> {
    let options = options! {
        simple_key_max_lookahead: LONGEST_KEY,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    let mut documents = Vec::new();
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| problem_of(&error))?;
        take_event(&mut builder, &mut documents, event, &span)?;
    }
    Ok(documents)
}

fn take_event(
    builder: &mut Builder,
    documents: &mut Vec<YamlNode>,
    event: Event<'_>,
    span: &Span,
) -> Result<(), Problem> {
    let position = position_of(&span.start);
    match event {
        Event::DocumentStart(..) => *builder = Builder::default(),
        Event::DocumentEnd => documents.extend(builder.take_document()),
        Event::SequenceStart(_, anchor, _) => builder.begin_list(position, anchor)?,
        Event::MappingStart(_, anchor, _) => builder.begin_map(position, anchor)?,
        Event::SequenceEnd | Event::MappingEnd => builder.end()?,
        Event::Alias(anchor) => builder.add_alias(position, anchor)?,
        Event::Scalar(text, style, anchor, tag) => {
            let is_plain = style == ScalarStyle::Plain;
            let value = value_of(&text, is_plain, tag.as_deref(), position)?;
            let is_merge = is_plain && text == "<<";
            builder.add_scalar(position, value, is_merge, anchor)?;
        }
        _ => {}
    }
    Ok(())
}

fn value_of(
    text: &str,
    is_plain: bool,
    tag: Option<&Tag>,
    position: YamlPosition,
) -> Result<Value, Problem> {
    let tag = tag.and_then(Tag::core_suffix);
    let is_resolved = match tag {
        Some(tag) => ["int", "float", "bool", "null"].contains(&tag),
        None => is_plain,
    };
    if !is_resolved {
        return Ok(text.into());
    }
    resolve_plain(text).ok_or_else(|| {
        let problem = format!("{text} is a number that JSON does not have; write it in quotes");
        (position, problem)
    })
}

fn position_of(mark: &Marker) -> YamlPosition {
    YamlPosition {
        line: mark.line().max(1),
        column: mark.col() + 1,
    }
}

fn problem_of(error: &ScanError) -> Problem {
    let info = error.info();
    let problem = format!("{info}; {}", remedy_of(&info));
    (position_of(error.marker()), problem)
}

/// The first of these words in a problem decides.
const REMEDIES: [(&str, &str); 8] = [
    ("tabs", "indent with blanks"),
    (
        "anchor",
        "define it above, such as &name, or quote the text",
    ),
    ("bracket", "close it"),
    ("quote", "close the quotes, or correct the text in them"),
    (
        "flow ",
        "check commas and brackets of this line and those above",
    ),
    (
        "mapping values",
        "quote the text with the colon, or begin a new line",
    ),
    ("block ", "align this line with those above"),
    ("document start", "separate documents by a line ---"),
];

fn remedy_of(problem: &str) -> &'static str {
    let mut remedies = REMEDIES.iter();
    let found = remedies.find(|(word, _)| problem.contains(word));
    found.map_or("check this line and those above", |(_, remedy)| *remedy)
}
