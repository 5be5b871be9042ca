//! Generated files, documents, and the definitions compared with Grove's.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod docs;
mod files;
mod generating;
mod gitops;
mod grove;
mod krew;
mod reference;
mod release;
mod sizes;
mod words;
