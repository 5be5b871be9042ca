//! From a path to its position.

use super::yaml_node::{Content, Entry, YamlNode, YamlPosition};

/// The position of a JSON path such as `spec.template.cliques[1].spec.minAvailable` or
/// `metadata.labels[example.com/team]`, or of its nearest ancestor that exists.
pub fn find_position(root: &YamlNode, path: &str) -> YamlPosition {
    let mut here = (root, root.position);
    let mut rest = path;
    while let Some(step) = step(here.0, rest) {
        here = (step.node, step.position);
        rest = step.rest;
    }
    here.1
}

/// One step down a path.
struct PathStep<'a, 'p> {
    node: &'a YamlNode,
    position: YamlPosition,
    rest: &'p str,
}

fn step<'a, 'p>(node: &'a YamlNode, path: &'p str) -> Option<PathStep<'a, 'p>> {
    match &node.content {
        Content::Scalar(_) => None,
        Content::List(items) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            let node = items.get(index.parse::<usize>().ok()?)?;
            let position = node.position;
            Some(PathStep {
                node,
                position,
                rest,
            })
        }
        Content::Map(entries) => {
            // Keys may contain dots and brackets: the longest match counts.
            let fits = |entry: &'a Entry| Some((entry, rest_after(&entry.key, path)?));
            let (entry, rest) = entries
                .iter()
                .filter_map(fits)
                .max_by_key(|(entry, _)| entry.key.len())?;
            Some(PathStep {
                node: &entry.value,
                position: entry.shown_position(),
                rest,
            })
        }
    }
}

/// The rest of a path after a key, which follows a dot or is in brackets.
fn rest_after<'p>(key: &str, path: &'p str) -> Option<&'p str> {
    if let Some(inner) = path.strip_prefix('[') {
        return inner.strip_prefix(key)?.strip_prefix(']');
    }
    let rest = path.strip_prefix('.').unwrap_or(path).strip_prefix(key)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}
