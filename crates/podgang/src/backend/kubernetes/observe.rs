//! What there is: pods with the PodGroups that they name, and those.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use api::{PodClique, PodGang, labels, names};
use domain::health::training;
use domain::object::ownership;
use domain::scheduling::kubernetes::composite_name;
use domain::workload::gang::clique_minimum;
use domain::{Key, Pod};
use engine::Caches;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};

use super::{Facts, Member, Place, Shape};
use crate::backend::tree::{self, GroupParts};
use crate::observe::Part;

/// Reads what the scheduler of a gang was told, and what there is to be told. Where all gangs of a
/// replica are told of as one, that is done for its base gang.
pub(in crate::backend) fn observe(
    gang: &PodGang,
    parts: &[Part],
    caches: &Caches,
    shape: Shape,
) -> Facts {
    let members = match shape {
        Shape::Split => {
            let podcliques = parts.iter().filter_map(|part| part.podclique.as_ref());
            let members = podcliques.filter_map(|podclique| member(podclique, None, caches));
            members.collect()
        }
        Shape::Tree => members_of_replica(gang, caches),
    };
    let (groups, composites) = existing(gang, &members, caches);
    Facts {
        shape,
        groups,
        composites,
        is_placed: parts.iter().all(|p| p.has_minimum(&Pod::is_scheduled)),
        has_workload: caches
            .of::<Workload>()
            .get(&Key::of(&gang.metadata))
            .is_some(),
        serves_groups: caches.is_served::<PodGroup>(),
        serves_composites: caches.is_served::<CompositePodGroup>()
            && caches.is_served::<Workload>(),
        members,
    }
}

fn members_of_replica(gang: &PodGang, caches: &Caches) -> Vec<Member> {
    let Some((standalone, groups)) = tree::parts_of_replica(gang, caches) else {
        return Vec::new();
    };
    let standalone = standalone.iter().filter_map(|c| member(c, None, caches));
    let grouped = groups.iter().flat_map(|group| members_of(group, caches));
    standalone.chain(grouped).collect()
}

fn members_of((group, podcliques): &GroupParts, caches: &Caches) -> Vec<Member> {
    let name = ownership::name(&group.metadata);
    let required = u32::try_from(group.spec.min_available.unwrap_or(1)).unwrap_or(0);
    let members = podcliques.iter().filter_map(|podclique| {
        let (replica, _) =
            names::parts_of_grouped_clique(name, ownership::name(&podclique.metadata))?;
        let place = Place {
            group: name.to_owned(),
            replica,
            required,
        };
        member(podclique, Some(place), caches)
    });
    members.collect()
}

/// None whose pods name no PodGroup: they were made when the scheduler was not told, and are placed
/// by themselves.
fn member(podclique: &PodClique, place: Option<Place>, caches: &Caches) -> Option<Member> {
    let mut pods = caches.of::<Pod>().owned_by(podclique);
    pods.retain(|p| !p.is_terminating());
    let group = pods.iter().find_map(|p| p.pod_group())?.to_owned();
    let done = training::completed(podclique, pods.iter().map(AsRef::as_ref)).len();
    let minimum = usize::try_from(clique_minimum(&podclique.spec)).unwrap_or(0);
    Some(Member {
        podclique: ownership::name(&podclique.metadata).to_owned(),
        group,
        minimum: u32::try_from(minimum.saturating_sub(done)).unwrap_or(u32::MAX),
        is_listed: is_listed(podclique, &pods, caches),
        is_scaled: ownership::label(&podclique.metadata, labels::BASE_POD_GANG).is_some(),
        place,
    })
}

fn is_listed(podclique: &PodClique, pods: &[Arc<Pod>], caches: &Caches) -> bool {
    let meta = &podclique.metadata;
    let gang = ownership::label(meta, labels::POD_GANG).and_then(|name| {
        let namespace = meta.namespace.clone().unwrap_or_default();
        caches.of::<PodGang>().get(&Key::new(namespace, name))
    });
    let parts = gang.iter().flat_map(|gang| &gang.spec.pod_groups);
    let own = parts.filter(|part| part.name == ownership::name(meta));
    let mut listed = own.flat_map(|part| &part.pod_references);
    let names: HashSet<&str> = pods.iter().map(|pod| pod.name()).collect();
    listed.any(|reference| names.contains(reference.name.as_str()))
}

type Existing = (
    BTreeMap<String, Arc<PodGroup>>,
    BTreeMap<String, Arc<CompositePodGroup>>,
);

fn existing(gang: &PodGang, members: &[Member], caches: &Caches) -> Existing {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let key = |name: &str| Key::new(namespace.clone(), name);
    let all = caches.of::<PodGroup>();
    let named = members.iter().filter_map(|m| all.get(&key(&m.group)));
    let groups: BTreeMap<_, _> = named
        .chain(all.owned_by(gang))
        .map(|group| (ownership::name(&group.metadata).to_owned(), group))
        .collect();
    let all = caches.of::<CompositePodGroup>();
    let parents = groups.values().filter_map(|group| {
        let parent = group.spec.parent_composite_pod_group_name.as_deref()?;
        all.get(&key(parent))
    });
    let own = all.get(&key(&composite_name(ownership::name(&gang.metadata))));
    let composites = parents
        .chain(own)
        .chain(all.owned_by(gang))
        .map(|composite| (ownership::name(&composite.metadata).to_owned(), composite));
    let composites = composites.collect();
    (groups, composites)
}
