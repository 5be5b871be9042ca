//! Nodes out of events.

use std::collections::HashMap;

use serde_json::Value;

use super::events::Problem;
use super::scalar::key_of;
use super::yaml_node::{Content, Entry, YamlNode, YamlPosition};

/// Aliases of aliases make a small file arbitrarily large.
const MAX_ALIASED: usize = 1_000_000;

/// Builds one document.
#[derive(Default)]
pub(super) struct Builder {
    open: Vec<Frame>,
    done: Option<YamlNode>,
    anchors: HashMap<usize, YamlNode>,
    aliased: usize,
}

/// A list or a map that has begun.
struct Frame {
    position: YamlPosition,
    anchor: usize,
    kind: FrameKind,
}

enum FrameKind {
    List(Vec<YamlNode>),
    Map {
        entries: Vec<Entry>,
        merged: Vec<Entry>,
        key: Option<Key>,
    },
}

enum Key {
    Named(String, YamlPosition),
    /// `<<`: the value is merged into the map.
    Merge,
}

impl Builder {
    pub(super) fn take_document(&mut self) -> Option<YamlNode> {
        self.done.take()
    }

    pub(super) fn begin_list(
        &mut self,
        position: YamlPosition,
        anchor: usize,
    ) -> Result<(), Problem> {
        self.begin(position, anchor, FrameKind::List(Vec::new()))
    }

    pub(super) fn begin_map(
        &mut self,
        position: YamlPosition,
        anchor: usize,
    ) -> Result<(), Problem> {
        let kind = FrameKind::Map {
            entries: Vec::new(),
            merged: Vec::new(),
            key: None,
        };
        self.begin(position, anchor, kind)
    }

    fn begin(
        &mut self,
        position: YamlPosition,
        anchor: usize,
        kind: FrameKind,
    ) -> Result<(), Problem> {
        if self.awaits_key() {
            let problem = "a list or a map cannot be a key; write a text";
            return Err((position, problem.to_owned()));
        }
        self.open.push(Frame {
            position,
            anchor,
            kind,
        });
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        let last = self.open.last().map(|frame| &frame.kind);
        matches!(last, Some(FrameKind::Map { key: None, .. }))
    }

    pub(super) fn end(&mut self) -> Result<(), Problem> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let content = match frame.kind {
            FrameKind::List(items) => Content::List(items),
            FrameKind::Map {
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
        let position = frame.position;
        self.add(YamlNode { position, content }, frame.anchor, false)
    }

    pub(super) fn add_scalar(
        &mut self,
        position: YamlPosition,
        value: Value,
        is_merge: bool,
        anchor: usize,
    ) -> Result<(), Problem> {
        let content = Content::Scalar(value);
        self.add(YamlNode { position, content }, anchor, is_merge)
    }

    pub(super) fn add_alias(
        &mut self,
        position: YamlPosition,
        anchor: usize,
    ) -> Result<(), Problem> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err((
                position,
                "an alias cannot be inside its own anchor".to_owned(),
            ));
        };
        self.aliased = self.aliased.saturating_add(target.size());
        if self.aliased > MAX_ALIASED {
            let problem = "aliases make the document too large; write it without them";
            return Err((position, problem.to_owned()));
        }
        let node = target.moved_to(position);
        self.add(node, 0, false)
    }

    fn add(&mut self, node: YamlNode, anchor: usize, is_merge: bool) -> Result<(), Problem> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|frame| &mut frame.kind) {
            None => self.done = Some(node),
            Some(FrameKind::List(items)) => items.push(node),
            Some(FrameKind::Map {
                entries,
                merged,
                key,
            }) => match key.take() {
                None if is_merge => *key = Some(Key::Merge),
                None => *key = Some(named(&node)?),
                Some(Key::Merge) => merge(merged, node)?,
                Some(Key::Named(key, position)) => entries.push(Entry {
                    key,
                    position,
                    value: node,
                }),
            },
        }
        Ok(())
    }
}

fn named(node: &YamlNode) -> Result<Key, Problem> {
    let key = match &node.content {
        Content::Scalar(value) => key_of(value),
        Content::List(_) | Content::Map(_) => None,
    };
    let key = key.ok_or_else(|| (node.position, "a key has to be a text".to_owned()))?;
    Ok(Key::Named(key, node.position))
}

/// Of several maps the first counts.
fn merge(merged: &mut Vec<Entry>, node: YamlNode) -> Result<(), Problem> {
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
            Err((node.position, problem.to_owned()))
        }
    }
}
