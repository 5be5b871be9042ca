//! What a release has that the tree has not: the chart with its registry and what Artifact Hub shows
//! of it, and the list of parts (SBOM). `hack/release.sh` puts them together.

pub mod annotations;
pub mod changelog;
pub mod chart;
pub mod sbom;
