//! Reads a set and its revisions.

use api::PodCliqueSet;
use api::labels::{self, component};
use domain::Revision;
use domain::workload::revision::Revisions;
use std::sync::Arc;

use crate::cluster::{Cluster, not_found};
use crate::exit::Failure;

/// The set of that name, and the revisions that it controls.
pub(crate) async fn read_revisions(
    cluster: &Cluster,
    name: &str,
) -> Result<(PodCliqueSet, Revisions), Failure> {
    let set = cluster.get::<PodCliqueSet>(name).await?;
    let set = set.ok_or_else(|| not_found(cluster, name))?;
    let of_set = format!(
        "{}={name},{}={}",
        labels::PART_OF,
        labels::COMPONENT,
        component::REVISION
    );
    let found = cluster.list::<Revision>(&of_set).await?;
    let revisions = Revisions::of(&set, found.into_iter().map(Arc::new));
    Ok((set, revisions))
}
