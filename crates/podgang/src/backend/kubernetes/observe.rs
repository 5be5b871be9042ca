//! Reads the pods, the PodGroups that they name, and the other PodGroups of the gang.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodGang, labels, names};
use domain::health::{suspension, training};
use domain::object::ownership;
use domain::scheduling::kubernetes::{composite_name, instance_name, probe_name, root_name};
use domain::workload::gang::clique_minimum;
use domain::{Key, Pod};
use engine::Caches;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};

use super::claims::find_claims;
use super::{Facts, GroupPosition, Member, Shape};
use crate::backend::topology::Topology;
use crate::backend::tree::{self, GroupParts};
use crate::gang_part::GangPart;

/// Names tried for a Workload.
const PROBES: usize = 100;

/// Reads the existing objects for the scheduler of a gang, and the inputs of the wanted ones. If
/// all gangs of a replica are one tree, its base gang does this for all.
pub(in crate::backend) fn observe(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
    shape: Shape,
) -> Facts {
    let namespace = gang.metadata.namespace.as_deref().unwrap_or_default();
    let facts = Facts {
        shape,
        serves_groups: caches.is_served::<PodGroup>(namespace),
        serves_composites: caches.is_served::<CompositePodGroup>(namespace)
            && caches.is_served::<Workload>(namespace),
        ..Facts::default()
    };
    let seen: Vec<Placed> = match shape {
        Shape::Split => {
            let podcliques = parts.iter().filter_map(|part| part.podclique.clone());
            podcliques.map(|podclique| (podclique, None)).collect()
        }
        // The base gang manages the objects of the whole replica.
        Shape::Tree if !is_base(gang) => return facts,
        Shape::Tree => podcliques_of_replica(gang, caches),
    };
    let pods: Vec<Pods<'_>> = seen
        .iter()
        .map(|(podclique, place)| Pods::of(podclique, place.clone(), caches))
        .collect();
    let gangs = gangs_of(&seen, caches);
    let listed = listed_by(&gangs);
    let members: Vec<Member> = pods
        .iter()
        .filter_map(|pods| pods.member(&listed))
        .collect();
    let topology = topology_of(gang, &seen, caches);
    let groups = existing_groups(gang, &members, caches);
    Facts {
        composites: existing_composites(gang, &groups, &topology, caches),
        groups,
        topology,
        claims: find_claims(pods.iter().flat_map(|p| &p.staying).map(AsRef::as_ref)),
        is_placed: parts.iter().all(|p| p.has_minimum(&Pod::is_scheduled)),
        is_begun: pods
            .iter()
            .any(|p| p.staying.iter().any(|pod| pod.is_scheduled())),
        lacks_pods: seen.len() < parts.len() || pods.iter().any(Pods::are_missing),
        workloads: existing_workloads(gang, caches),
        members,
        ..facts
    }
}

fn is_base(gang: &PodGang) -> bool {
    let set = ownership::label(&gang.metadata, labels::PART_OF).unwrap_or_default();
    names::replica_of_base_gang(set, ownership::name(&gang.metadata)).is_some()
}

type Placed = (Arc<PodClique>, Option<GroupPosition>);

fn podcliques_of_replica(gang: &PodGang, caches: &Caches) -> Vec<Placed> {
    let Some((standalone, groups)) = tree::parts_of_replica(gang, caches) else {
        return Vec::new();
    };
    standalone
        .into_iter()
        .map(|podclique| (podclique, None))
        .chain(groups.iter().flat_map(podcliques_of))
        .collect()
}

fn podcliques_of((group, podcliques): &GroupParts) -> Vec<Placed> {
    let name = ownership::name(&group.metadata);
    let required = u32::try_from(group.spec.min_available.unwrap_or(1)).unwrap_or(0);
    podcliques
        .iter()
        .filter_map(|podclique| {
            let (replica, _) =
                names::parts_of_grouped_clique(name, ownership::name(&podclique.metadata))?;
            let place = GroupPosition {
                group: name.to_owned(),
                replica,
                required,
            };
            Some((podclique.clone(), Some(place)))
        })
        .collect()
}

/// A PodClique with its pods that stay.
struct Pods<'a> {
    podclique: &'a PodClique,
    place: Option<GroupPosition>,
    /// How many indexes have done their work.
    done: usize,
    /// Those that stay, without those that ended before a resume, as the gang starts again since. Nor do those
    /// count that ended in a set that is suspended, or in a job that is over: they need no PodGroup.
    staying: Vec<Arc<Pod>>,
}

impl<'a> Pods<'a> {
    fn of(podclique: &'a PodClique, place: Option<GroupPosition>, caches: &Caches) -> Self {
        let mut staying = caches.of::<Pod>().owned_by(podclique);
        staying.retain(|p| !p.is_terminating());
        let done = training::completed(podclique, staying.iter().map(AsRef::as_ref)).len();
        let set = caches.set_of_member(&podclique.metadata);
        let set = set.and_then(|set| caches.of::<PodCliqueSet>().get(&set));
        let status = set.as_ref().and_then(|set| set.status.as_ref());
        let resumed_at = suspension::resumed_at(status);
        let is_at_rest = suspension::is_suspended(status) || training::is_over(status);
        let has_ended = |p: &Pod| is_at_rest && p.is_finished();
        staying.retain(|p| !suspension::is_of_before(p, resumed_at) && !has_ended(p));
        Self {
            podclique,
            place,
            done,
            staying,
        }
    }

    /// How many of `pods` have not done their work.
    fn left_of(&self, pods: i32) -> u32 {
        let pods = usize::try_from(pods).unwrap_or(0);
        u32::try_from(pods.saturating_sub(self.done)).unwrap_or(u32::MAX)
    }

    /// Whether it needs pods and has none.
    fn are_missing(&self) -> bool {
        self.staying.is_empty() && self.left_of(clique_minimum(&self.podclique.spec)) > 0
    }

    /// None if its pods name no PodGroup: they were created while the scheduler used none, and are
    /// placed individually.
    fn member(&self, listed: &Listed<'_>) -> Option<Member> {
        let meta = &self.podclique.metadata;
        let name = ownership::name(meta);
        let group = self.staying.iter().find_map(|p| p.pod_group())?.to_owned();
        let is_listed = |pod: &Pod| listed.contains(&(name, pod.name()));
        let staying = self.staying.iter();
        let left = staying.filter(|p| is_listed(p) && !p.is_completed());
        Some(Member {
            podclique: name.to_owned(),
            group,
            minimum: self.left_of(clique_minimum(&self.podclique.spec)),
            pods: self.left_of(self.podclique.spec.replicas),
            is_listed: self.staying.iter().any(|p| is_listed(p)),
            listed: u32::try_from(left.count()).unwrap_or(u32::MAX),
            is_scaled: ownership::label(meta, labels::BASE_POD_GANG).is_some(),
            place: self.place.clone(),
        })
    }
}

/// Pods that PodGangs list, each with its part.
type Listed<'a> = HashSet<(&'a str, &'a str)>;

/// The gangs of these PodCliques.
fn gangs_of(podcliques: &[Placed], caches: &Caches) -> Vec<Arc<PodGang>> {
    let keys: BTreeSet<Key> = podcliques
        .iter()
        .filter_map(|(podclique, _)| {
            let meta = &podclique.metadata;
            let name = ownership::label(meta, labels::POD_GANG)?;
            Some(Key::new(meta.namespace.clone().unwrap_or_default(), name))
        })
        .collect();
    keys.iter()
        .filter_map(|key| caches.of::<PodGang>().get(key))
        .collect()
}

fn listed_by(gangs: &[Arc<PodGang>]) -> Listed<'_> {
    let pods = gangs
        .iter()
        .flat_map(|gang| &gang.spec.pod_groups)
        .flat_map(|part| {
            part.pod_references
                .iter()
                .map(|pod| (part.name.as_str(), pod.name.as_str()))
        });
    pods.collect()
}

/// The constraints of the gang, or, of a tree, those of all its gangs.
fn topology_of(gang: &PodGang, seen: &[Placed], caches: &Caches) -> Topology {
    let grouped = seen.iter().filter_map(|(podclique, place)| {
        let place = place.as_ref()?;
        let group_replica = names::group_constraint(&place.group, place.replica);
        Some((group_replica, &**podclique))
    });
    Topology::of_replica(gang, grouped, caches)
}

fn existing_groups(
    gang: &PodGang,
    members: &[Member],
    caches: &Caches,
) -> BTreeMap<String, Arc<PodGroup>> {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let all = caches.of::<PodGroup>();
    members
        .iter()
        .filter_map(|m| all.get(&Key::new(namespace.clone(), m.group.as_str())))
        .chain(all.owned_by(gang))
        .map(|group| (ownership::name(&group.metadata).to_owned(), group))
        .collect()
}

/// Those whose names its PodGroups use or may use next, and those that it controls.
fn existing_composites(
    gang: &PodGang,
    groups: &BTreeMap<String, Arc<PodGroup>>,
    topology: &Topology,
    caches: &Caches,
) -> BTreeMap<String, Arc<CompositePodGroup>> {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let name = ownership::name(&gang.metadata);
    let parents = groups
        .values()
        .filter_map(|group| group.spec.parent_composite_pod_group_name.as_deref())
        .flat_map(|parent| [parent.to_owned(), root_name(name, parent)]);
    let instances = topology.group_replicas.keys();
    let names: BTreeSet<String> = parents
        .chain(std::iter::once(composite_name(name)))
        .chain(instances.map(|group_replica| instance_name(group_replica)))
        .collect();
    let all = caches.of::<CompositePodGroup>();
    names
        .into_iter()
        .filter_map(|name| all.get(&Key::new(namespace.clone(), name)))
        .chain(all.owned_by(gang))
        .map(|composite| (ownership::name(&composite.metadata).to_owned(), composite))
        .collect()
}

/// Those that have its name or the next ones.
fn existing_workloads(gang: &PodGang, caches: &Caches) -> BTreeMap<String, Arc<Workload>> {
    let key = Key::of(&gang.metadata);
    let all = caches.of::<Workload>();
    (0..PROBES)
        .map(|probe| probe_name(&key.name, probe))
        .map_while(|name| {
            let found = all.get(&Key::new(key.namespace.as_str(), name.as_str()))?;
            Some((name, found))
        })
        .collect()
}
