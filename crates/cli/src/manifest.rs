//! The objects of a file, as they are written there.

use std::io::{IsTerminal, Read};
use std::path::Path;

use serde_json::Value;

use crate::exit::Failure;

/// The objects of the file, or of standard input if its name is `-`; lists are flattened.
pub fn read_manifest(file: &Path) -> Result<Vec<Value>, Failure> {
    let name = file.display().to_string();
    let text = read_text(file).map_err(|error| unusable(&name, &error))?;
    parse_manifest(&name, &text)
}

/// The objects of a text; `file` is its name in messages.
pub fn parse_manifest(name: &str, text: &str) -> Result<Vec<Value>, Failure> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let documents = if is_json {
        parse_json(text)
    } else {
        parse_yaml(text)
    };
    let documents = documents.map_err(|error| unusable(name, &error))?;
    Ok(documents.into_iter().flat_map(flatten).collect())
}

fn read_text(file: &Path) -> Result<String, String> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file).map_err(|error| error.to_string());
    }
    let mut input = std::io::stdin();
    if input.is_terminal() {
        return Err("standard input is a terminal; pipe a manifest into it".to_owned());
    }
    let mut text = String::new();
    let read = input.read_to_string(&mut text);
    read.map(|_| text).map_err(|error| error.to_string())
}

fn parse_json(text: &str) -> Result<Vec<Value>, String> {
    let documents: Result<_, _> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect();
    documents.map_err(|error| error.to_string())
}

fn parse_yaml(text: &str) -> Result<Vec<Value>, String> {
    let documents = serde_saphyr::from_multiple(text);
    documents.map_err(|error| first_line(&error.to_string()))
}

/// The lines below it show the place in a frame.
fn first_line(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

fn flatten(document: Value) -> Vec<Value> {
    let kind = document.get("kind").and_then(Value::as_str);
    let is_list = kind.is_some_and(|kind| kind.ends_with("List"));
    match document {
        Value::Array(items) => items.into_iter().flat_map(flatten).collect(),
        Value::Object(mut list) if is_list => match list.remove("items") {
            Some(items) => flatten(items),
            None => Vec::new(),
        },
        Value::Null => Vec::new(),
        object => vec![object],
    }
}

fn unusable(name: &str, error: &str) -> Failure {
    Failure::BadInput(format!("cannot use {name}: {error}"))
}
