//! Statuses of jobs, for the tests of other tools that read them.

use api::podcliqueset::PodCliqueSetPhase;
use testkit::recorded::assert_recorded;

use super::{all, complete, fail, job, running, settle, stored};
use crate::situation::{carry_out, fill_all, plan};

#[test]
fn of_jobs() {
    assert_recorded("podcliqueset-job-runs", &*running(job(0, None)).stored);
    let mut done = running(job(0, None));
    for podclique in all(&done) {
        complete(&mut done, &podclique, true);
    }
    settle(&mut done);
    assert_recorded("podcliqueset-job-succeeded", &*done.stored);
    let mut failed = running(job(0, None));
    fail(&mut failed, "demo-0-frontend", 60);
    settle(&mut failed);
    fill_all(&mut failed, |p| p.bound().phase("Failed"));
    settle(&mut failed);
    assert_recorded("podcliqueset-job-failed", &*failed.stored);
}

/// `kubectl wait --for=condition=Succeeded` must not see a job in another phase.
#[test]
fn a_job_succeeds_by_phase_and_condition_at_once() {
    let mut snapshot = running(job(0, None));
    for podclique in all(&snapshot) {
        complete(&mut snapshot, &podclique, true);
    }
    for _ in 0..3 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
        let status = stored(&snapshot);
        let is_reported = status.conditions.iter().any(|c| c.type_ == "Succeeded");
        let is_over = status.phase == Some(PodCliqueSetPhase::Succeeded);
        assert_eq!(is_reported, is_over);
    }
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Succeeded));
}
