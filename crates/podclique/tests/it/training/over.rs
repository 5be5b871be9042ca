//! PodCliques of a job that is over.

use std::sync::Arc;

use api::PodCliqueStatus;
use api::conditions::{self, ConditionType};
use rstest::rstest;
use serde_json::json;
use testkit::builders::pod;

use super::{breach, clique, failed, status, succeeded};
use crate::situation::{plan, situation, writes};

#[test]
fn when_the_job_is_over_unfinished_pods_go_and_finished_ones_keep_their_logs() {
    let clique = clique(4, 4, true);
    let pods = vec![
        pod(&clique, 0).ready(),
        succeeded(pod(&clique, 1)),
        failed(pod(&clique, 2)),
    ];
    let mut snapshot = situation(&clique, pods);
    snapshot.set.as_mut().unwrap().is_over = true;
    snapshot.may_create = false;
    insta::assert_snapshot!(writes(&plan(&snapshot)));
}

/// The result of the job is known, and its PodCliques report that none of their pods runs.
#[test]
fn a_job_that_was_given_up_is_not_ready() {
    let clique = clique(2, 2, true);
    let up = vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()];
    let mut ran = (*clique).clone();
    ran.status = Some(status(&situation(&clique, up)));
    let is_ready = |c: &PodCliqueStatus| conditions::is_true(&c.conditions, ConditionType::Ready);
    assert!(is_ready(ran.status.as_ref().unwrap()));
    let mut snapshot = situation(&Arc::new(ran), vec![]);
    snapshot.set.as_mut().unwrap().is_over = true;
    let status = status(&snapshot);
    assert!(!is_ready(&status));
}

/// The set's event reports the cause of the end; the other PodCliques lose their pods then, which
/// is no failure.
#[test]
fn a_job_that_is_over_has_no_new_breaches() {
    let clique = clique(2, 2, true);
    let up = vec![pod(&clique, 0).ready(), pod(&clique, 1).ready()];
    let mut ran = (*clique).clone();
    ran.status = Some(status(&situation(&clique, up)));
    let ran = Arc::new(ran);
    let mut snapshot = situation(&ran, vec![]);
    snapshot.set.as_mut().unwrap().is_over = true;
    assert_eq!(breach(&snapshot), "False/SufficientReadyPods");
    snapshot.set.as_mut().unwrap().is_over = false;
    assert_eq!(breach(&snapshot), "True/InsufficientReadyPods");
}

/// Its last phase comes a second or two after its container ended: deleted between the two, it
/// would take its log along.
#[rstest]
#[case::never_badly("Never", 9, false)]
#[case::never_well("Never", 0, false)]
#[case::on_failure_well("OnFailure", 0, false)]
#[case::on_failure_badly("OnFailure", 9, true)]
fn a_pod_whose_containers_have_ended_for_good_stays(
    #[case] policy: &str,
    #[case] code: i32,
    #[case] is_deleted: bool,
) {
    let clique = clique(1, 1, true);
    let ended = pod(&clique, 0).ready().with(|p| {
        let status = json!({"name": "main", "state": {"terminated": {"exitCode": code}}});
        p.spec.restart_policy = policy.to_owned().into();
        p.status.container_statuses = vec![serde_json::from_value(status).unwrap()];
    });
    let mut snapshot = situation(&clique, vec![ended]);
    snapshot.set.as_mut().unwrap().is_over = true;
    snapshot.may_create = false;
    assert_eq!(writes(&plan(&snapshot)).contains("delete Pod"), is_deleted);
}
