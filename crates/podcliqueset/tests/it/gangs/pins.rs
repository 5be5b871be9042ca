//! Pods of sets with topology constraints: which ones a gang lists, and with which node labels.

mod joining;
mod lost_levels;

use std::sync::Arc;

use api::podgang::PodGroup;
use api::topology::{TopologyConstraint, TopologyPack};
use api::{PodCliqueSet, PodGang, labels};
use domain::Node;
use domain::plan::{Action, Purpose};
use domain::scheduling::Backend;
use domain::topology::Levels;
use podcliqueset::Snapshot;
use serde_json::json;
use testkit::builders::{PodBuilder, set};

use crate::situation::{carry_out, demo, fill, fill_all, laid_out, plan};

pub(super) fn required(domain: &str) -> TopologyConstraint {
    TopologyConstraint {
        topology_name: "fabric".into(),
        pack: Some(TopologyPack {
            required: domain.into(),
            ..TopologyPack::default()
        }),
        ..TopologyConstraint::default()
    }
}

/// A frontend and a group of two required replicas and one more, all in one zone.
fn in_one_zone() -> Snapshot {
    let mut set = demo().build();
    set.spec.template.topology_constraint = Some(required("zone"));
    know_topology(laid_out(&set))
}

/// One clique of 3 pods of which 2 are required, in one rack.
fn in_one_rack() -> Snapshot {
    let mut set = set("demo")
        .clique("frontend", |c| c.replicas(3).min(2))
        .build();
    set.spec.template.cliques[0].topology_constraint = Some(required("rack"));
    know_topology(laid_out_alone(&set))
}

fn laid_out_alone(set: &PodCliqueSet) -> Snapshot {
    let mut snapshot = crate::situation::alone(set);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    snapshot
}

fn know_topology(mut snapshot: Snapshot) -> Snapshot {
    let levels = json!([
        {"domain": "zone", "key": "zone"}, {"domain": "rack", "key": "rack"},
        {"domain": "host", "key": "host"},
    ]);
    snapshot.topology.is_enabled = true;
    snapshot.topology.levels = Levels::from_text(&levels.to_string());
    snapshot.topology.reference = "fabric".into();
    snapshot.topology.may_read_nodes = true;
    for name in ["z0.r0", "z0.r1", "z1.r0"] {
        let (zone, rack) = name.split_once('.').unwrap();
        let node = json!({"metadata": {"name": name, "labels": {"zone": zone, "rack": rack}}});
        let node: Node = serde_json::from_value(node).unwrap();
        snapshot.topology.nodes.insert(name.into(), Arc::new(node));
    }
    snapshot
}

fn on(node: &'static str) -> impl Fn(PodBuilder) -> PodBuilder {
    move |pod| {
        pod.ready()
            .with(|p| p.spec.node_name = Some(node.to_owned()))
    }
}

/// The gangs that the plan writes, each part with its pods as `<index>[@<node labels>]`.
fn listed(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let writes = plan.waves.iter().flatten();
    let gangs = writes.filter_map(|action| action.written::<PodGang>());
    gangs
        .flat_map(|gang| gang.spec.pod_groups.iter().map(show))
        .collect()
}

fn show(group: &PodGroup) -> String {
    let pods = group.pod_references.iter().map(|pod| {
        let (_, index) = pod.name.rsplit_once("-p").unwrap();
        let number: i32 = index.parse().unwrap();
        let mut placements = group.placements.iter();
        let placed = placements.find(|p| p.indexes.contains(&number));
        let labels = placed.map(|p| p.node_selector.values().cloned().collect::<Vec<_>>());
        labels.map_or(index.to_owned(), |l| format!("{index}@{}", l.join(".")))
    });
    format!("{}: {}", group.name, pods.collect::<Vec<_>>().join(" "))
}

fn freed(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let writes = plan.waves.iter().flatten();
    let deletes = writes.filter(
        |action| matches!(action, Action::Delete { purpose, .. } if *purpose == Purpose::FreePod),
    );
    deletes.map(|action| action.key().name).collect()
}

fn store(snapshot: &mut Snapshot) {
    let planned = plan(snapshot);
    carry_out(snapshot, &planned);
}

#[test]
fn a_gang_starts_with_its_minimum_and_the_rest_follows_into_its_domain() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1"]);
    store(&mut snapshot);
    assert!(listed(&snapshot).is_empty(), "nobody has a node yet");
    fill(&mut snapshot, "demo-0-frontend", 2, on("z0.r1"));
    let third = testkit::builders::pod(&snapshot.podcliques["demo-0-frontend"].podclique, 2);
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    part.pods.push(third.build());
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1 2@r1.z0"]);
}

/// Its scheduler keeps a group in one rack itself, and looks at no pod of it while another has a gate.
#[test]
fn a_gang_whose_scheduler_waits_for_gates_starts_as_a_whole() {
    let mut snapshot = in_one_rack();
    snapshot.scheduler.backend = Backend::Kubernetes;
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1 2"]);
}

/// Three pods for a minimum of two could be placed in two steps, the second in another rack.
#[test]
fn a_listed_pod_above_the_minimum_leaves_room_for_one_less() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    store(&mut snapshot);
    let clique = snapshot.podcliques["demo-0-frontend"].podclique.clone();
    let gang = Arc::make_mut(&mut snapshot.children.gangs[0]);
    let references = &mut gang.spec.pod_groups[0].pod_references;
    references[0].name = "demo-0-frontend-p1".to_owned();
    references[1].name = "demo-0-frontend-p2".to_owned();
    let new = |index: i32| {
        let pod = testkit::builders::pod(&clique, index);
        let rename = |pod: &mut domain::Pod| {
            pod.metadata.name = Some(format!("demo-0-frontend-new-p{index}"));
            pod.metadata.uid = Some(format!("new-{index}"));
        };
        pod.with(rename).build()
    };
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    part.pods = vec![new(0), new(1), part.pods[2].clone()];
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 2"]);
}

#[test]
fn nothing_joins_while_a_node_is_not_known() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    store(&mut snapshot);
    fill(&mut snapshot, "demo-0-frontend", 2, on("z0.r1"));
    let third = testkit::builders::pod(&snapshot.podcliques["demo-0-frontend"].podclique, 2);
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    part.pods.push(third.build());
    snapshot.topology.nodes.remove("z0.r1");
    assert!(listed(&snapshot).is_empty());
}

#[test]
fn pods_of_a_scattered_scope_join_freely() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    store(&mut snapshot);
    let clique = snapshot.podcliques["demo-0-frontend"].podclique.clone();
    let pods = [Some("z0.r0"), Some("z0.r1"), None].into_iter().enumerate();
    let pods = pods.map(|(k, node)| {
        let pod = testkit::builders::pod(&clique, i32::try_from(k).unwrap());
        match node {
            Some(node) => on(node)(pod).build(),
            None => pod.build(),
        }
    });
    snapshot.podcliques.get_mut("demo-0-frontend").unwrap().pods = pods.collect();
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1 2"]);
}

#[test]
fn a_scaled_gang_follows_the_base_gang_into_the_zone_of_the_set() {
    let mut snapshot = in_one_zone();
    fill_all(&mut snapshot, |p| p);
    snapshot.scheduler.orders_gangs = true;
    let gangs = listed(&snapshot);
    assert!(gangs.iter().all(|part| !part.contains("g-2")), "{gangs:?}");
    store(&mut snapshot);
    assert!(
        listed(&snapshot).is_empty(),
        "the base gang chooses the zone"
    );
    for name in ["demo-0-frontend", "demo-0-g-0-leader", "demo-0-g-1-leader"] {
        fill(&mut snapshot, name, 1, on("z1.r0"));
    }
    for name in ["demo-0-g-0-worker", "demo-0-g-1-worker"] {
        fill(&mut snapshot, name, 2, on("z1.r0"));
    }
    assert_eq!(
        listed(&snapshot),
        ["demo-0-g-2-leader: 0@z1", "demo-0-g-2-worker: 0@z1 1@z1"]
    );
}

/// The frontend is not in the group, and in any rack.
#[test]
fn all_replicas_of_a_group_follow_the_first_into_its_rack() {
    let mut set = set("demo")
        .clique("frontend", |c| c)
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(3).min(1))
        .build();
    let group = &mut set.spec.template.scaling_groups[0];
    group.all_replicas_topology_constraint = Some(required("rack"));
    let mut snapshot = know_topology(laid_out(&set));
    fill_all(&mut snapshot, |p| p);
    snapshot.scheduler.orders_gangs = true;
    assert_eq!(
        listed(&snapshot),
        [
            "demo-0-frontend: 0",
            "demo-0-g-0-leader: 0",
            "demo-0-g-0-worker: 0 1"
        ],
        "the base gang chooses the rack"
    );
    store(&mut snapshot);
    fill(&mut snapshot, "demo-0-frontend", 1, on("z0.r0"));
    assert!(
        listed(&snapshot).is_empty(),
        "the base gang is not placed yet"
    );
    fill(&mut snapshot, "demo-0-g-0-leader", 1, on("z1.r0"));
    fill(&mut snapshot, "demo-0-g-0-worker", 2, on("z1.r0"));
    assert_eq!(
        listed(&snapshot),
        [
            "demo-0-g-1-leader: 0@r0.z1",
            "demo-0-g-1-worker: 0@r0.z1 1@r0.z1",
            "demo-0-g-2-leader: 0@r0.z1",
            "demo-0-g-2-worker: 0@r0.z1 1@r0.z1"
        ]
    );
    store(&mut snapshot);
    let of_gang = |name: &str| {
        let mut gangs = snapshot.children.gangs.iter();
        let gang = gangs.find(|gang| gang.metadata.name.as_deref() == Some(name));
        gang.unwrap().spec.clone()
    };
    let base = of_gang("demo-0");
    assert_eq!(base.topology_constraint_group_configs[0].name, "demo-0-g-0");
    assert!(base.scaling_group_topology_constraints.is_empty());
    assert!(of_gang("demo-0-g-0").topology_constraint.is_some());
}

#[test]
fn a_gang_bears_the_constraints_and_the_levels_with_which_it_started() {
    let mut snapshot = in_one_zone();
    fill_all(&mut snapshot, |p| p);
    store(&mut snapshot);
    let gang = &snapshot.children.gangs[0];
    let annotations = gang.metadata.annotations.clone().unwrap();
    assert_eq!(annotations[labels::TOPOLOGY_NAME], "fabric");
    assert_eq!(
        annotations[labels::TOPOLOGY_LEVELS],
        r#"[{"domain":"zone","key":"zone"}]"#
    );
    let pack = gang
        .spec
        .topology_constraint
        .clone()
        .unwrap()
        .pack_constraint;
    assert_eq!(pack.unwrap().required.as_deref(), Some("zone"));
    snapshot.topology.levels = Levels::from_text(r#"[{"domain":"zone","key":"other"}]"#);
    assert!(
        listed(&snapshot).is_empty(),
        "a running gang keeps its levels"
    );
}

#[test]
fn a_missing_level_holds_new_gangs_and_no_running_one() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, on("z0.r1"));
    store(&mut snapshot);
    snapshot.topology.levels = None;
    fill(&mut snapshot, "demo-0-frontend", 2, on("z0.r1"));
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let new = testkit::builders::pod(&part.podclique, 2).with(|p| {
        p.metadata.name = Some("demo-0-frontend-new-p2".into());
        p.metadata.uid = Some("new".into());
    });
    part.pods.push(new.build());
    assert_eq!(listed(&snapshot), ["demo-0-frontend: 0 1 2@r1.z0"]);
}

#[test]
fn a_pin_to_a_domain_that_is_empty_now_is_given_up() {
    let mut snapshot = in_one_rack();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    store(&mut snapshot);
    let pin = |p: PodBuilder| {
        p.ungated().with(|p| {
            let pin = (
                labels::PINNED.to_owned(),
                r#"{"rack":"r1","zone":"z0"}"#.to_owned(),
            );
            p.metadata.annotations = Some([pin].into());
        })
    };
    fill(&mut snapshot, "demo-0-frontend", 2, pin);
    assert_eq!(
        freed(&snapshot),
        ["demo-0-frontend-p0", "demo-0-frontend-p1"]
    );
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let same = on("z0.r1")(testkit::builders::pod(&part.podclique, 2)).build();
    let other = on("z0.r0")(testkit::builders::pod(&part.podclique, 2)).build();
    part.pods.push(same);
    assert!(freed(&snapshot).is_empty(), "its peer runs in that rack");
    let part = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    part.pods[2] = other;
    assert_eq!(freed(&snapshot).len(), 2, "its peer runs elsewhere");
}

/// An inner scope that requires the level of an outer one has no domain of its own to choose.
#[test]
fn the_domain_of_an_outer_scope_is_no_reason_to_give_a_pin_up() {
    let mut set = demo().build();
    set.spec.template.topology_constraint = Some(required("rack"));
    set.spec.template.cliques[1].topology_constraint = Some(required("rack"));
    let mut snapshot = know_topology(laid_out(&set));
    fill_all(&mut snapshot, |p| p);
    store(&mut snapshot);
    for name in ["demo-0-frontend", "demo-0-g-0-leader", "demo-0-g-1-leader"] {
        fill(&mut snapshot, name, 1, on("z1.r0"));
    }
    for name in ["demo-0-g-0-worker", "demo-0-g-1-worker"] {
        fill(&mut snapshot, name, 2, on("z1.r0"));
    }
    store(&mut snapshot);
    let wanted = snapshot
        .children
        .gangs
        .iter()
        .flat_map(|gang| &gang.spec.pod_groups);
    let leader = wanted.map(show).find(|part| part.contains("g-2-leader"));
    assert_eq!(leader.as_deref(), Some("demo-0-g-2-leader: 0@r0.z1"));
    assert!(freed(&snapshot).is_empty());
    let pin = |p: PodBuilder| {
        p.ungated().with(|p| {
            let pin = (
                labels::PINNED.to_owned(),
                r#"{"rack":"r0","zone":"z1"}"#.to_owned(),
            );
            p.metadata.annotations = Some([pin].into());
        })
    };
    fill(&mut snapshot, "demo-0-g-2-leader", 1, pin);
    assert!(freed(&snapshot).is_empty());
}
