//! The fields of a set that defaults can change, and no others, so that a large set is never
//! decoded as a tree.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The fields that defaults add or change; `[]` means each entry of a list.
const FIELDS: &[&str] = &[
    "metadata.finalizers",
    "spec.workloadType",
    "spec.trainingSpec",
    "spec.template.cliqueStartupType",
    "spec.template.headlessServiceConfig",
    "spec.template.terminationDelay",
    "spec.template.cliques[].spec.minAvailable",
    "spec.template.cliques[].spec.autoScalingConfig.minReplicas",
    "spec.template.cliques[].spec.podSpec.restartPolicy",
    "spec.template.cliques[].spec.podSpec.terminationGracePeriodSeconds",
    "spec.template.podCliqueScalingGroups[].replicas",
    "spec.template.podCliqueScalingGroups[].minAvailable",
    "spec.template.podCliqueScalingGroups[].scaleConfig.minReplicas",
];

/// Reads these fields of the text of an object; all others are left out. Entries of lists stay in
/// their places.
pub(super) fn read_outline(text: &str) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let outline = Outline(String::new()).deserialize(&mut reader).ok()?;
    Some(outline)
}

/// The outline of an object.
pub fn outline_of<T: Serialize>(object: &T) -> Option<Value> {
    read_outline(&serde_json::to_string(object).ok()?)
}

/// The value at this path.
struct Outline(String);

impl Outline {
    /// Whether fields are at or below the path.
    fn leads_on(&self) -> bool {
        let below = |field: &&str| {
            let rest = field.strip_prefix(self.0.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.0.is_empty() || FIELDS.iter().any(below)
    }

    fn is_field(&self) -> bool {
        FIELDS.contains(&self.0.as_str())
    }
}

impl<'de> DeserializeSeed<'de> for Outline {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        if self.is_field() {
            return Value::deserialize(reader);
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outline {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let separator = if self.0.is_empty() { "" } else { "." };
            let child = Self(format!("{}{separator}{name}", self.0));
            if child.leads_on() {
                map.insert(name, access.next_value_seed(child)?);
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        let entry = || Self(format!("{}[]", self.0));
        while let Some(value) = access.next_element_seed(entry())? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    // Any other value in place of an object stays unchanged.
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
}
