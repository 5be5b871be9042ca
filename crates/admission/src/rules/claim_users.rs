//! How many pods share a claim, and how many claims there are, by the counts of the template.

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::resources::{PcsResourceSharing, ResourceSharing, ResourceSharingScope};
use domain::workload::{claims, layout};

use super::options::Rules;
use super::pods::scheduler_name;
use crate::clique_paths::{cliques, group_of, scaling_groups, template};
use crate::field::{FieldError, Path};

/// Kubernetes lets this many pods use a claim.
const MOST_USERS: i64 = 256;
/// Of a pod.
const MOST_CLAIMS_OF_POD: usize = 32;
/// Of a set.
const MOST_CLAIMS: i64 = 20_000;

/// Pods that name too many claims, and sets that have too many.
pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    if !claims::has_sharing(&pcs.spec.template) {
        return Vec::new();
    }
    let mut errors: Vec<FieldError> = cliques(pcs)
        .filter_map(|(at, clique)| too_many_of_pod(pcs, &at, clique))
        .collect();
    let count = entries(pcs)
        .iter()
        .map(|entry| entry.claims)
        .fold(0, i64::saturating_add);
    if count > MOST_CLAIMS {
        let problem = format!("pods would share {count} claims, at most {MOST_CLAIMS} are allowed");
        let remedy = "use scope AllReplicas, or split the workload into several sets";
        errors.push(template().wrong(count, problem, remedy));
    }
    errors
}

/// Claims of a new set that more pods share than Kubernetes allows. A PodGroup of Kubernetes uses a
/// claim in place of its pods.
pub(super) fn check_new(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let Some(profiles) = &rules.profiles else {
        return Vec::new();
    };
    let mut cliques = pcs.spec.template.cliques.iter();
    let has_groups = cliques.any(|clique| {
        let name = scheduler_name(&clique.spec.pod_spec, rules);
        profiles.backend_of(Some(name)).is_kubernetes()
    });
    let full = entries(pcs).into_iter().filter(|_| !has_groups);
    full.filter(|entry| entry.users > MOST_USERS)
        .map(|entry| {
            let problem = format!(
                "{} pods would share one claim, and Kubernetes lets {MOST_USERS}",
                entry.users
            );
            let remedy = "use scope PerReplica, or a filter";
            entry.at.wrong(&entry.sharing.name, problem, remedy)
        })
        .collect()
}

fn too_many_of_pod(
    pcs: &PodCliqueSet,
    at: &Path,
    clique: &PodCliqueTemplateSpec,
) -> Option<FieldError> {
    let template = &pcs.spec.template;
    let name = match group_of(pcs, &clique.name) {
        Some(group) => api::names::grouped_clique(
            &api::names::scaling_group("s", 0, &group.name),
            0,
            &clique.name,
        ),
        None => api::names::standalone_clique("s", 0, &clique.name),
    };
    let slot = layout::find("s", template, &name)?;
    let count = claims::of_pod("s", template, &slot, 0).len();
    let problem =
        format!("a pod would name {count} claims, at most {MOST_CLAIMS_OF_POD} are allowed");
    let at = at.field("resourceSharing");
    (count > MOST_CLAIMS_OF_POD)
        .then(|| at.wrong(count, problem, "share fewer claims, or use filters"))
}

/// An entry of `resourceSharing`.
struct Entry<'a> {
    at: Path,
    sharing: &'a ResourceSharing,
    /// The claims that it makes.
    claims: i64,
    /// The pods that share one of them.
    users: i64,
}

fn entries(pcs: &PodCliqueSet) -> Vec<Entry<'_>> {
    let replicas = i64::from(pcs.spec.replicas);
    let own = pcs.spec.template.resource_sharing.iter().enumerate();
    let of_set = own.map(|(i, entry)| {
        let at = template().field("resourceSharing").index(i);
        Entry::of(at, &entry.sharing, replicas, 1, pods_of_replica(pcs, entry))
    });
    let of_groups = scaling_groups(pcs).flat_map(|(at, group)| {
        let shared = group.resource_sharing.iter().enumerate();
        shared.map(move |(i, entry)| {
            let at = at.field("resourceSharing").index(i);
            let filter = entry.filter.as_ref().map(|f| &f.child_clique_names);
            let is_in = |name: &String| filter.is_none_or(|names| names.contains(name));
            let members = group.clique_names.iter().filter(|name| is_in(name));
            let pods = sum(members.map(|name| pods_of(pcs, name)));
            Entry::of(at, &entry.sharing, replicas_of(group), replicas, pods)
        })
    });
    let of_cliques = cliques(pcs).flat_map(|(at, clique)| {
        let group = group_of(pcs, &clique.name).map_or(1, replicas_of);
        let owners = replicas.saturating_mul(group);
        let shared = clique.resource_sharing.iter().enumerate();
        shared.map(move |(i, sharing)| {
            let at = at.field("resourceSharing").index(i);
            Entry::of(at, sharing, i64::from(clique.spec.replicas), owners, 1)
        })
    });
    of_set.chain(of_groups).chain(of_cliques).collect()
}

impl<'a> Entry<'a> {
    /// Of so many owners with so many replicas each, and so many pods that share in a replica.
    fn of(at: Path, sharing: &'a ResourceSharing, replicas: i64, owners: i64, pods: i64) -> Self {
        let (claims, users) = match sharing.scope {
            ResourceSharingScope::AllReplicas => (1, replicas.saturating_mul(pods)),
            ResourceSharingScope::PerReplica => (replicas, pods),
        };
        Self {
            at,
            sharing,
            claims: owners.saturating_mul(claims),
            users,
        }
    }
}

/// The pods of a replica of the set that share a claim of it.
fn pods_of_replica(pcs: &PodCliqueSet, entry: &PcsResourceSharing) -> i64 {
    let of_clique = |clique: &PodCliqueTemplateSpec| {
        let group = group_of(pcs, &clique.name);
        let is_in = entry.filter.as_ref().is_none_or(|filter| {
            let groups = &filter.child_scaling_group_names;
            filter.child_clique_names.contains(&clique.name)
                || group.is_some_and(|group| groups.contains(&group.name))
        });
        let pods = i64::from(clique.spec.replicas).saturating_mul(group.map_or(1, replicas_of));
        if is_in { pods } else { 0 }
    };
    sum(pcs.spec.template.cliques.iter().map(of_clique))
}

fn pods_of(pcs: &PodCliqueSet, clique: &str) -> i64 {
    let mut cliques = pcs.spec.template.cliques.iter();
    let found = cliques.find(|c| c.name == clique);
    found.map_or(0, |clique| i64::from(clique.spec.replicas))
}

fn replicas_of(group: &PodCliqueScalingGroupConfig) -> i64 {
    i64::from(group.replicas.unwrap_or(1))
}

fn sum(counts: impl Iterator<Item = i64>) -> i64 {
    counts.fold(0, i64::saturating_add)
}
