//! One object by itself: what is read from it and written into it, whatever set it is of.
//!
//! `key`, `ownership` and `attempt` say which object it is, whose, and in which attempt it was
//! created, `orphaning` that it goes without its children. `pod` and `node` are the parts of pods and
//! nodes that rules read, `environment` the variables of containers. `indices`, `text`, `quantity`, `size` and `fnv` write, cut, read, measure and
//! hash values.

pub mod attempt;
pub mod environment;
pub mod fnv;
pub mod indices;
pub mod key;
pub mod node;
pub mod orphaning;
pub mod ownership;
pub mod pod;
pub mod quantity;
pub mod size;
pub mod text;
