//! The objects of a file, with the values that kubectl sends.

use std::io::{IsTerminal, Read};
use std::path::Path;

use serde_json::Value;

use crate::exit::Failure;
use crate::files::{Source, objects_of, read_documents};

/// The objects of the file, or of standard input if its name is `-`; lists are flattened.
pub fn read_manifest(file: &Path) -> Result<Vec<Value>, Failure> {
    let name = file.display().to_string();
    let text = read_text(file).map_err(|error| unusable(&name, &error))?;
    parse_manifest(&name, &text)
}

/// The objects of a text; `file` is its name in messages.
pub fn parse_manifest(file: &str, text: &str) -> Result<Vec<Value>, Failure> {
    let source = Source {
        name: file.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let documents = read_documents(&source)?;
    let objects = documents.iter().flat_map(objects_of);
    Ok(objects.map(|object| object.node.value()).collect())
}

/// The objects that kubectl printed. JSON of a large cluster is read without positions.
pub fn parse_dump(file: &str, text: &str) -> Result<Vec<Value>, Failure> {
    let documents: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect();
    match documents {
        Ok(documents) => Ok(documents.into_iter().flat_map(flatten).collect()),
        Err(_) => parse_manifest(file, text),
    }
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
