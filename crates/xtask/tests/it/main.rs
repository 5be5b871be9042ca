//! Generated files and the comparison of definitions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod comparing;
mod docs;
mod generating;
mod gitops;
mod krew;
mod reference;
mod release;
mod sizes;
