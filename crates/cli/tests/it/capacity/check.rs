//! Checks a placement by the rules of Kubernetes. It shares no code with `capacity`.

use super::model::{GangModel, HOST, NodeModel, PodModel, World};

/// Pods on nodes, with gang and part of each pod that belongs to a gang.
type Placement<'a> = Vec<(usize, &'a PodModel, Option<(usize, usize)>)>;

fn bound(world: &World) -> Placement<'_> {
    let bound = world.bound.iter();
    bound.map(|(node, pod)| (*node, pod, None)).collect()
}

/// Whether a pod of that gang and part may join the placed pods on that node.
fn may_add(
    world: &World,
    placement: &Placement<'_>,
    pod: &PodModel,
    (gang, part): (usize, usize),
    node: usize,
) -> bool {
    let target = &world.nodes[node];
    let there = || {
        placement
            .iter()
            .filter(|(at, _, _)| *at == node)
            .map(|(_, p, _)| p)
    };
    let is_enough = |wanted: i64, all: i64, of: fn(&PodModel) -> i64| {
        wanted == 0 || there().map(|p| of(p)).sum::<i64>() + wanted <= all
    };
    is_enough(pod.cpu, target.cpu, |p| p.cpu)
        && is_enough(pod.gpu, target.gpu, |p| p.gpu)
        && is_enough(1, target.pods, |_| 1)
        && (pod.bears_taint || !target.is_tainted)
        && !(pod.has_port && there().any(|p| p.has_port))
        && placement.iter().all(|(at, other, _)| {
            let other_node = (&world.nodes[*at], *at);
            !repels(pod, other, (target, node), other_node)
                && !repels(other, pod, (target, node), other_node)
        })
        && shares_zone(world, placement, (gang, part), node)
}

/// Whether the pod must not be near the other one.
fn repels(
    one: &PodModel,
    other: &PodModel,
    (a, a_number): (&NodeModel, usize),
    (b, b_number): (&NodeModel, usize),
) -> bool {
    one.repels.is_some_and(|term| {
        let is_near = if term.key == HOST {
            a_number == b_number
        } else {
            a.zone.is_some() && a.zone == b.zone
        };
        term.app == other.app && is_near
    })
}

fn shares_zone(
    world: &World,
    placement: &Placement<'_>,
    (gang, part): (usize, usize),
    node: usize,
) -> bool {
    let GangModel { parts, is_packed } = &world.gangs[gang];
    let zone = world.nodes[node].zone;
    let mut others = placement
        .iter()
        .filter_map(|(at, _, of)| Some((*at, (*of)?)));
    let is_bound = *is_packed || parts[part].is_packed;
    let agrees = |(at, (g, p)): (usize, (usize, usize))| {
        let is_same = g == gang && (*is_packed || (p == part && parts[part].is_packed));
        !is_same || world.nodes[at].zone == zone
    };
    !is_bound || (zone.is_some() && others.all(agrees))
}

/// Adds the pods of a placement one after the other; the error names the first wrong pod.
pub fn check(world: &World, places: &[(usize, usize, usize)]) -> Result<(), String> {
    let mut placement = bound(world);
    for (gang, part, node) in places {
        let pod = &world.gangs[*gang].parts[*part].pod;
        if !may_add(world, &placement, pod, (*gang, *part), *node) {
            return Err(format!(
                "part {part} of gang {gang} may not be on node {node}"
            ));
        }
        placement.push((*node, pod, Some((*gang, *part))));
    }
    Ok(())
}
