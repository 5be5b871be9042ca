//! Checks that need a cluster: objects that a set names, and room in quotas.
//!
//! ```text
//! sets ─▶ needs ─▶ ask (each thing once) ─▶ answers ─▶ check ─▶ remarks
//! ```

mod answers;
mod ask;
mod check;
mod needs;
mod quota;
mod references;
mod requests;
pub(super) mod rules;

use std::collections::BTreeSet;

use super::judged_files::JudgedFiles;
use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::Failure;

pub use answers::{Answer, Answers, NamespaceQuota, NeededKind, Wanted};
pub use check::check_answers;
pub use needs::{Need, needs_of};

/// Reads all needs of the sets from the cluster, and adds remarks.
pub(super) async fn ask(
    judged: &mut JudgedFiles,
    connection: &ConnectionArgs,
) -> Result<(), Failure> {
    let cluster = Cluster::connect(connection).await?;
    let needs: Vec<Vec<Need>> = judged
        .ours
        .iter()
        .map(|o| o.needs(&cluster.namespace))
        .collect();
    let given = judged.given(&cluster.namespace);
    let wanted: BTreeSet<&Wanted> = needs.iter().flatten().map(|need| &need.wanted).collect();
    let wanted = wanted.into_iter().filter(|wanted| !given.contains(wanted));
    let answers = ask::ask(&cluster, wanted.cloned().collect()).await?;
    for (ours, needs) in judged.ours.iter_mut().zip(&needs) {
        let remarks = check_answers(needs, &answers, ours.set.as_ref());
        ours.remarks.extend(remarks);
    }
    Ok(())
}
