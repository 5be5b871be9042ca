//! The status.

use api::GoDuration;
use api::podcliqueset::PodCliqueSetPhase;
use insta::assert_snapshot;
use testkit::builders::PodBuilder;

use crate::situation::{alone, demo, fill, fill_all, laid_out, plan};

#[test]
fn counts_a_replica_whose_parts_are_all_available() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    assert_snapshot!(serde_json::to_string_pretty(&plan(&snapshot).status.unwrap()).unwrap());
}

#[test]
fn needs_the_minimum_of_every_part_and_no_more() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    fill(&mut snapshot, "demo-0-frontend", 1, PodBuilder::ready);
    fill(&mut snapshot, "demo-0-g-2-leader", 1, PodBuilder::bound);
    assert_eq!(plan(&snapshot).status.unwrap().available_replicas, 1);
    fill(&mut snapshot, "demo-0-g-1-worker", 1, PodBuilder::ready);
    assert_eq!(plan(&snapshot).status.unwrap().available_replicas, 0);
}

#[test]
fn runs_when_a_pod_runs() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::bound);
    assert_eq!(
        plan(&snapshot).status.unwrap().phase,
        Some(PodCliqueSetPhase::Pending)
    );
    fill(&mut snapshot, "demo-0-frontend", 1, PodBuilder::ready);
    assert_eq!(
        plan(&snapshot).status.unwrap().phase,
        Some(PodCliqueSetPhase::Running)
    );
}

#[test]
fn says_that_a_stored_delay_makes_no_sense_and_goes_on_without_termination() {
    let set = demo()
        .with(|s| s.spec.template.termination_delay = Some(GoDuration("0s".into())))
        .build();
    let plan = plan(&alone(&set));
    assert!(!plan.writes_nothing(), "everything else goes on");
    let status = plan.status.unwrap();
    assert_snapshot!(format!(
        "{} {}: {}",
        status.conditions[0].type_, status.conditions[0].reason, status.conditions[0].message
    ));
}

#[test]
fn takes_over_the_generation_that_another_implementation_wrote() {
    let set = demo()
        .with(|s| {
            s.status = Some(api::PodCliqueSetStatus {
                current_generation_hash: Some("64d9f5b87c".into()),
                ..Default::default()
            });
        })
        .build();
    let status = plan(&laid_out(&set)).status.unwrap();
    assert!(domain::workload::hash::is_ours(
        &status.current_generation_hash.unwrap()
    ));
}
