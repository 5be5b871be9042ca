//! Reads the revisions of a set.

use std::sync::Arc;

use api::PodCliqueSet;
use api::labels::{self, component};
use domain::Revision;
use domain::object::ownership;
use domain::workload::revision::Revisions;

use crate::cluster::Cluster;
use crate::exit::Failure;

/// The revisions that the set controls.
pub(crate) async fn read_revisions(
    cluster: &Cluster,
    set: &PodCliqueSet,
) -> Result<Revisions, Failure> {
    let of_set = format!(
        "{}={},{}={}",
        labels::PART_OF,
        ownership::name(&set.metadata),
        labels::COMPONENT,
        component::REVISION
    );
    let found = cluster.list::<Revision>(&of_set).await?;
    Ok(Revisions::of(set, found.into_iter().map(Arc::new)))
}
