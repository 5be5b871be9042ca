//! An operator that may not read nodes does not know in which topology domain pods run: it says so, and
//! holds nothing.

use api::conditions::{self, ConditionType};
use api::topology::TopologyConstraint;
use domain::scheduling::{Backend, UnsupportedFeature};
use domain::topology::Levels;
use podcliqueset::Snapshot;
use rstest::rstest;

use super::lists;
use super::pins::required;
use crate::situation::{carry_out, demo, fill_all, laid_out, plan};

const NOT_READABLE: &str = "True NodesNotReadable: the operator may not read nodes, so pods that join later \
                            are not kept in the topology domain of those that run; install the chart \
                            without config.watchNamespaces";

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
    let levels = r#"[{"domain":"zone","key":"zone"},{"domain":"rack","key":"rack"}]"#;
    snapshot.topology.is_enabled = true;
    snapshot.topology.levels = Levels::from_text(levels);
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
