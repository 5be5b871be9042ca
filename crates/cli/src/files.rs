//! Manifests: files of objects in YAML or JSON, with the place of each part.
//!
//! ```text
//! source ─▶ events ─▶ document (nodes with places) ─▶ objects: those of a List one by one
//!             scalars have the values of kubectl          value, and the place of a path in it
//! ```

mod builder;
mod document;
mod events;
mod find;
mod node;
mod objects;
mod scalar;
mod source;

pub use document::{Broken, read_documents};
pub use find::find_place;
pub use node::{Content, Entry, Node, Place};
pub use objects::{Object, objects_of};
pub use source::{Source, read_sources};
