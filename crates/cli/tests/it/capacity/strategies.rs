//! Any small clusters and gangs.

use proptest::prelude::*;

use super::model::{
    GangModel, HOST, NodeModel, PartModel, PodModel, Repels, World, ZONE, node, part, pod,
};

fn some_repels() -> impl Strategy<Value = Option<Repels>> {
    let one = (
        prop_oneof![Just('a'), Just('b')],
        prop_oneof![Just(HOST), Just(ZONE)],
    );
    prop::option::weighted(0.25, one.prop_map(|(app, key)| Repels { app, key }))
}

fn some_pod() -> impl Strategy<Value = PodModel> {
    let app = prop_oneof![Just('a'), Just('b')];
    let is_set = || prop::bool::weighted(0.15);
    (
        0..4_i64,
        0..3_i64,
        app,
        prop::bool::ANY,
        some_repels(),
        is_set(),
    )
        .prop_map(|(cpu, gpu, app, bears_taint, repels, has_port)| PodModel {
            cpu,
            gpu,
            app,
            bears_taint,
            repels,
            has_port,
        })
}

pub fn some_node() -> impl Strategy<Value = NodeModel> {
    let zone = prop::option::weighted(0.9, 0..2_u8);
    (
        1..7_i64,
        0..5_i64,
        1..6_i64,
        zone,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(cpu, gpu, pods, zone, is_tainted)| NodeModel {
            cpu,
            gpu,
            pods,
            zone,
            is_tainted,
        })
}

fn some_gang() -> impl Strategy<Value = GangModel> {
    let packed = || prop::bool::weighted(0.15);
    let part = (some_pod(), 0..4_u32, 0..2_u32, packed()).prop_map(
        |(pod, guaranteed, best_effort, is_packed)| PartModel {
            pod,
            guaranteed,
            best_effort,
            is_packed,
        },
    );
    let parts = prop::collection::vec(part, 1..3);
    (parts, packed()).prop_map(|(parts, is_packed)| GangModel { parts, is_packed })
}

/// Up to so many gangs on 1 to 4 nodes, with up to 3 pods there.
pub fn some_world(gangs: usize) -> impl Strategy<Value = World> {
    let nodes = prop::collection::vec(some_node(), 1..5);
    let bound = prop::collection::vec((0..4_usize, some_pod()), 0..4);
    let gangs = prop::collection::vec(some_gang(), 1..=gangs);
    (nodes, bound, gangs).prop_map(|(nodes, bound, gangs)| {
        let bound = bound.into_iter().map(|(at, pod)| (at % nodes.len(), pod));
        World {
            bound: bound.collect(),
            nodes,
            gangs,
        }
    })
}

/// Pods that fill their nodes, or nearly: of a gang of them, only few placements are one, or none
/// if one pod is a little larger. What keeps pods apart is told by the nodes that they came from.
pub fn some_full_world() -> impl Strategy<Value = World> {
    let one = (
        1..6_i64,
        0..4_i64,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
    );
    let of_node = (
        prop::collection::vec(one, 1..4),
        0..3_u8,
        prop::bool::weighted(0.2),
    );
    let nodes = prop::collection::vec(of_node, 2..5);
    let larger = prop::option::of((0..12_usize, prop::bool::ANY));
    let split = (
        1..3_usize,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
    );
    (nodes, larger, split).prop_map(|(filled, larger, (gangs, has_zones, is_packed))| {
        let (mut nodes, mut pods) = (Vec::new(), Vec::new());
        for (own, zone, is_tainted) in &filled {
            let sum = |of: fn(&(i64, i64, bool, bool)) -> i64| own.iter().map(of).sum::<i64>();
            nodes.push(NodeModel {
                zone: has_zones.then_some(*zone % 2),
                pods: i64::try_from(own.len()).unwrap() + i64::from(*zone == 0),
                is_tainted: *is_tainted,
                ..node(sum(|p| p.0) + i64::from(*zone == 2), sum(|p| p.1))
            });
            let first = |(i, _): &(usize, &(i64, i64, bool, bool))| *i == 0;
            for one in own.iter().enumerate() {
                let (is_first, (_, (cpu, gpu, repels, has_port))) = (first(&one), one);
                let key = if has_zones { ZONE } else { HOST };
                pods.push(PodModel {
                    app: if is_first { 'a' } else { 'b' },
                    bears_taint: *is_tainted,
                    repels: (is_first && *repels).then_some(Repels { app: 'a', key }),
                    has_port: is_first && *has_port,
                    ..pod(*cpu, *gpu)
                });
            }
        }
        if let Some((number, is_gpu)) = larger {
            let count = pods.len();
            let pod = &mut pods[number % count];
            *(if is_gpu { &mut pod.gpu } else { &mut pod.cpu }) += 1;
        }
        World {
            nodes,
            bound: Vec::new(),
            gangs: split_into(gangs, pods, is_packed),
        }
    })
}

/// The pods in turn, equal ones as one part.
fn split_into(gangs: usize, pods: Vec<PodModel>, is_packed: bool) -> Vec<GangModel> {
    let mut all = vec![
        GangModel {
            parts: Vec::new(),
            is_packed
        };
        gangs
    ];
    for (i, pod) in pods.into_iter().enumerate() {
        let parts = &mut all[i % gangs].parts;
        match parts.iter_mut().find(|part| part.pod == pod) {
            Some(part) => part.guaranteed += 1,
            None => parts.push(part(pod, 1)),
        }
    }
    all
}
