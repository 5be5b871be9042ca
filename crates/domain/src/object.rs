//! One object by itself: the values that rules read from it and write into it, in any set.
//!
//! `key`, `ownership` and `attempt` identify an object, its owner, and the attempt it was created
//! in; `orphaning` recognizes a deletion that keeps the children. `pod` and `node` are the parts of
//! pods and nodes that rules read, `claim` of ResourceClaims, `revision` the pod templates that a set
//! keeps (as `packed_text`), `environment` the variables of containers, `pod_requests` what pods request.
//! `indices`, `text`, `quantity`, `quantity_text`, `size` and `fnv` write, cut, read, measure and hash
//! values.

pub mod attempt;
pub mod claim;
pub mod environment;
pub mod fnv;
pub mod indices;
pub mod key;
pub mod node;
pub mod orphaning;
pub mod ownership;
pub mod packed_text;
pub mod pod;
pub mod pod_requests;
pub mod quantity;
pub mod quantity_text;
pub mod revision;
pub mod size;
pub mod text;
