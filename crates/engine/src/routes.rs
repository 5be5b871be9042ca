//! Who has to look again when an object changed.

use std::fmt::Debug;
use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use domain::health::training;
use domain::object::ownership;
use domain::plan::Kind;
use domain::workload::limits;
use domain::{Key, Pod};
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::NamespaceResourceScope;
use serde::de::DeserializeOwned;

use crate::cache::{Cache, Change, set_of};
use crate::world::World;

/// The controllers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr, strum::EnumIter,
)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs)]
pub enum Controller {
    PodCliqueSet,
    PodCliqueScalingGroup,
    PodClique,
    PodGang,
}

/// A kind that the hub watches. All are of namespaces, so an operator of some namespaces needs no
/// right beyond them.
pub trait Watched:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
    /// Its name in plans and metrics.
    const KIND: Kind;
    /// Whether only objects with our managed-by label are watched. Kinds that are only ours are
    /// watched whole: a label that somebody strips must not hide one while it is deleted.
    const IS_SELECTED: bool = true;
    /// Another label that all our objects of this kind have. By it those are found that lost the
    /// managed-by label while nobody watched: names of pods and Services tell nothing, so a pod
    /// that is not seen would get a second one beside it, and a Service would outlive its replica.
    const STRAY_LABEL: Option<&'static str> = None;
    /// Who decides on objects of this kind.
    const CONTROLLER: Option<Controller> = None;
    /// Where it is kept.
    fn cache(world: &World) -> &Cache<Self>;
    /// Who has to look again: whoever is concerned by the object as it is, and whoever was by the
    /// object as it was, since one edit may take it out of all hands. Also keeps what `World`
    /// remembers of gone objects.
    fn routes(change: &Change<Self>, world: &World) -> Vec<(Controller, Key)>;
}

impl Watched for PodCliqueSet {
    const KIND: Kind = Kind::PodCliqueSet;
    const CONTROLLER: Option<Controller> = Some(Controller::PodCliqueSet);
    const IS_SELECTED: bool = false;

    fn cache(world: &World) -> &Cache<Self> {
        &world.podcliquesets
    }

    fn routes(change: &Change<Self>, world: &World) -> Vec<(Controller, Key)> {
        let Some(set) = change.newest() else {
            return Vec::new();
        };
        let key = Key::of(&set.metadata);
        let mut routes = vec![(Controller::PodCliqueSet, key.clone())];
        if concerns_children(change) {
            let groups = world.scaling_groups.part_of(&key);
            let mut cliques = world.podcliques.part_of(&key);
            // Those of a group belong to the set whatever their labels say.
            let grouped = groups.iter().flat_map(|g| world.podcliques.owned_by(&**g));
            cliques.extend(grouped.filter(|c| set_of(&c.metadata).as_ref() != Some(&key)));
            routes.extend(
                groups
                    .iter()
                    .map(|g| (Controller::PodCliqueScalingGroup, Key::of(&g.metadata))),
            );
            routes.extend(
                cliques
                    .iter()
                    .map(|c| (Controller::PodClique, Key::of(&c.metadata))),
            );
        }
        routes
    }
}

/// Whether anything changed that children of a set read; its counts are none of it.
fn concerns_children(change: &Change<PodCliqueSet>) -> bool {
    let (Some(old), Some(new)) = (&change.old, &change.new) else {
        return true;
    };
    let facts = |set: &PodCliqueSet| {
        let status = set.status.clone().unwrap_or_default();
        // Told before the phase, which follows once their pods have ended.
        let is_over = training::is_over(Some(&status));
        (
            set.metadata.uid.clone(),
            set.metadata.generation,
            set.metadata.deletion_timestamp.is_some(),
            status.replica_attempts,
            status.update_progress,
            is_over,
            limits::says_over_limits(set),
            status.phase,
            status.current_generation_hash,
        )
    };
    facts(old) != facts(new)
}

impl Watched for PodCliqueScalingGroup {
    const KIND: Kind = Kind::PodCliqueScalingGroup;
    const CONTROLLER: Option<Controller> = Some(Controller::PodCliqueScalingGroup);
    const IS_SELECTED: bool = false;

    fn cache(world: &World) -> &Cache<Self> {
        &world.scaling_groups
    }

    fn routes(change: &Change<Self>, world: &World) -> Vec<(Controller, Key)> {
        let mut routes = Vec::new();
        for group in change.versions() {
            let key = Key::of(&group.metadata);
            routes.push((Controller::PodCliqueScalingGroup, key));
            routes.extend(to_set(&group.metadata));
        }
        let facts = |group: &Self| {
            let attempts = group.status.as_ref().map(|s| s.replica_attempts.clone());
            (
                group.metadata.uid.clone(),
                group.metadata.owner_references.clone(),
                ownership::is_terminating(&group.metadata),
                attempts.unwrap_or_default(),
            )
        };
        let is_same =
            matches!((&change.old, &change.new), (Some(o), Some(n)) if facts(o) == facts(n));
        for group in change.versions().filter(|_| !is_same) {
            let cliques = world.podcliques.owned_by(&**group);
            routes.extend(
                cliques
                    .iter()
                    .map(|c| (Controller::PodClique, Key::of(&c.metadata))),
            );
        }
        routes
    }
}

impl Watched for PodClique {
    const KIND: Kind = Kind::PodClique;
    const CONTROLLER: Option<Controller> = Some(Controller::PodClique);
    const IS_SELECTED: bool = false;

    fn cache(world: &World) -> &Cache<Self> {
        &world.podcliques
    }

    fn routes(change: &Change<Self>, world: &World) -> Vec<(Controller, Key)> {
        let mut routes = Vec::new();
        if let Some(lost) = lost(change) {
            routes.extend(to_siblings(&lost.metadata, world));
        }
        if let Some(gone) = gone(change) {
            world.tombstones.clear(ownership::uid(&gone.metadata));
            world.taken_names.clear(ownership::uid(&gone.metadata));
        }
        for clique in change.versions() {
            routes.push((Controller::PodClique, Key::of(&clique.metadata)));
            routes.extend(to_owning_group(&clique.metadata, world));
            routes.extend(orphans_route(
                &clique.metadata,
                labels::SCALING_GROUP,
                Controller::PodCliqueScalingGroup,
            ));
            routes.extend(to_set(&clique.metadata));
            routes.extend(to_labelled(
                &clique.metadata,
                labels::POD_GANG,
                Controller::PodGang,
            ));
        }
        routes
    }
}

/// The object as it was, if that very one is gone.
fn gone<K: Watched>(change: &Change<K>) -> Option<&Arc<K>> {
    let uid = |o: &Arc<K>| o.meta().uid.clone();
    let stays = change.new.as_ref().map(uid) == change.old.as_ref().map(uid);
    change.old.as_ref().filter(|_| !stays)
}

/// The object as it was, if it is gone or in other hands: whoever waited for its end goes on.
fn lost<K: Watched>(change: &Change<K>) -> Option<&Arc<K>> {
    let hands = |o: &Arc<K>| {
        let meta = o.meta();
        let owner = ownership::controller(meta).map(|owner| owner.uid.clone());
        (meta.uid.clone(), owner, set_of(meta))
    };
    let stays = change.new.as_ref().map(hands) == change.old.as_ref().map(hands);
    change.old.as_ref().filter(|_| !stays)
}

impl Watched for PodGang {
    const KIND: Kind = Kind::PodGang;
    const CONTROLLER: Option<Controller> = Some(Controller::PodGang);
    const IS_SELECTED: bool = false;

    fn cache(world: &World) -> &Cache<Self> {
        &world.podgangs
    }

    fn routes(change: &Change<Self>, _: &World) -> Vec<(Controller, Key)> {
        let Some(gang) = change.newest() else {
            return Vec::new();
        };
        let key = Key::of(&gang.metadata);
        let mut routes = vec![(Controller::PodGang, key.clone())];
        routes.extend(change.versions().filter_map(|g| to_set(&g.metadata)));
        // An annotation says whether the list opens gates.
        let is_same = matches!((&change.old, &change.new), (Some(o), Some(n))
            if o.spec == n.spec
                && o.metadata.annotations == n.metadata.annotations
                && o.metadata.owner_references == n.metadata.owner_references);
        for gang in change.versions().filter(|_| !is_same) {
            routes.extend(gang.spec.pod_groups.iter().map(|group| {
                (
                    Controller::PodClique,
                    Key::new(key.namespace.clone(), group.name.clone()),
                )
            }));
        }
        routes
    }
}

impl Watched for Pod {
    const KIND: Kind = Kind::Pod;
    const STRAY_LABEL: Option<&'static str> = Some(labels::POD_CLIQUE);

    fn cache(world: &World) -> &Cache<Self> {
        &world.pods
    }

    fn routes(change: &Change<Self>, world: &World) -> Vec<(Controller, Key)> {
        if let Some(gone) = gone(change).filter(|pod| owner_is_known(world, pod)) {
            world.tombstones.bury(gone);
        }
        let mut routes = Vec::new();
        for pod in change.versions() {
            routes.extend(to_set(&pod.metadata));
            routes.extend(to_labelled(
                &pod.metadata,
                labels::POD_GANG,
                Controller::PodGang,
            ));
            routes.extend(orphans_route(
                &pod.metadata,
                labels::POD_CLIQUE,
                Controller::PodClique,
            ));
            let namespace = pod.metadata.namespace.clone().unwrap_or_default();
            let owner = ownership::controller(&pod.metadata);
            routes.extend(
                owner.map(|owner| (Controller::PodClique, Key::new(namespace, &owner.name))),
            );
        }
        routes
    }
}

/// Whether the PodClique still exists; nobody would ever clear the tombstones of one that is gone.
fn owner_is_known(world: &World, pod: &Pod) -> bool {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let owner = ownership::controller(&pod.metadata);
    owner.is_some_and(|owner| world.knows(owner, namespace))
}

impl Watched for Service {
    const KIND: Kind = Kind::Service;
    const STRAY_LABEL: Option<&'static str> = Some(labels::PCS_REPLICA_INDEX);

    fn cache(world: &World) -> &Cache<Self> {
        &world.services
    }

    fn routes(change: &Change<Self>, _: &World) -> Vec<(Controller, Key)> {
        let versions = change.versions();
        versions.filter_map(|s| to_set(&s.metadata)).collect()
    }
}

/// The other PodCliques and the scaling groups of the replica: they create nothing while a
/// PodClique of an earlier attempt exists.
fn to_siblings(meta: &ObjectMeta, world: &World) -> Vec<(Controller, Key)> {
    let Some(set) = set_of(meta) else {
        return Vec::new();
    };
    let replica = ownership::replica_in(&set.name, meta);
    let is_beside = |other: &ObjectMeta| ownership::replica_in(&set.name, other) == replica;
    let (cliques, groups) = (
        world.podcliques.part_of(&set),
        world.scaling_groups.part_of(&set),
    );
    let cliques = cliques
        .iter()
        .filter(|c| is_beside(&c.metadata))
        .map(|c| (Controller::PodClique, Key::of(&c.metadata)));
    let groups = groups
        .iter()
        .filter(|g| is_beside(&g.metadata))
        .map(|g| (Controller::PodCliqueScalingGroup, Key::of(&g.metadata)));
    cliques.chain(groups).collect()
}

/// The scaling group that owns the object, and that group's set.
fn to_owning_group(meta: &ObjectMeta, world: &World) -> Vec<(Controller, Key)> {
    let Some(owner) = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup")
    else {
        return Vec::new();
    };
    let key = Key::new(
        meta.namespace.clone().unwrap_or_default(),
        owner.name.clone(),
    );
    let set = world
        .scaling_groups
        .get(&key)
        .and_then(|group| to_set(&group.metadata));
    set.into_iter()
        .chain([(Controller::PodCliqueScalingGroup, key)])
        .collect()
}

/// Who may adopt an object that nobody controls.
fn orphans_route(
    meta: &ObjectMeta,
    label: &str,
    controller: Controller,
) -> Option<(Controller, Key)> {
    ownership::controller(meta)
        .is_none()
        .then(|| to_labelled(meta, label, controller))?
}

fn to_set(meta: &ObjectMeta) -> Option<(Controller, Key)> {
    Some((Controller::PodCliqueSet, set_of(meta)?))
}

fn to_labelled(
    meta: &ObjectMeta,
    label: &str,
    controller: Controller,
) -> Option<(Controller, Key)> {
    let name = ownership::label(meta, label)?;
    Some((
        controller,
        Key::new(meta.namespace.clone().unwrap_or_default(), name),
    ))
}

/// The apiVersion of a kind that events are about.
pub(crate) fn api_version(kind: Kind) -> String {
    let version = match kind {
        Kind::PodCliqueSet => PodCliqueSet::api_version(&()),
        Kind::PodCliqueScalingGroup => PodCliqueScalingGroup::api_version(&()),
        Kind::PodClique => PodClique::api_version(&()),
        Kind::PodGang => PodGang::api_version(&()),
        Kind::Pod => Pod::api_version(&()),
        Kind::Service => Service::api_version(&()),
    };
    version.into_owned()
}
