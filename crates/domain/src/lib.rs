//! Pure rules shared by two or more crates.

pub mod availability;
pub mod clique;
pub mod environment;
pub mod fence;
pub mod fnv;
pub mod gang;
pub mod hash;
pub mod indices;
pub mod key;
pub mod layout;
pub mod limits;
pub mod ownership;
pub mod plan;
pub mod pod;
pub mod readiness;
pub mod size;
pub mod slots;
pub mod termination;
pub mod text;
pub mod training;

pub use key::Key;
pub use pod::Pod;
