//! The shape of a live gang: a PodGroup never gets another parent, so existing objects decide, and
//! the configuration only decides without any (decision 143).

use api::{PodClique, PodGang, labels};
use domain::object::ownership;
use domain::scheduling::kubernetes::{base_of_probe, is_instance_name};
use domain::{Key, Pod};
use engine::Caches;
use k8s_openapi::api::scheduling::v1beta1::PodGroup;

use super::Shape;
use crate::peers::base_of;
use crate::slots;

/// Decided by the pods of the gang, else by the configuration; no gang joins a tree that its base
/// gang is not a part of.
pub(in crate::backend) fn shape_of(gang: &PodGang, caches: &Caches, configured: Shape) -> Shape {
    let of_base = || shape_of_live(&*base_of(gang, caches)?, caches);
    let live = shape_of_live(gang, caches);
    live.unwrap_or_else(|| match configured {
        Shape::Split => Shape::Split,
        Shape::Tree => of_base().unwrap_or(Shape::Tree),
    })
}

/// None if none of its pods decides.
fn shape_of_live(gang: &PodGang, caches: &Caches) -> Option<Shape> {
    let parts = gang.spec.pod_groups.iter();
    let podcliques = parts.filter_map(|part| slots::find_podclique(gang, &part.name, caches));
    let shapes = podcliques.filter_map(|podclique| shape_of_part(gang, &podclique, caches));
    // In a gang that a user edited by hand, the shape whose objects cannot be moved decides.
    shapes.max_by_key(|shape| *shape == Shape::Tree)
}

fn shape_of_part(gang: &PodGang, podclique: &PodClique, caches: &Caches) -> Option<Shape> {
    let meta = &podclique.metadata;
    let mut pods = caches.of::<Pod>().owned_by(podclique);
    pods.retain(|pod| !pod.is_terminating());
    let Some(named) = pods.iter().find_map(|pod| pod.pod_group()) else {
        let is_placed = pods.iter().any(|pod| pod.is_scheduled());
        return is_placed.then_some(Shape::Split);
    };
    // It shares the PodGroup with other parts of its gang, which never happens in a tree.
    if base_of_probe(named) != ownership::name(meta) {
        return Some(Shape::Split);
    }
    let key = Key::new(meta.namespace.clone().unwrap_or_default(), named);
    let group = caches.of::<PodGroup>().get(&key)?;
    let parent = group.spec.parent_composite_pod_group_name.as_deref();
    if parent.is_some_and(is_instance_name) {
        return Some(Shape::Split);
    }
    let is_grouped = ownership::label(meta, labels::SCALING_GROUP).is_some();
    match parent.map(base_of_probe) {
        Some(parent) if parent != ownership::name(&gang.metadata) => Some(Shape::Tree),
        // The PodGroup of a standalone clique has the same parent in both shapes.
        Some(_) if !is_grouped => None,
        _ => Some(Shape::Split),
    }
}
