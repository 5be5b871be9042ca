//! The API server's description of our kinds: the fields of spec and status.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// By path.
static DESCRIPTIONS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(describe_all);

pub(super) fn find(path: &str) -> Option<Value> {
    DESCRIPTIONS.get(path).cloned()
}

fn describe_all() -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for definition in api::crds::all() {
        let definition = json!(definition);
        let group = definition["spec"]["group"].as_str().unwrap_or_default();
        let kind = &definition["spec"]["names"]["kind"];
        let name = format!("{group}.v1alpha1.{}", kind.as_str().unwrap_or_default());
        let path = format!("/openapi/v3/apis/{group}/v1alpha1");
        let of_group = all
            .entry(path)
            .or_insert_with(|| json!({"components": {"schemas": {}}}));
        of_group["components"]["schemas"][name] = describe(&definition);
    }
    all
}

/// Names of fields, without the fields' content.
fn describe(definition: &Value) -> Value {
    let version = &definition["spec"]["versions"][0];
    let properties = &version["schema"]["openAPIV3Schema"]["properties"];
    let mut sections = Map::new();
    for section in ["spec", "status"] {
        let fields = properties[section]["properties"].as_object();
        let names: Map<String, Value> = fields
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .map(|name| (name, json!({})))
            .collect();
        sections.insert(section.to_owned(), json!({"properties": names}));
    }
    json!({"properties": sections})
}
