//! Quota that a set loses.

use std::time::Duration;

use sim::{Id, Resource, actors, queue, view};

use super::{
    Course, PODS, Setup, expect_course, expect_course_in, gang, in_queue, play, running_pods,
};
use crate::disturbance::Disturbance;
use crate::mutant::Mutant;
use crate::scenarios::{job, ready_pods, scale};
use crate::trouble::Trouble;

/// Simulated time after which a lost event of a watch has been replaced by a list.
const LONGEST_LOSS: Duration = Duration::from_mins(35);

/// The base gang loses its quota, and gets it again.
async fn lose_quota(cluster: &mut Course) -> Result<(), String> {
    cluster.expect("all run", |store| ready_pods(store) == 6)?;
    cluster.set_quota(0);
    cluster.store(|store| actors::evict_workload(store, "svc-0"));
    cluster.rest().await?;
    cluster.expect("no pod may run", |store| running_pods(store) == 0)?;
    cluster.expect("nothing is reserved", |store| {
        let mut all = store.all(Resource::KueueWorkload);
        all.all(|(_, workload)| !queue::holds_quota(workload))
    })?;
    cluster.set_quota(PODS);
    cluster.rest().await?;
    cluster.expect("all run again", |store| ready_pods(store) == 6)?;
    cluster.expect("in the second round", |store| {
        queue::round_of(gang(store, "svc-0")) == 1
    })
}

#[test]
fn a_gang_that_loses_its_quota_comes_back_as_a_whole() {
    expect_course(PODS, &lose_quota);
}

/// The loss of quota comes with this fault of the watch of Workloads.
async fn lose_quota_unseen(cluster: &mut Course, trouble: Trouble) -> Result<(), String> {
    let plan = Disturbance::Watch(Resource::KueueWorkload, trouble);
    cluster.ring.wire.begin(Some(plan));
    cluster.set_quota(0);
    cluster.store(|store| actors::evict_workload(store, "svc-0"));
    cluster.ring.pass(LONGEST_LOSS).await?;
    cluster.expect("no pod may run", |store| running_pods(store) == 0)?;
    cluster.set_quota(PODS);
    cluster.rest().await?;
    cluster.expect("all run again", |store| ready_pods(store) == 6)?;
    let is_met = cluster.ring.wire.state().plan.is_none();
    cluster.expect("the fault was met", |_| is_met)
}

#[test]
fn a_fault_of_the_watch_of_workloads_only_delays() {
    for trouble in [
        Trouble::Silent,
        Trouble::Late,
        Trouble::Cut,
        Trouble::ExpiredInStream,
        Trouble::ExpiredAtStart,
        Trouble::LostOwn(0),
        Trouble::LostForeign(0),
    ] {
        let course = async |cluster: &mut Course| lose_quota_unseen(cluster, trouble).await;
        let played = play(&Setup::plain(PODS), (false, None), &course);
        assert!(played.is_ok(), "{trouble}\n{}", played.unwrap_err());
    }
}

/// Pods without gate run without quota, and those of an earlier round would never go.
#[test]
fn such_bugs_are_found() {
    for mutant in [Mutant::ForgetsGate, Mutant::ForgetsRounds] {
        let played = play(&Setup::plain(PODS), (false, Some(mutant)), &lose_quota);
        assert!(played.is_err(), "{mutant:?}");
    }
}

#[test]
fn only_pods_that_were_added_go_with_their_quota() {
    expect_course(PODS + 1, &async |cluster| {
        cluster.store(|store| scale(store, Resource::PodClique, "svc-0-a", 3));
        cluster.rest().await?;
        cluster.expect("the new pod runs", |store| ready_pods(store) == 7)?;
        cluster.set_quota(PODS);
        cluster.store(|store| actors::evict_workload(store, "svc-0.x1"));
        cluster.rest().await?;
        cluster.expect("the others run on", |store| {
            ready_pods(store) == 6 && running_pods(store) == 6
        })?;
        cluster.expect("in the first round", |store| {
            queue::round_of(gang(store, "svc-0")) == 0
        })?;
        cluster.set_quota(PODS + 1);
        cluster.rest().await?;
        cluster.expect("all run again", |store| ready_pods(store) == 7)
    });
}

/// Kueue takes the newest quota first, and gives back what it does not need.
#[test]
fn scaled_gangs_go_with_a_base_gang_that_is_evicted_alone() {
    expect_course(2 * PODS, &async |cluster| {
        cluster.expect("all run", |store| ready_pods(store) == 6)?;
        cluster.store(|store| actors::evict_workload(store, "svc-0"));
        cluster.rest().await?;
        cluster.expect("all run again", |store| ready_pods(store) == 6)?;
        cluster.expect("in the second round", |store| {
            let mut gangs = ["svc-0", "svc-0-g-0"].into_iter();
            gangs.all(|name| queue::round_of(gang(store, name)) == 1)
        })
    });
}

/// A job without restarts would fail if the end of its pods counted.
#[test]
fn a_job_that_loses_its_quota_goes_on_later() {
    let setup = Setup {
        set: in_queue(job(0)),
        ..Setup::plain(2)
    };
    expect_course_in(&setup, &async |cluster| {
        cluster.expect("it runs", |store| ready_pods(store) == 2)?;
        cluster.set_quota(0);
        cluster.store(|store| actors::evict_workload(store, "svc-0"));
        cluster.rest().await?;
        cluster.expect("no pod may run", |store| running_pods(store) == 0)?;
        cluster.set_quota(2);
        cluster.rest().await?;
        cluster.expect("it runs again", |store| {
            let job = store.get(&Id::new(Resource::PodCliqueSet, "svc")).unwrap();
            ready_pods(store) == 2 && view::text(job, "/status/phase") == "Running"
        })
    });
}
