//! Manifests: files of objects in YAML or JSON, with the position of each part.
//!
//! ```text
//! source ─▶ events ─▶ document (nodes with positions) ─▶ objects: those of a List one by one
//!             scalars have the values of kubectl          value, and the position of a path in it
//! ```

mod builder;
mod document;
mod events;
mod find;
mod json_stream;
mod objects;
mod scalar;
mod source;
mod yaml_node;

pub use document::{Broken, read_documents};
pub use find::find_position;
pub use objects::{ManifestObject, objects_of};
pub use source::{Source, read_sources};
pub use yaml_node::{Content, Entry, YamlNode, YamlPosition};
