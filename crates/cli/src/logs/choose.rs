//! Which containers' logs are read.

use api::{PodClique, labels};
use domain::object::ownership;
use domain::workload::layout;
use k8s_openapi::api::core::v1::Pod;

use super::args::LogsArgs;
use crate::cluster::{Loaded, NamedKind};
use crate::exit::Failure;
use crate::workload::pod_state;

/// A log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSource {
    /// Before each of its lines: PodClique and index of the pod.
    pub prefix: String,
    /// Name of the pod.
    pub pod: String,
    /// Name of the container.
    pub container: String,
}

/// The logs that are asked for, by PodClique and index.
///
/// # Errors
/// If there are none.
pub fn choose_sources(loaded: &Loaded, args: &LogsArgs) -> Result<Vec<LogSource>, Failure> {
    let workload = &loaded.workload;
    let mut podcliques: Vec<&PodClique> = workload.podcliques.iter().collect();
    podcliques.sort_by_key(|podclique| ownership::name(&podclique.metadata));
    let sources: Vec<LogSource> = podcliques
        .into_iter()
        .filter(|podclique| is_asked(loaded, args, podclique))
        .flat_map(|podclique| {
            let pods = workload.pods_of(podclique).into_iter();
            pods.map(move |pod| (podclique, pod))
        })
        .filter(|(_, pod)| {
            args.rank
                .is_none_or(|rank| pod_state::rank_of(pod) == Some(rank))
        })
        .filter(|(_, pod)| is_its_pod(loaded, pod))
        .filter_map(|(podclique, pod)| source_of(podclique, pod, args))
        .collect();
    if sources.is_empty() {
        let set = ownership::name(&workload.set.metadata);
        return Err(Failure::NotFound(format!(
            "no pod of podcliqueset {set} is chosen; `kubectl grove tree {set} -o wide` lists its pods \
             and their ranks"
        )));
    }
    Ok(sources)
}

/// Whether the PodClique belongs to the named child and to the clique of the flag.
fn is_asked(loaded: &Loaded, args: &LogsArgs, podclique: &PodClique) -> bool {
    let name = ownership::name(&podclique.metadata);
    let label = |key| ownership::label(&podclique.metadata, key);
    let is_child = match &loaded.child {
        Some((NamedKind::Clique, child)) => name == child,
        Some((NamedKind::Group, child)) => label(labels::SCALING_GROUP) == Some(child.as_str()),
        Some((NamedKind::Gang, child)) => label(labels::POD_GANG) == Some(child.as_str()),
        _ => true,
    };
    let of_flag = args.clique.as_deref();
    is_child && of_flag.is_none_or(|clique| name == clique || is_of_clique(loaded, name, clique))
}

/// Whether the PodClique of that name belongs to that clique of the template.
fn is_of_clique(loaded: &Loaded, podclique: &str, clique: &str) -> bool {
    let set = &loaded.workload.set;
    let slot = layout::find(
        ownership::name(&set.metadata),
        &set.spec.template,
        podclique,
    );
    slot.is_some_and(|slot| slot.clique == clique)
}

fn is_its_pod(loaded: &Loaded, pod: &Pod) -> bool {
    match &loaded.child {
        Some((NamedKind::Pod, child)) => ownership::name(&pod.metadata) == child,
        _ => true,
    }
}

fn source_of(podclique: &PodClique, pod: &Pod, args: &LogsArgs) -> Option<LogSource> {
    let first = pod.spec.as_ref()?.containers.first()?;
    let container = args.container.clone().unwrap_or_else(|| first.name.clone());
    let index = pod_state::index_of(pod).map_or("?".to_owned(), |index| index.to_string());
    Some(LogSource {
        prefix: format!("{}/{index}", ownership::name(&podclique.metadata)),
        pod: ownership::name(&pod.metadata).to_owned(),
        container,
    })
}
