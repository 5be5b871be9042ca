//! Checks that need a cluster: objects that a set names, room in quotas, nodes that pods ask for, and
//! a dry run of one pod of each clique.
//!
//! ```text
//! sets ─▶ needs ─▶ ask (each thing once) ─▶ answers ─▶ check ─▶ remarks
//! ```

mod answers;
mod ask;
mod check;
mod devices;
mod dry_run;
mod needs;
mod node_resources;
mod node_selectors;
mod nodes;
mod quota;
mod references;
mod requests;
pub(super) mod rules;
mod sample_pods;

use std::collections::{BTreeSet, HashSet};

use super::judged_files::JudgedFiles;
use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::Failure;

pub use answers::{Answer, Answers, NamespaceQuota, NeededKind, Wanted};
pub use check::check_answers;
pub use dry_run::judge_answer;
pub use needs::{Need, needs_of};
pub(crate) use node_resources::devices as devices_of;
pub(crate) use nodes::read as read_offered_nodes;
pub use nodes::{OfferedNodes, check_nodes};
pub use sample_pods::{SamplePods, build_pods, choose_pods};

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
    let lacking: Vec<Vec<&Need>> = needs
        .iter()
        .map(|needs| lacking_of(needs, &given, &answers))
        .collect();
    ask_about_pods(judged, &lacking, &cluster).await
}

/// The needs that the cluster does not meet, although the files may.
fn lacking_of<'a>(needs: &'a [Need], given: &HashSet<Wanted>, answers: &Answers) -> Vec<&'a Need> {
    let is_missing = |need: &Need| matches!(answers.get(&need.wanted), Some(Answer::Missing));
    needs
        .iter()
        .filter(|need| given.contains(&need.wanted) || is_missing(need))
        .collect()
}

/// Remarks on the pods of the sets; `lacking` are the needs of each object that the cluster does not meet.
async fn ask_about_pods(
    judged: &mut JudgedFiles,
    lacking: &[Vec<&Need>],
    cluster: &Cluster,
) -> Result<(), Failure> {
    let sets: Vec<_> = judged
        .ours
        .iter()
        .filter_map(|ours| ours.set.as_ref())
        .collect();
    let nodes = nodes::read(cluster, &sets).await?;
    for (ours, lacking) in judged.ours.iter_mut().zip(lacking) {
        let Some(set) = &ours.set else { continue };
        let namespace = ours.namespace.as_deref().unwrap_or(&cluster.namespace);
        let chosen = choose_pods(set, &ours.remarks, lacking);
        let answers = dry_run::ask(cluster, namespace, chosen.pods).await;
        let of_nodes = check_nodes(set, nodes.as_ref());
        let remarks = [of_nodes, chosen.skipped, answers].concat();
        ours.remarks.extend(remarks);
    }
    Ok(())
}
