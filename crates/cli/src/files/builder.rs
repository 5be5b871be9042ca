//! Nodes out of events.

use std::collections::HashMap;

use serde_json::Value;

use super::events::Problem;
use super::node::{Content, Entry, Node, Place};
use super::scalar::key_of;

/// Aliases of aliases make a small file arbitrarily large.
const MAX_ALIASED: usize = 1_000_000;

/// Builds one document.
#[derive(Default)]
pub(super) struct Builder {
    open: Vec<Frame>,
    done: Option<Node>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
}

/// A list or a map that has begun.
struct Frame {
    place: Place,
    anchor: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        merged: Vec<Entry>,
        key: Option<Key>,
    },
}

enum Key {
    Named(String, Place),
    /// `<<`: the value is merged into the map.
    Merge,
}

impl Builder {
    pub(super) fn take_document(&mut self) -> Option<Node> {
        self.done.take()
    }

    pub(super) fn begin_list(&mut self, place: Place, anchor: usize) -> Result<(), Problem> {
        self.begin(place, anchor, Kind::List(Vec::new()))
    }

    pub(super) fn begin_map(&mut self, place: Place, anchor: usize) -> Result<(), Problem> {
        let kind = Kind::Map {
            entries: Vec::new(),
            merged: Vec::new(),
            key: None,
        };
        self.begin(place, anchor, kind)
    }

    fn begin(&mut self, place: Place, anchor: usize, kind: Kind) -> Result<(), Problem> {
        if self.awaits_key() {
            let problem = "a list or a map cannot be a key; write a text";
            return Err((place, problem.to_owned()));
        }
        self.open.push(Frame {
            place,
            anchor,
            kind,
        });
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        let last = self.open.last().map(|frame| &frame.kind);
        matches!(last, Some(Kind::Map { key: None, .. }))
    }

    pub(super) fn end(&mut self) -> Result<(), Problem> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let content = match frame.kind {
            Kind::List(items) => Content::List(items),
            Kind::Map {
                mut entries,
                merged,
                ..
            } => {
                for entry in merged {
                    if entries.iter().all(|own| own.key != entry.key) {
                        entries.push(entry);
                    }
                }
                Content::Map(entries)
            }
        };
        let place = frame.place;
        self.add(Node { place, content }, frame.anchor, false)
    }

    pub(super) fn add_scalar(
        &mut self,
        place: Place,
        value: Value,
        is_merge: bool,
        anchor: usize,
    ) -> Result<(), Problem> {
        let content = Content::Scalar(value);
        self.add(Node { place, content }, anchor, is_merge)
    }

    pub(super) fn add_alias(&mut self, place: Place, anchor: usize) -> Result<(), Problem> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err((place, "an alias cannot be inside its own anchor".to_owned()));
        };
        self.aliased = self.aliased.saturating_add(target.size());
        if self.aliased > MAX_ALIASED {
            let problem = "aliases make the document too large; write it without them";
            return Err((place, problem.to_owned()));
        }
        let node = target.moved_to(place);
        self.add(node, 0, false)
    }

    fn add(&mut self, node: Node, anchor: usize, is_merge: bool) -> Result<(), Problem> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|frame| &mut frame.kind) {
            None => self.done = Some(node),
            Some(Kind::List(items)) => items.push(node),
            Some(Kind::Map {
                entries,
                merged,
                key,
            }) => match key.take() {
                None if is_merge => *key = Some(Key::Merge),
                None => *key = Some(named(&node)?),
                Some(Key::Merge) => merge(merged, node)?,
                Some(Key::Named(key, place)) => entries.push(Entry {
                    key,
                    place,
                    value: node,
                }),
            },
        }
        Ok(())
    }
}

fn named(node: &Node) -> Result<Key, Problem> {
    let key = match &node.content {
        Content::Scalar(value) => key_of(value),
        Content::List(_) | Content::Map(_) => None,
    };
    let key = key.ok_or_else(|| (node.place, "a key has to be a text".to_owned()))?;
    Ok(Key::Named(key, node.place))
}

/// Of several maps the first counts.
fn merge(merged: &mut Vec<Entry>, node: Node) -> Result<(), Problem> {
    match node.content {
        Content::Map(entries) => {
            for entry in entries {
                if merged.iter().all(|known| known.key != entry.key) {
                    merged.push(entry);
                }
            }
            Ok(())
        }
        Content::List(items) => items.into_iter().try_for_each(|item| merge(merged, item)),
        Content::Scalar(_) => {
            let problem = "<< takes a map, or an alias of one";
            Err((node.place, problem.to_owned()))
        }
    }
}
