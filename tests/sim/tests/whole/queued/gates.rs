//! The scheduler looks at no pod of a gang while another one has a gate, so no pod is created without quota
//! (decisions 179, 184 and 185).

use operator::config::Gangs;
use serde_json::Value;
use sim::{Id, Resource, Store, queue, view};
use testkit::builders::{SetBuilder, set};

use super::restarts::expect_despite_restarts;
use super::{Course, Setup, expect_course_in, gang, in_queue};
use crate::ring::Begin;
use crate::scenarios::{break_pods, gangs, manifest, pods_of, ready_pods, scale, terminated};

/// The clique that is scaled.
const SCALED: &str = "svc-0-a";

/// A cluster whose scheduler gets PodGroups, and waits for gates.
pub(super) fn in_kubernetes() -> Begin {
    let scheduler = Some(("default-scheduler", "kubernetes", Gangs::Split));
    let mut begin = Begin::empty().with_scheduler(scheduler);
    begin.checker.waits_for_gates();
    begin
}

fn setup(set: SetBuilder, pods: i64) -> Setup {
    Setup {
        begin: in_kubernetes(),
        quota: vec![("", pods)],
        set: in_queue(terminated(manifest(set))),
    }
}

fn scale_to(cluster: &Course, replicas: u32) {
    cluster.store(|store| scale(store, Resource::PodClique, SCALED, replicas));
}

/// Since then the gang was up by its Workload, and Kueue took no quota of it.
fn check_undisturbed(store: &Store, began: usize) -> Result<(), String> {
    let id = Id::new(Resource::KueueWorkload, "svc-0");
    let runs = |workload: &Value| {
        view::has_condition(workload, "PodsReady") && queue::is_admitted(workload)
    };
    let mut records = store.log.iter().skip(began);
    let disturbed = records.find(|record| record.id == id && !runs(&record.last));
    disturbed.map_or(Ok(()), |record| {
        let (time, last) = (record.time, &record.last);
        Err(format!("at {time} the gang is disturbed: {last}"))
    })
}

fn is_up(store: &Store) -> bool {
    let found = store.get(&Id::new(Resource::KueueWorkload, "svc-0"));
    found.is_some_and(|workload| view::has_condition(workload, "PodsReady"))
}

/// A clique at 0 of a running gang gets two pods, without quota for them at first.
async fn wake_clique(cluster: &mut Course) -> Result<(), String> {
    cluster.expect("the gang is up", |store| {
        ready_pods(store) == 1 && is_up(store)
    })?;
    let began = cluster.store(|store| store.log.len());
    scale_to(cluster, 2);
    cluster.rest().await?;
    cluster.expect(
        "the gang runs on, and no pod exists without quota",
        |store| {
            let is_alone = store.all(Resource::Pod).count() == 1;
            is_alone && ready_pods(store) == 1 && gangs(store) == ["svc-0: svc-0-front"]
        },
    )?;
    cluster.store(|store| check_undisturbed(store, began))?;
    cluster.set_quota(3);
    cluster.rest().await?;
    cluster.expect("the clique has joined", |store| {
        ready_pods(store) == 3 && gangs(store) == ["svc-0: svc-0-a svc-0-front"]
    })?;
    cluster.expect("in the first round, and all is up", |store| {
        queue::round_of(gang(store, "svc-0")) == 0 && is_up(store)
    })
}

/// Fails if quota is asked for once pods exist, as none is created without quota; and if the clique is
/// listed without quota, as its gang would be down.
#[test]
fn a_clique_that_is_scaled_up_from_0_joins_once_it_has_quota() {
    let set = set("svc")
        .clique("a", |c| c.replicas(0).min(1))
        .clique("front", |c| c);
    let setup = setup(set, 1);
    expect_course_in(&setup, &wake_clique);
    expect_despite_restarts(&setup, &wake_clique);
}

/// The gang has quota at once.
#[test]
fn a_clique_that_is_scaled_up_from_0_joins_with_free_quota() {
    let set = set("svc")
        .clique("a", |c| c.replicas(0).min(1))
        .clique("front", |c| c);
    expect_course_in(&setup(set, 3), &async |cluster| {
        scale_to(cluster, 2);
        cluster.rest().await?;
        cluster.expect("all run", |store| ready_pods(store) == 3)
    });
}

fn uids(store: &Store) -> Vec<String> {
    let pods = store.all(Resource::Pod);
    pods.map(|(_, pod)| view::uid(pod).to_owned()).collect()
}

/// Pods that the clique is to have.
fn wanted(store: &Store) -> i64 {
    let podclique = store.get(&Id::new(Resource::PodClique, SCALED));
    podclique.map_or(0, |podclique| view::number(podclique, "/spec/replicas"))
}

/// A third pod waits in the queue, and the gang loses the two that it has.
async fn lose_pods(cluster: &mut Course, lose: fn(&mut Store)) -> Result<(), String> {
    cluster.expect("two pods run", |store| ready_pods(store) == 2)?;
    scale_to(cluster, 3);
    cluster.rest().await?;
    let before = cluster.store(|store| uids(store));
    cluster.expect("the third pod does not exist", |_| before.len() == 2)?;
    cluster.store(lose);
    cluster.rest().await?;
    cluster.expect("two others run", |store| {
        let uids = uids(store);
        let are_new = uids.iter().all(|uid| !before.contains(uid));
        are_new && uids.len() == 2 && ready_pods(store) == 2
    })?;
    cluster.set_quota(3);
    cluster.rest().await?;
    cluster.expect("all that are wanted run", |store| {
        usize::try_from(wanted(store)) == Ok(ready_pods(store))
    })
}

/// The replica is terminated.
fn break_all(store: &mut Store) {
    break_pods(store, SCALED);
}

fn delete_pods(store: &mut Store) {
    for pod in pods_of(store, SCALED) {
        store.remove("user", &pod);
    }
}

fn delete_podclique(store: &mut Store) {
    store.remove("user", &Id::new(Resource::PodClique, SCALED));
}

/// Fails if the gang waits for the third pod, which is not created before it has quota.
#[test]
fn a_gang_comes_back_with_the_pods_that_have_quota() {
    for lose in [break_all, delete_pods, delete_podclique] {
        let setup = setup(set("svc").clique("a", |c| c.replicas(2).min(1)), 2);
        let course = async |cluster: &mut Course| lose_pods(cluster, lose).await;
        expect_course_in(&setup, &course);
        expect_despite_restarts(&setup, &course);
    }
}
