//! Pods that are added to a gang with quota, and quota that it needs no more.

use api::{PodClique, PodCliqueSet};
use domain::scheduling::Profiles;
use engine::Caches;
use testkit::builders::set;

use super::*;

const FRONTEND: &str = "demo-0-frontend";

/// The set asks for 2 pods of a clique that was at 0 when the gang started.
fn ask_for_frontend(gang: &mut PodGang) {
    let text = quota::to_text(&counts(&[(WORKER, 3), (FRONTEND, 2)]));
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), text);
}

/// A gang with quota for 3 workers, which 2 frontends are to join.
fn joined_by_frontend() -> Snapshot {
    let mut snapshot = granted(3);
    let queueing = facts(&mut snapshot);
    let clique = "frontend".to_owned();
    queueing.cliques.insert(FRONTEND.to_owned(), clique);
    queueing.joining = vec![GangPart {
        name: FRONTEND.to_owned(),
        min_replicas: 1,
        podclique: Some(podclique(FRONTEND).size(2, 1).build()),
        ..GangPart::default()
    }];
    ask_for_frontend(Arc::make_mut(&mut snapshot.gang));
    snapshot
}

fn admit_frontend(snapshot: &mut Snapshot) {
    admit(snapshot, "demo-0.x1", 2);
    change(snapshot, "demo-0.x1", |workload| {
        let admission = workload.status.as_mut().and_then(|s| s.admission.as_mut());
        "frontend".clone_into(&mut admission.unwrap().pod_set_assignments[0].name);
    });
}

/// Where the scheduler waits for gates its pods are created once they have quota, so nothing lists them.
#[test]
fn a_part_that_is_to_join_asks_before_it_is_listed() {
    let mut snapshot = joined_by_frontend();
    let asked = store_status(&mut snapshot);
    assert_eq!(words(&asked), ["create Workload demo-0.x1"]);
    let workload = asked[0].written::<KueueWorkload>().unwrap();
    let asked_for = &workload.spec.pod_sets[0];
    assert_eq!((&*asked_for.name, asked_for.count), ("frontend", 2));
    carry_out(&mut snapshot, &asked);
    admit_frontend(&mut snapshot);
    store_status(&mut snapshot);
    assert_eq!(grants(&snapshot), ["demo-0 3", "demo-0.x1 2"]);
}

/// It was scaled to 0 when its quota was taken.
#[test]
fn the_quota_of_a_part_that_left_the_list_is_returned_once_its_pods_have_ended() {
    let mut snapshot = joined_by_frontend();
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit_frontend(&mut snapshot);
    store_status(&mut snapshot);
    let frontend = podclique(FRONTEND).size(2, 1).build();
    let ending = pod(&frontend, 0).ready().terminating(60).build();
    facts(&mut snapshot).pods.push(ending);
    facts(&mut snapshot).joining.clear();
    request(&mut snapshot, 3);
    evict(&mut snapshot, "demo-0.x1");
    assert!(
        store_status(&mut snapshot).is_empty(),
        "a pod has not ended"
    );
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
    facts(&mut snapshot).pods.pop();
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["delete Workload demo-0.x1 at version 1: its pods need no quota any more"]
    );
}

#[test]
fn the_request_names_the_parts_that_are_to_join() {
    let mut gang = PodGang::clone(&granted(3).gang);
    ask_for_frontend(&mut gang);
    let caches = Caches::default();
    let demo = set("demo")
        .clique("frontend", |c| c)
        .clique("worker", |c| c);
    caches.of::<PodCliqueSet>().apply(demo.build());
    for name in [WORKER, FRONTEND] {
        let found = podclique(name).size(2, 1).build();
        caches.of::<PodClique>().apply(PodClique::clone(&found));
    }
    let profiles = Profiles::default().with_queueing(true);
    let seen = podgang::observe::observe(&Arc::new(gang), &caches, &profiles);
    let seen = seen.queueing.unwrap();
    let joining: Vec<(&str, i32)> = seen
        .joining
        .iter()
        .map(|part| (&*part.name, part.min_replicas))
        .collect();
    assert_eq!(joining, [(FRONTEND, 1)]);
    assert_eq!(seen.cliques[FRONTEND], "frontend");
}

#[test]
fn more_pods_are_asked_for_by_another_workload() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    assert_eq!(words(&asked), ["create Workload demo-0.x1"]);
    let workload = asked[0].written::<KueueWorkload>().unwrap();
    let set = &workload.spec.pod_sets[0];
    assert_eq!((set.count, set.min_count), (2, None));
    carry_out(&mut snapshot, &asked);
    assert!(store_status(&mut snapshot).is_empty());
    assert!(
        state(&snapshot).contains("Workload demo-0.x1 waits: Kueue has not answered yet"),
        "{}",
        state(&snapshot)
    );
    admit(&mut snapshot, "demo-0.x1", 2);
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(grants(&snapshot), ["demo-0 3", "demo-0.x1 2"]);
}

/// What was admitted of the required minimum runs, and the rest is asked for.
#[test]
fn the_rest_of_a_partial_admission_is_asked_for() {
    let mut snapshot = granted(2);
    assert_eq!(grants(&snapshot), ["demo-0 2"]);
    let asked = store_status(&mut snapshot);
    assert_eq!(words(&asked), ["create Workload demo-0.x1"]);
    assert_eq!(
        asked[0].written::<KueueWorkload>().unwrap().spec.pod_sets[0].count,
        1
    );
}

#[test]
fn a_need_that_is_gone_is_not_asked_for_any_more() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    request(&mut snapshot, 3);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["delete Workload demo-0.x1 at version 1: its pods need no quota any more"]
    );
}

/// A gang with quota for 3 pods and 2 more, all of which run.
fn grown() -> Snapshot {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit(&mut snapshot, "demo-0.x1", 2);
    give_pods(&mut snapshot, 5, PodBuilder::ready);
    list_pods(&mut snapshot);
    let reported = store_status(&mut snapshot);
    assert_eq!(
        words(&reported),
        ["status Workload demo-0", "status Workload demo-0.x1"],
        "its pods are Ready"
    );
    carry_out(&mut snapshot, &reported);
    snapshot
}

#[test]
fn quota_of_pods_that_are_scaled_in_is_returned_once_they_are_gone() {
    let mut snapshot = grown();
    request(&mut snapshot, 4);
    store_status(&mut snapshot);
    assert_eq!(grants(&snapshot), ["demo-0 3", "demo-0.x1 2"], "they run");
    give_pods(&mut snapshot, 4, PodBuilder::ready);
    list_pods(&mut snapshot);
    let returned = store_status(&mut snapshot);
    assert_eq!(
        grants(&snapshot),
        ["demo-0 3", "demo-0.x1 1"],
        "the newest first"
    );
    assert_eq!(words(&returned), ["status Workload demo-0.x1"]);
    let status = returned[0]
        .written::<KueueWorkload>()
        .unwrap()
        .status
        .clone();
    assert_eq!(status.unwrap().reclaimable_pods[0].count, 1);
    carry_out(&mut snapshot, &returned);
    assert!(store_status(&mut snapshot).is_empty(), "once");
    request(&mut snapshot, 3);
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    list_pods(&mut snapshot);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["delete Workload demo-0.x1 at version 1: its pods need no quota any more"]
    );
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
}

/// A part that is replaced is in no list for a moment, and its set may be gone: its pods may run.
#[test]
fn nothing_is_given_back_while_the_clique_of_a_podclique_is_unknown() {
    let mut snapshot = grown();
    let cliques = std::mem::take(&mut facts(&mut snapshot).cliques);
    assert!(store_status(&mut snapshot).is_empty());
    request(&mut snapshot, 4);
    give_pods(&mut snapshot, 4, PodBuilder::ready);
    list_pods(&mut snapshot);
    assert!(store_status(&mut snapshot).is_empty());
    facts(&mut snapshot).cliques = cliques;
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["status Workload demo-0.x1"]
    );
}

#[test]
fn a_gang_stays_when_the_quota_of_added_pods_is_lost() {
    let mut snapshot = grown();
    evict(&mut snapshot, "demo-0.x1");
    assert!(store_status(&mut snapshot).is_empty(), "its pods run");
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
    assert!(state(&snapshot).starts_with("True"));
    assert_eq!(quota::round(&snapshot.gang), 0);
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    list_pods(&mut snapshot);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["status Workload demo-0.x1"]
    );
}

/// The first Workload is one for all pods then, at its place in the queue.
#[test]
fn a_gang_that_had_grown_keeps_its_place_after_an_eviction() {
    let mut snapshot = grown();
    evict(&mut snapshot, "demo-0");
    assert!(store_status(&mut snapshot).is_empty(), "its pods run");
    Arc::make_mut(&mut snapshot.gang).spec.pod_groups[0].pod_references = vec![];
    give_pods(&mut snapshot, 5, |p| p);
    let returned = store_status(&mut snapshot);
    assert_eq!(
        words(&returned),
        [
            "status Workload demo-0",
            "delete Workload demo-0.x1 at version 1: its pods need no quota any more"
        ]
    );
    carry_out(&mut snapshot, &returned);
    let changed = store_status(&mut snapshot);
    assert_eq!(words(&changed), ["replace Workload demo-0"]);
    let workload = changed[0].written::<KueueWorkload>().unwrap();
    assert_eq!(workload.spec.pod_sets[0].count, 5);
    carry_out(&mut snapshot, &changed);
    assert!(store_status(&mut snapshot).is_empty(), "once");
}

/// Two changed ones would ask for the same pods.
#[test]
fn of_two_later_requests_none_is_changed() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    let mut second = (*facts(&mut snapshot).workloads[1]).clone();
    second.metadata = stored("demo-0.x2");
    facts(&mut snapshot).workloads.push(Arc::new(second));
    request(&mut snapshot, 6);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        [
            "delete Workload demo-0.x1 at version 1: its pods need no quota any more",
            "delete Workload demo-0.x2 at version 1: its pods need no quota any more"
        ]
    );
}

#[test]
fn a_later_request_that_waits_is_changed_in_its_place() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    request(&mut snapshot, 6);
    let changed = store_status(&mut snapshot);
    assert_eq!(words(&changed), ["replace Workload demo-0.x1"]);
    let workload = changed[0].written::<KueueWorkload>().unwrap();
    assert_eq!(workload.spec.pod_sets[0].count, 3);
}

/// Completed pods of a job need none.
#[test]
fn all_quota_is_returned_at_the_end() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 0);
    give_pods(&mut snapshot, 3, |p| p.ungated().phase("Succeeded"));
    list_pods(&mut snapshot);
    let returned = store_status(&mut snapshot);
    assert_eq!(grants(&snapshot), ["demo-0 0"]);
    assert_eq!(words(&returned), ["status Workload demo-0"]);
    let status = returned[0]
        .written::<KueueWorkload>()
        .unwrap()
        .status
        .clone();
    assert_eq!(status.unwrap().reclaimable_pods[0].count, 3);
}
