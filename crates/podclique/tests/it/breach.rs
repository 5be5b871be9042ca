//! Since when a PodClique is breached (docs/semantics.md §2.5): a crash loop is one breach.

use std::sync::Arc;

use api::PodCliqueStatus;
use api::conditions::{self, ConditionType};
use domain::object::pod::{ContainerState, ContainerStatus, Running, Terminated};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::decide::decide;
use podclique::observe::SetFacts;
use testkit::builders::{PodBuilder, after, pod, podclique};

use crate::situation::situation;

/// A clique of one pod, which was available; each step decides again.
struct Clique {
    status: PodCliqueStatus,
    memory: i64,
    is_over: bool,
    is_orphaned: bool,
    wake_at: Option<Timestamp>,
}

impl Clique {
    fn new(memory: i64) -> Self {
        let status = PodCliqueStatus {
            was_available: true,
            ..PodCliqueStatus::default()
        };
        Self {
            status,
            memory,
            is_over: false,
            is_orphaned: false,
            wake_at: None,
        }
    }

    /// The status at that time, with this pod, as the API server stores it.
    fn see(&mut self, seconds: i64, adapt: impl FnOnce(PodBuilder) -> PodBuilder) {
        let clique = podclique("demo-0-a")
            .with(|c| c.status = Some(self.status.clone()))
            .build();
        let mut snapshot = situation(&clique, vec![adapt(pod(&clique, 0).ready())]);
        snapshot.set = Some(SetFacts {
            breach_memory: SignedDuration::from_secs(self.memory),
            is_over: self.is_over,
            is_orphaned: self.is_orphaned,
            ..SetFacts::default()
        });
        let plan = decide(&snapshot, after(seconds));
        self.wake_at = plan.wake_at;
        self.status = plan.status.unwrap();
    }

    /// Whether it is breached, and since when.
    fn breach(&self) -> (bool, Option<Timestamp>) {
        let type_ = ConditionType::MinAvailableBreached;
        let is_breached = conditions::is_true(&self.status.conditions, type_);
        let since = self.status.breached_since.as_ref();
        (is_breached, since.map(|t| t.0))
    }
}

fn crashed(restarts: i32, started: i64, ended: i64) -> impl FnOnce(PodBuilder) -> PodBuilder {
    let terminated = Terminated {
        exit_code: 1,
        started_at: Some(Time(after(started))),
        finished_at: Some(Time(after(ended))),
        ..Terminated::default()
    };
    let container = ContainerStatus {
        restart_count: restarts,
        state: ContainerState {
            terminated: Some(terminated),
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    move |pod| {
        pod.condition("Ready", "False").with(|p| {
            p.metadata.creation_timestamp = Some(Time(after(-1000)));
            p.status.container_statuses = vec![container];
        })
    }
}

fn ready(pod: PodBuilder) -> PodBuilder {
    pod
}

fn not_ready(pod: PodBuilder) -> PodBuilder {
    pod.condition("Ready", "False").with(|p| {
        let state = ContainerState {
            running: Some(Running::default()),
            ..ContainerState::default()
        };
        p.status.container_statuses = vec![ContainerStatus {
            state,
            ..ContainerStatus::default()
        }];
    })
}

/// It is down for 15 s, Ready for one, and only the 15 s count.
#[test]
fn a_crash_loop_is_one_breach() {
    let mut clique = Clique::new(20);
    clique.see(100, crashed(0, -900, 99));
    assert_eq!(clique.breach(), (true, Some(after(100))));
    for turn in 1..5 {
        let (up, down) = (100 + 16 * i64::from(turn), 101 + 16 * i64::from(turn));
        let pauses = i64::from(turn) - 1;
        clique.see(up, ready);
        assert_eq!(clique.breach(), (false, Some(after(100 + pauses))));
        assert_eq!(clique.wake_at, Some(after(up + 20)), "to forget it");
        clique.see(down, crashed(turn, up, down));
        assert_eq!(clique.breach(), (true, Some(after(101 + pauses))));
    }
    clique.see(200, ready);
    clique.see(220, ready);
    assert_eq!((clique.breach(), clique.wake_at), ((false, None), None));
}

/// Seed 000: the delay starts again with each breach.
#[test]
fn a_pod_that_merely_is_not_ready_resets_everything_at_once() {
    let mut clique = Clique::new(20);
    clique.see(100, not_ready);
    clique.see(115, ready);
    clique.see(116, not_ready);
    assert_eq!(clique.breach(), (true, Some(after(116))));
}

#[test]
fn at_delay_0_nothing_is_remembered() {
    let mut clique = Clique::new(0);
    clique.see(100, crashed(0, -900, 99));
    clique.see(116, ready);
    assert_eq!((clique.breach(), clique.wake_at), ((false, None), None));
    clique.see(116, crashed(1, 101, 116));
    assert_eq!(clique.breach(), (true, Some(after(116))));
}

#[test]
fn a_breach_of_before_there_was_the_field_keeps_the_time_of_its_condition() {
    let mut clique = Clique::new(20);
    clique.see(100, not_ready);
    clique.status.breached_since = None;
    clique.see(110, not_ready);
    assert_eq!(clique.breach(), (true, Some(after(100))));
}

/// Its pods were not replaced meanwhile, so the next set has the whole delay to do so (decision
/// 112).
#[test]
fn a_breach_does_not_run_while_no_set_controls_the_podclique() {
    let mut clique = Clique::new(20);
    clique.see(100, not_ready);
    assert_eq!(clique.breach(), (true, Some(after(100))));
    clique.is_orphaned = true;
    clique.see(110, not_ready);
    assert_eq!(clique.breach(), (false, None));
    clique.is_orphaned = false;
    clique.see(5000, not_ready);
    assert_eq!(clique.breach(), (true, Some(after(5000))));
}

#[test]
fn a_job_that_is_over_remembers_nothing() {
    let mut clique = Clique::new(20);
    clique.see(100, not_ready);
    clique.see(110, ready);
    clique.is_over = true;
    clique.see(111, ready);
    assert_eq!((clique.breach(), clique.wake_at), ((false, None), None));
}

/// It is read from the pods and the status: nothing is kept in memory.
#[test]
fn is_the_same_for_an_operator_that_was_restarted() {
    let mut clique = Clique::new(600);
    clique.see(100, crashed(0, -900, 99));
    clique.see(130, ready);
    let stored = Arc::new(clique.status.clone());
    let mut restarted = Clique::new(600);
    restarted.status = (*stored).clone();
    restarted.see(140, crashed(1, 129, 139));
    assert_eq!(restarted.breach(), (true, Some(after(110))));
}
