//! Checks that need a cluster: objects that a set names, room in quotas, nodes that pods ask for, and
//! a dry run of one pod of each clique.
//!
//! ```text
//! sets ─▶ needs ─▶ ask (each thing once) ─▶ answers ─▶ check ─▶ remarks
//! ```

mod answers;
mod ask;
mod check;
mod dry_run;
mod needs;
mod node_resources;
mod node_selectors;
mod nodes;
mod quota;
mod references;
mod requests;
pub(super) mod rules;

use std::collections::BTreeSet;

use super::judged_files::JudgedFiles;
use super::remark::{Remark, Rule, Severity};
use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::Failure;

pub use answers::{Answer, Answers, NamespaceQuota, NeededKind, Wanted};
pub use check::check_answers;
pub use dry_run::{build_pods, judge_answer};
pub use needs::{Need, needs_of};
pub use nodes::{OfferedNodes, check_nodes};

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
    ask_about_pods(judged, &cluster).await
}

/// Remarks that explain why the API server would refuse a pod.
const EXPLAINED: [&Rule; 3] = [
    &rules::MISSING_OBJECT,
    &rules::NO_NAMESPACE,
    &rules::QUOTA_NEEDS_REQUESTS,
];

/// Remarks on the pods of the sets. A set that is known to be wrong is not asked about.
async fn ask_about_pods(judged: &mut JudgedFiles, cluster: &Cluster) -> Result<(), Failure> {
    let sets: Vec<_> = judged
        .ours
        .iter()
        .filter_map(|ours| ours.set.as_ref())
        .collect();
    let nodes = nodes::read(cluster, &sets).await?;
    for ours in &mut judged.ours {
        let Some(set) = &ours.set else { continue };
        let is_error = |r: &Remark| r.severity == Severity::Error || EXPLAINED.contains(&r.rule);
        let is_wrong = ours.remarks.iter().any(is_error);
        let namespace = ours.namespace.as_deref().unwrap_or(&cluster.namespace);
        let mut remarks = check_nodes(set, nodes.as_ref());
        if !is_wrong {
            remarks.extend(dry_run::ask(cluster, namespace, set).await);
        }
        ours.remarks.extend(remarks);
    }
    Ok(())
}
