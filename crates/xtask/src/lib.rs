//! Generates and checks files: `cargo xtask generate`, `chart`, `sbom`, `krew`.

pub mod chart_readme;
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
