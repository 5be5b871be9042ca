//! Builds the files of the bundle: without secrets, in one order.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::collected::{Collected, CollectedKind, Log};
use super::kinds;
use super::node::describe_node;
use super::readme;
use super::redact::{Counts, Shown, hide_in_line, hide_unknown_words, mask_text, redact};
use crate::json;
use crate::output;
use crate::tree::{build_tree, draw_tree};

/// The files of a bundle.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Name of their folder.
    pub name: String,
    /// The files, by path.
    pub files: Vec<File>,
    /// Numbers of redacted values.
    pub redacted: Counts,
    /// Items that are missing, with the reason.
    pub missing: Vec<String>,
    /// Content that they may show.
    pub shown: Shown,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in the folder.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Composes the bundle as of that time. `with_arguments` keeps arguments, scripts, messages and
/// annotations and hides only text in them that looks like a secret.
pub fn compose(read: &Collected, with_arguments: bool, now: Timestamp) -> Bundle {
    let time = now.strftime("%Y%m%d-%H%M%S");
    let mut bundle = Bundle {
        name: format!("grove-bundle-{}-{}-{time}", read.namespace, read.name),
        missing: read.missing.clone(),
        shown: Shown::new(with_arguments).with_names(read.all_values()),
        ..Bundle::default()
    };
    bundle.add_tree(read, now);
    read.objects.iter().for_each(|found| bundle.add_kind(found));
    if !read.events.is_empty() {
        bundle.add_value("events.yaml", &Value::from(read.events.clone()));
    }
    for node in &read.nodes {
        let path = format!("nodes/{}.yaml", json::meta(node, "name"));
        bundle.add_value(&path, &describe_node(node));
    }
    for pod in &read.operator {
        let path = format!(
            "operator/{}.{}.yaml",
            json::meta(pod, "namespace"),
            json::meta(pod, "name")
        );
        bundle.add_value(&path, pod);
    }
    read.logs.iter().for_each(|log| bundle.add_log(log));
    bundle.add_value("versions.yaml", &versions_of(read));
    bundle.add_text("README.txt", readme::write(&bundle, read, now));
    bundle.files.sort_by(|a, b| a.path.cmp(&b.path));
    bundle
}

impl Bundle {
    /// Draws the tree from the redacted objects.
    fn add_tree(&mut self, read: &Collected, now: Timestamp) {
        let mut read = read.clone();
        for found in &mut read.objects {
            for item in &mut found.items {
                *item = redact(item.take(), &self.shown).value;
            }
        }
        match read.to_workload() {
            Ok(workload) => {
                let drawn = draw_tree(&build_tree(&workload, now), true);
                let plain = anstream::adapter::strip_str(&drawn).to_string();
                self.add_text("tree.txt", plain);
            }
            Err(error) => {
                let (error, _) = hide_unknown_words(&error, &self.shown);
                self.missing.push(format!("tree.txt: {error}"));
            }
        }
    }

    fn add_kind(&mut self, found: &CollectedKind) {
        let resource = &found.resource;
        let mut served = kinds::SERVED.iter();
        let folder = if served.any(|group| group.name == resource.group) {
            format!("{}.{}", resource.plural, resource.group)
        } else {
            resource.plural.clone()
        };
        for item in &found.items {
            self.add_value(
                &format!("objects/{folder}/{}.yaml", json::meta(item, "name")),
                item,
            );
        }
    }

    fn add_log(&mut self, log: &Log) {
        let mut text = String::new();
        for line in &log.lines {
            text.push_str(&self.mask(line));
            text.push('\n');
        }
        self.add_text(&format!("operator/{}.log", log.name), text);
    }

    /// A line of a log: in JSON, each of its texts is a message.
    fn mask(&mut self, line: &str) -> String {
        let (masked, hidden) = if self.shown.with_arguments {
            mask_text(line)
        } else {
            hide_in_line(line, &self.shown)
        };
        self.redacted.others += hidden;
        masked
    }

    fn add_value(&mut self, path: &str, value: &Value) {
        let redacted = redact(value.clone(), &self.shown);
        self.redacted += redacted.counts;
        match output::to_yaml(&redacted.value) {
            Ok(text) => self.add_text(path, text),
            Err(failure) => self.missing.push(format!("{path}: {failure}")),
        }
    }

    fn add_text(&mut self, path: &str, text: String) {
        let path = path.to_owned();
        self.files.push(File { path, text });
    }
}

/// Of this program, the API server, the definitions and the operator.
fn versions_of(read: &Collected) -> Value {
    let definitions = read.definitions.iter().map(|definition| {
        let at = |place: &str| definition.pointer(place).cloned().unwrap_or_default();
        let versions = at("/spec/versions");
        let versions = versions.as_array().into_iter().flatten().map(|version| {
            json!({
                "name": version["name"], "served": version["served"],
                "storage": version["storage"],
            })
        });
        json!({
            "name": at("/metadata/name"),
            "labels": at("/metadata/labels"),
            "generation": at("/metadata/generation"),
            "stored": at("/status/storedVersions"),
            "versions": versions.collect::<Vec<_>>(),
        })
    });
    let operator = read.operator.iter().map(|pod| {
        json!({
            "pod": format!("{}/{}", json::meta(pod, "namespace"), json::meta(pod, "name")),
            "images": images_of(pod),
        })
    });
    json!({
        "client": env!("CARGO_PKG_VERSION"),
        "server": read.server,
        "definitions": definitions.collect::<Vec<_>>(),
        "operator": operator.collect::<Vec<_>>(),
    })
}

/// Pulled images beside the images of the spec.
fn images_of(pod: &Value) -> Vec<Value> {
    let statuses = pod
        .pointer("/status/containerStatuses")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let image = |status: &Value| {
        let (image, id) = (json::text(status, "/image"), json::text(status, "/imageID"));
        json!({"container": status["name"], "image": image, "imageID": id})
    };
    statuses.map(image).collect()
}
