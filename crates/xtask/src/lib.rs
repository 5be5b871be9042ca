//! Generates and checks what is written by program: `cargo xtask generate`,
//! `cargo xtask compare-crds <folder>`, `cargo xtask krew`.

pub mod chart_readme;
pub mod compare;
pub mod crd_files;
pub mod generate;
pub mod gitops;
pub mod json;
pub mod krew;
pub mod output;
pub mod reference;
pub mod release;
pub mod source;
pub mod values_schema;
pub mod yaml;
