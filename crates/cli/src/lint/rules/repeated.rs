//! Keys that are written twice.

use crate::files::{Content, YamlNode};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const REPEATED_KEY: Rule = Rule::warning(
    "repeated-key",
    "a key that occurs twice in one object",
    "The last one counts and the others are dropped without a warning. Often one of them belongs to \
     another object and has the wrong indentation.",
);

/// The keys of an object, or of its children, that occur before.
pub(in crate::lint) fn check(node: &YamlNode) -> Vec<Remark> {
    let mut remarks = Vec::new();
    look(node, "", &mut remarks);
    remarks
}

fn look(node: &YamlNode, path: &str, remarks: &mut Vec<Remark>) {
    match &node.content {
        Content::Scalar(_) => {}
        Content::List(items) => {
            for (i, item) in items.iter().enumerate() {
                look(item, &format!("{path}[{i}]"), remarks);
            }
        }
        Content::Map(entries) => {
            let mut seen = std::collections::HashMap::new();
            for entry in entries {
                let is_plain = entry.key.chars().all(|c| c.is_ascii_alphanumeric());
                let at = match (path, is_plain) {
                    ("", _) => entry.key.clone(),
                    (_, true) => format!("{path}.{}", entry.key),
                    (_, false) => format!("{path}[{}]", entry.key),
                };
                if let Some(first) = seen.insert(&entry.key, entry.position.line) {
                    let problem = format!("is in line {first}, too, and this one counts");
                    let remark = Remark::new(&REPEATED_KEY, at.clone(), problem);
                    remarks.push(remark.remedy("remove one of the two"));
                }
                look(&entry.value, &at, remarks);
            }
        }
    }
}
