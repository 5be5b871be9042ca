//! All sets of a namespace together are bounded: a set without objects waits for room.

use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodCliqueSetStatus};
use domain::plan::Plan;
use domain::workload::limits::MAX_NAMESPACE_BYTES;
use engine::Caches;
use podcliqueset::PodCliqueSetReconciler;
use podcliqueset::decide::decide;
use podcliqueset::observe::observe;
use testkit::builders::after;

use crate::situation::{demo, laid_out};

/// A set of about this many bytes, created in that second.
fn set(name: &str, bytes: i128, second: i64) -> PodCliqueSet {
    let mut set = demo().build();
    set.metadata.name = Some(name.into());
    set.metadata.uid = Some(format!("uid-of-{name}"));
    set.metadata.resource_version = Some("1".into());
    let created = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(after(second));
    set.metadata.creation_timestamp = Some(created);
    let clique = &mut set.spec.template.cliques[0];
    let text = "x".repeat(usize::try_from(bytes).unwrap());
    clique.annotations.insert("long".into(), text);
    set
}

fn plan_beside(others: &[PodCliqueSet], set: &PodCliqueSet) -> Plan<PodCliqueSetStatus> {
    let caches = Caches::default();
    for other in others {
        caches.of::<PodCliqueSet>().apply(other.clone());
    }
    caches.of::<PodCliqueSet>().apply(set.clone());
    let set = Arc::new(set.clone());
    decide(
        &observe(&set, &caches, &PodCliqueSetReconciler::default()),
        after(60),
    )
}

fn reason(plan: &Plan<PodCliqueSetStatus>) -> String {
    let status = plan.status.as_ref().unwrap();
    let ready = status.conditions.iter().find(|c| c.type_ == "Ready");
    ready.map(|c| c.reason.clone()).unwrap_or_default()
}

#[test]
fn a_set_for_which_there_is_no_room_makes_nothing_and_says_so() {
    let large = set("large", MAX_NAMESPACE_BYTES - 1_000, 1);
    let plan = plan_beside(&[large], &set("demo", 0, 2));
    assert!(plan.writes_nothing(), "{plan}");
    assert_eq!(reason(&plan), "LimitExceeded");
    let errors = &plan.status.as_ref().unwrap().last_errors;
    assert_eq!(errors[0].code, "ERR_LIMIT_EXCEEDED");
    assert!(errors[0].description.starts_with("spec: "), "{errors:?}");
    assert!(
        errors[0]
            .description
            .contains("kubectl get podcliquesets -n"),
        "{errors:?}"
    );
}

#[test]
fn the_older_one_has_the_room() {
    let large = set("large", MAX_NAMESPACE_BYTES - 1_000, 2);
    let plan = plan_beside(&[large], &set("demo", 0, 1));
    assert!(!plan.writes_nothing(), "{plan}");
}

#[test]
fn what_runs_goes_on() {
    let large = set("large", MAX_NAMESPACE_BYTES - 1_000, 1);
    let demo = set("demo", 0, 2);
    let caches = Caches::default();
    for set in [&large, &demo] {
        caches.of::<PodCliqueSet>().apply(set.clone());
    }
    for seen in laid_out(&demo).podcliques.values() {
        caches.of::<PodClique>().apply((*seen.podclique).clone());
    }
    let snapshot = observe(&Arc::new(demo), &caches, &PodCliqueSetReconciler::default());
    assert!(snapshot.over_limits().is_empty());
}
