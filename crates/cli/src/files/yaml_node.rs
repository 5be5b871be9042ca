//! The nodes of a document.

use serde::Serialize;
use serde_json::{Map, Value};

/// A position in a file, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct YamlPosition {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl YamlPosition {
    /// Where a file begins.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A value, and its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlNode {
    /// Its beginning; the target of an alias has the position of the alias.
    pub position: YamlPosition,
    /// Its content.
    pub content: Content,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A text, a number, true, false or null.
    Scalar(Value),
    /// Values in order.
    List(Vec<YamlNode>),
    /// Values by key, in order. The last of equal keys counts.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is.
    pub position: YamlPosition,
    /// Its value.
    pub value: YamlNode,
}

impl Entry {
    /// The position to show: the value if it begins beside its key, else the key.
    pub fn shown_position(&self) -> YamlPosition {
        if self.value.position.line == self.position.line {
            self.value.position
        } else {
            self.position
        }
    }
}

impl YamlNode {
    /// The value of that key in a map.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().rfind(|entry| entry.key == key)
    }

    /// The entries, if this is a map.
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) => entries,
            Content::Scalar(_) | Content::List(_) => &[],
        }
    }

    /// The items, if this is a list.
    pub fn items(&self) -> &[YamlNode] {
        match &self.content {
            Content::List(items) => items,
            Content::Scalar(_) | Content::Map(_) => &[],
        }
    }

    /// The text of that key.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.entry(key)?.value.content {
            Content::Scalar(value) => value.as_str(),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    /// Whether it is empty, as in a document of comments.
    pub fn is_null(&self) -> bool {
        matches!(self.content, Content::Scalar(Value::Null))
    }

    /// The value that the API server gets.
    pub fn value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => items.iter().map(Self::value).collect(),
            Content::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|e| (e.key.clone(), e.value.value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// The number of its nodes.
    pub(super) fn size(&self) -> usize {
        match &self.content {
            Content::Scalar(_) => 1,
            Content::List(items) => items.iter().map(Self::size).sum::<usize>() + 1,
            Content::Map(entries) => entries.iter().map(|e| e.value.size()).sum::<usize>() + 1,
        }
    }

    /// The same value with all of its nodes at that position.
    pub(super) fn moved_to(&self, position: YamlPosition) -> Self {
        let content = match &self.content {
            Content::Scalar(value) => Content::Scalar(value.clone()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| item.moved_to(position)).collect())
            }
            Content::Map(entries) => Content::Map(
                entries
                    .iter()
                    .map(|entry| Entry {
                        key: entry.key.clone(),
                        position,
                        value: entry.value.moved_to(position),
                    })
                    .collect(),
            ),
        };
        Self { position, content }
    }
}
