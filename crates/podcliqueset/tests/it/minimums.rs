//! `minAvailable` is fixed at creation: a change in the set is reported, and no existing object
//! gets it.

use std::sync::Arc;

use api::conditions::Reason;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodCliqueSetStatus};
use domain::plan::Plan;
use engine::Caches;
use podcliqueset::decide::decide;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use testkit::builders::after;

use crate::situation::{demo, laid_out};

/// The running set with this change.
fn after_edit(edit: impl FnOnce(&mut PodCliqueSet)) -> Plan<PodCliqueSetStatus> {
    let snapshot: Snapshot = laid_out(&demo().build());
    let caches = Caches::default();
    for group in &snapshot.children.groups {
        caches
            .of::<PodCliqueScalingGroup>()
            .apply((**group).clone());
    }
    for seen in snapshot.podcliques.values() {
        caches.of::<PodClique>().apply((*seen.podclique).clone());
    }
    let mut changed = (*snapshot.stored).clone();
    edit(&mut changed);
    decide(
        &observe(
            &Arc::new(changed),
            &caches,
            &PodCliqueSetReconciler::default(),
        ),
        after(60),
    )
}

/// The minimums that the plan writes to PodCliques and groups, by name.
fn written(plan: &Plan<PodCliqueSetStatus>) -> Vec<(String, Option<i32>)> {
    let actions = plan.waves.iter().flatten();
    let objects = actions.filter_map(|action| {
        let podclique = action.written().map(|c: &PodClique| c.spec.min_available);
        let group = |g: &PodCliqueScalingGroup| g.spec.min_available;
        Some((
            action.key().name,
            podclique.or(action.written().map(group))?,
        ))
    });
    let mut written: Vec<_> = objects.collect();
    written.sort();
    written
}

fn error_messages(plan: &Plan<PodCliqueSetStatus>) -> Vec<&str> {
    let errors = &plan.status.as_ref().unwrap().last_errors;
    errors.iter().map(|e| e.description.as_str()).collect()
}

#[test]
fn a_raised_minimum_is_reported_and_changes_nothing_that_runs() {
    let plan = after_edit(|set| {
        let front = &mut set.spec.template.cliques[0].spec;
        (front.replicas, front.min_available) = (4, Some(4));
    });
    assert_eq!(written(&plan), [("demo-0-frontend".to_owned(), Some(1))]);
    let messages = error_messages(&plan);
    assert!(
        messages[0].starts_with("spec.template.cliques[0].spec.minAvailable: 4: "),
        "{messages:?}"
    );
    assert!(
        plan.events
            .iter()
            .any(|n| n.reason == Reason::InvalidSpec.into())
    );
    let status = plan.status.unwrap();
    let ready = api::conditions::find(&status.conditions, api::conditions::ConditionType::Ready);
    assert_eq!(ready.unwrap().reason, "InvalidSpec");
}

#[test]
fn a_raised_minimum_of_a_group_is_reported_and_its_gangs_stay() {
    let plan = after_edit(|set| set.spec.template.scaling_groups[0].min_available = Some(3));
    assert_eq!(written(&plan), []);
    assert_eq!(error_messages(&plan).len(), 1);
    assert!(!plan.to_string().contains("PodGang"), "{plan}");
}

#[test]
fn a_recreated_podclique_gets_the_minimum_of_existing_ones() {
    let plan = after_edit(|set| {
        set.spec.replicas = 2;
        set.spec.template.cliques[0].spec.min_available = Some(2);
        set.spec.template.scaling_groups[0].min_available = Some(3);
    });
    let expected = [("demo-1-frontend", 1), ("demo-1-g", 2)];
    let expected = expected.map(|(name, minimum)| (name.to_owned(), Some(minimum)));
    assert_eq!(written(&plan), expected);
}
