//! The extra files of a release: the chart with its registry and annotations for Artifact Hub, and
//! the list of parts (SBOM). `hack/release.sh` combines them.

pub mod annotations;
pub mod changelog;
pub mod chart;
pub mod sbom;
