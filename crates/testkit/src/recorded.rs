//! Statuses as the rules write them, kept as files for tests of other tools that read them
//! (`crates/xtask/tests/it/gitops`).

use serde::Serialize;
use serde_json::{Map, Value};

/// The folder of the files, relative to this crate.
const FOLDER: &str = "../../xtask/tests/it/gitops/recorded";
/// The fields that tools judge by.
const READ: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];
const READ_OF_METADATA: [&str; 3] = ["name", "generation", "deletionTimestamp"];

/// Compares the object with the file of that name; `INSTA_UPDATE=always` writes it.
///
/// # Panics
/// If they differ.
pub fn assert_recorded(name: &str, object: &impl Serialize) {
    let mut object = serde_json::to_value(object).unwrap_or_default();
    retain(&mut object, &READ);
    if let Some(metadata) = object.get_mut("metadata") {
        retain(metadata, &READ_OF_METADATA);
    }
    let text = format!("{object:#}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(FOLDER);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn retain(object: &mut Value, keys: &[&str]) {
    let fields: Option<&mut Map<String, Value>> = object.as_object_mut();
    if let Some(fields) = fields {
        fields.retain(|key, _| keys.contains(&key.as_str()));
    }
}
