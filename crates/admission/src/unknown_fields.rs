//! Unknown fields that are often written. The API server drops them without a warning, so only a
//! reader of the request or of a file can report them.

use serde_json::Value;

use crate::field::{FieldError, Path};

/// The problem of a field that does not exist, in one sentence for all that report it.
pub const PROBLEM: &str = "the field does not exist; kubectl refuses it, the API server drops it";

/// The written field, and the intended one.
struct Misspelt {
    parent: &'static [&'static str],
    written: &'static str,
    meant: &'static str,
}

const MISSPELT: &[Misspelt] = &[
    // The name in Grove's Go types and in its messages.
    Misspelt {
        parent: &["spec", "template"],
        written: "podCliqueScalingGroupConfigs",
        meant: "podCliqueScalingGroups",
    },
];

/// Hints for fields of a PodCliqueSet, as it was sent, that do not exist.
pub fn hints(raw: &Value) -> Vec<FieldError> {
    MISSPELT.iter().filter_map(|m| m.hint(raw)).collect()
}

impl Misspelt {
    fn hint(&self, raw: &Value) -> Option<FieldError> {
        let mut parent = raw;
        for name in self.parent {
            parent = parent.get(name)?;
        }
        let given = parent.get(self.written)?;
        let at = Path::new(&self.parent.join(".")).field(self.written);
        let remedy = format!("name it {}", self.meant);
        Some(at.wrong(given, PROBLEM, remedy))
    }
}
