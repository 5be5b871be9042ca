//! An operator that may not read nodes does not know in which topology domain pods run: it says so, and
//! holds nothing. If it may not read the levels either, gangs that require one wait, and that comes first.

use api::conditions::{self, ConditionType};
use api::topology::TopologyConstraint;
use domain::scheduling::{Backend, UnsupportedFeature};
use domain::topology::Levels;
use podcliqueset::Snapshot;
use podcliqueset::observe::TopologyFacts;
use rstest::rstest;

use super::lists;
use super::pins::required;
use crate::situation::{carry_out, demo, fill_all, laid_out, plan};

const NOT_READABLE: &str = "True NodesNotReadable: the operator may not read nodes, so pods that join later \
                            are not kept in the topology domain of those that run; upgrade its chart, \
                            which grants its ServiceAccount get, list and watch on nodes";
const NO_BINDINGS: &str = "the operator may not read ClusterTopologyBindings: upgrade its chart, which \
                           brings their definition and the right to read them";
const NEITHER: &str = "the operator may read neither ClusterTopologyBindings nor nodes: upgrade its chart \
                       with `watchNamespaces: []`, or create the set again with pack.preferred";
const NO_DOMAINS: &str = "default-scheduler cannot keep pods in one topology domain: ";
const DISABLED: &str = "topology constraints are disabled: ";
const LEVELS: &str = r#"[{"domain":"zone","key":"zone"},{"domain":"rack","key":"rack"}]"#;

fn preferred() -> TopologyConstraint {
    let mut constraint = required("");
    if let Some(pack) = &mut constraint.pack {
        "rack".clone_into(&mut pack.preferred);
    }
    constraint
}

/// A set with this constraint and all its pods.
fn filled(constraint: Option<TopologyConstraint>, may_read_nodes: bool) -> Snapshot {
    let set = demo().with(|set| set.spec.template.topology_constraint = constraint);
    let mut snapshot = laid_out(&set.build());
    fill_all(&mut snapshot, |p| p);
    snapshot.topology.is_enabled = true;
    snapshot.topology.levels = Levels::from_text(LEVELS);
    snapshot.topology.may_read_nodes = may_read_nodes;
    snapshot
}

/// Condition `SchedulingFeatureUnsupported` of the next status.
fn report_of(snapshot: &Snapshot) -> Option<String> {
    let status = plan(snapshot).status.unwrap();
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let found = conditions::find(&status.conditions, type_)?;
    Some(format!(
        "{} {}: {}",
        found.status, found.reason, found.message
    ))
}

#[rstest]
#[case::blind(Some(required("rack")), false, Some(NOT_READABLE))]
#[case::sees(Some(required("rack")), true, None)]
#[case::requires_nothing(Some(preferred()), false, None)]
#[case::no_constraint(None, false, None)]
fn nodes_that_may_not_be_read_are_reported_where_a_level_is_required(
    #[case] constraint: Option<TopologyConstraint>,
    #[case] may_read_nodes: bool,
    #[case] expected: Option<&str>,
) {
    let snapshot = filled(constraint, may_read_nodes);
    assert_eq!(report_of(&snapshot).as_deref(), expected);
}

#[test]
fn its_gangs_start_all_the_same() {
    let snapshot = filled(Some(required("rack")), false);
    let free = filled(None, false);
    let started = lists(&plan(&snapshot));
    assert!(!started.is_empty());
    assert_eq!(started, lists(&plan(&free)));
}

/// A cause that holds gangs comes first, and the report goes with its cause.
#[test]
fn a_missing_scheduler_comes_first_and_readable_nodes_take_the_report_back() {
    let mut snapshot = filled(Some(required("rack")), false);
    let missing = UnsupportedFeature::NotServed(Backend::KaiScheduler);
    snapshot.scheduler.unsupported = Some(missing);
    let first = report_of(&snapshot).unwrap();
    assert!(first.starts_with("True SchedulerNotInstalled: "), "{first}");
    snapshot.scheduler.unsupported = None;
    let reported = plan(&snapshot);
    carry_out(&mut snapshot, &reported);
    assert_eq!(report_of(&snapshot).as_deref(), Some(NOT_READABLE));
    snapshot.topology.may_read_nodes = true;
    assert_eq!(report_of(&snapshot), None);
}

/// With rights to read bindings and nodes. An operator of some namespaces has neither.
#[rstest]
#[case::of_some_namespaces(Backend::Kubernetes, true, (false, false), Some(NEITHER))]
#[case::of_some_namespaces_with_kai(Backend::KaiTree, true, (false, false), Some(NEITHER))]
#[case::scheduler_comes_first(Backend::DefaultScheduler, true, (false, false), Some(NO_DOMAINS))]
#[case::configuration_comes_first(Backend::Kubernetes, false, (false, false), Some(DISABLED))]
#[case::without_bindings(Backend::Kubernetes, true, (false, true), Some(NO_BINDINGS))]
#[case::without_nodes(Backend::Kubernetes, true, (true, false), None)]
#[case::with_both(Backend::Kubernetes, true, (true, true), None)]
fn gangs_that_require_a_level_wait_for_the_right_to_read_it(
    #[case] backend: Backend,
    #[case] is_enabled: bool,
    #[case] rights: (bool, bool),
    #[case] expected: Option<&str>,
) {
    let (may_read_bindings, may_read_nodes) = rights;
    let set = demo().with(|set| set.spec.template.topology_constraint = Some(required("rack")));
    let facts = TopologyFacts {
        is_enabled,
        levels: Levels::from_text(LEVELS).filter(|_| may_read_bindings),
        may_read_bindings,
        may_read_nodes,
        ..TopologyFacts::default()
    };
    let found = facts.find_unsupported(&set.build(), backend);
    let found = found.map(|cause| cause.describe());
    assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
    if let Some((found, expected)) = found.zip(expected) {
        let words = format!("gangs that have not started stay gated: {expected}");
        assert!(found.starts_with(&words), "{found}");
    }
}

#[test]
fn unreadable_levels_come_before_unreadable_nodes() {
    let mut snapshot = filled(Some(required("rack")), false);
    snapshot.topology.levels = None;
    let set = &snapshot.validated.set;
    let cause = snapshot.topology.find_unsupported(set, Backend::Kubernetes);
    snapshot.scheduler.unsupported = cause.map(UnsupportedFeature::Topology);
    let expected =
        format!("True TopologyUnavailable: gangs that have not started stay gated: {NEITHER}");
    assert_eq!(report_of(&snapshot), Some(expected));
}

#[rstest]
#[case::missing(true, "ClusterTopologyBinding fabric does not exist")]
#[case::unread(false, "the operator may not read ClusterTopologyBindings")]
fn a_binding_that_nobody_may_read_is_not_called_missing(
    #[case] may_read_bindings: bool,
    #[case] expected: &str,
) {
    let mut snapshot = filled(Some(required("rack")), true);
    snapshot.topology.levels = None;
    snapshot.topology.may_read_bindings = may_read_bindings;
    let status = plan(&snapshot).status.unwrap();
    let type_ = ConditionType::TopologyLevelsUnavailable;
    let found = conditions::find(&status.conditions, type_).unwrap();
    assert_eq!(found.reason, "ClusterTopologyNotFound");
    assert_eq!(found.message, expected);
}
