//! One object by itself: what is read from it and written into it, whatever set it is of.
//!
//! `key`, `ownership` and `attempt` say which object it is, whose, and in which attempt it was
//! created. `pod` is the part of a pod that rules read, `environment` what its containers are told.
//! `indices`, `text`, `size` and `fnv` write, cut, measure and hash values.

pub mod attempt;
pub mod environment;
pub mod fnv;
pub mod indices;
pub mod key;
pub mod ownership;
pub mod pod;
pub mod size;
pub mod text;
