//! YAML as people read it: blocks, and `{type: string}` on one line where it fits.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_saphyr::{FlowMap, FlowSeq};

/// Deep inside a schema small maps and lists go on one line: two thirds of such a file would
/// otherwise be indentation. The outer levels stay blocks, as in every other manifest.
const FLOW_FROM_DEPTH: usize = 3;
/// Longest text of a map or list on one line.
const FLOW_CHARS: usize = 80;

/// The value as YAML. Long texts stay on one line.
pub fn text(value: &Value) -> anyhow::Result<String> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    Ok(serde_saphyr::to_string_with_options(
        &FlowNode { value, depth: 0 },
        options,
    )?)
}

struct FlowNode<'a> {
    value: &'a Value,
    depth: usize,
}

impl FlowNode<'_> {
    fn fits_on_a_line(&self) -> bool {
        let is_collection = !is_scalar(self.value);
        self.depth >= FLOW_FROM_DEPTH && is_collection && self.value.to_string().len() <= FLOW_CHARS
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_))
}

impl Serialize for FlowNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let depth = self.depth + 1;
        match self.value {
            Value::Object(map) if self.fits_on_a_line() => FlowMap(map).serialize(serializer),
            Value::Array(list) if self.fits_on_a_line() => FlowSeq(list).serialize(serializer),
            Value::Object(map) => {
                let mut block = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map {
                    block.serialize_entry(key, &FlowNode { value, depth })?;
                }
                block.end()
            }
            Value::Array(list) => {
                let mut block = serializer.serialize_seq(Some(list.len()))?;
                for value in list {
                    block.serialize_element(&FlowNode { value, depth })?;
                }
                block.end()
            }
            // The typed schema keeps limits as floats; people write `minimum: 0`.
            Value::Number(n) if n.as_f64() == Some(0.0) => serializer.serialize_i64(0),
            scalar => scalar.serialize(serializer),
        }
    }
}
