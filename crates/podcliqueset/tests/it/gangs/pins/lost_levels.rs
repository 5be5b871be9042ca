//! Gangs that lose a level to a change of their binding before any of their pods has a node.

use rstest::rstest;

use super::*;

const FRONT: &str = "demo-0-frontend";
const RENAMED: &str = r#"[{"domain":"zone","key":"zone"},{"domain":"rack","key":"row"}]"#;

type Change = fn(PodBuilder) -> PodBuilder;

fn bind(pod: PodBuilder) -> PodBuilder {
    on("z0.r1")(pod)
}

/// Another pod at the index.
fn rename(pod: PodBuilder) -> PodBuilder {
    pod.with(|p| {
        let name = p.metadata.name.take().unwrap_or_default();
        p.metadata.name = Some(format!("{name}-again"));
    })
}

fn pin(pod: PodBuilder) -> PodBuilder {
    pod.ungated().with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::PINNED.into(), r#"{"rack":"r1","zone":"z0"}"#.into());
    })
}

/// A gang in one rack that is listed, whose binding has another node label for racks since.
fn renamed(backend: Backend, change: Change) -> Snapshot {
    let mut snapshot = in_one_rack();
    snapshot.scheduler.backend = backend;
    fill(&mut snapshot, FRONT, 3, |p| p);
    store(&mut snapshot);
    fill(&mut snapshot, FRONT, 3, change);
    snapshot.topology.levels = Levels::from_text(RENAMED);
    snapshot
}

/// The key of the level that the part requires.
fn required_by(gang: &PodGang) -> Option<String> {
    let constraint = gang.spec.pod_groups[0].topology_constraint.as_ref()?;
    constraint.pack_constraint.as_ref()?.required.clone()
}

/// KAI would place none of its pods. A PodGroup of Kubernetes cannot be changed.
#[rstest]
#[case::waits_for_its_first_node(Backend::KaiScheduler, PodBuilder::ungated, "row")]
#[case::waits_beside_a_tree(Backend::KaiTree, PodBuilder::ungated, "row")]
#[case::has_a_node(Backend::KaiScheduler, bind, "rack")]
#[case::has_a_pin(Backend::KaiScheduler, pin, "rack")]
#[case::is_immutable(Backend::Kubernetes, PodBuilder::ungated, "rack")]
fn a_listed_gang_takes_the_present_levels_while_none_of_its_pods_has_a_domain(
    #[case] backend: Backend,
    #[case] change: Change,
    #[case] expected: &str,
) {
    let mut snapshot = renamed(backend, change);
    store(&mut snapshot);
    let required = required_by(&snapshot.children.gangs[0]);
    assert_eq!(required.as_deref(), Some(expected));
}

#[test]
fn the_levels_that_it_takes_are_stored_in_one_write() {
    let mut snapshot = renamed(Backend::KaiScheduler, PodBuilder::ungated);
    store(&mut snapshot);
    let annotations = snapshot.children.gangs[0].metadata.annotations.clone();
    assert_eq!(annotations.unwrap()[labels::TOPOLOGY_LEVELS], RENAMED);
    assert!(listed(&snapshot).is_empty(), "it is written once");
    // A level that is added changes nothing.
    let more = RENAMED.replacen('[', r#"[{"domain":"region","key":"region"},"#, 1);
    snapshot.topology.levels = Levels::from_text(&more);
    assert!(listed(&snapshot).is_empty(), "no level of it is lost");
}

/// The Topology that the gang names may be gone, and KAI places no pod then.
#[rstest]
#[case::waits_for_its_first_node(PodBuilder::ungated, "dc")]
#[case::starts_again(rename, "dc")]
#[case::has_a_node(bind, "fabric")]
fn a_gang_without_nodes_takes_the_topology_that_its_binding_names_now(
    #[case] change: Change,
    #[case] expected: &str,
) {
    let mut snapshot = in_one_rack();
    snapshot.scheduler.backend = Backend::KaiScheduler;
    fill(&mut snapshot, FRONT, 3, |p| p);
    store(&mut snapshot);
    fill(&mut snapshot, FRONT, 3, change);
    snapshot.topology.reference = "dc".into();
    store(&mut snapshot);
    let annotations = snapshot.children.gangs[0].metadata.annotations.clone();
    assert_eq!(annotations.unwrap()[labels::TOPOLOGY_NAME], expected);
}
