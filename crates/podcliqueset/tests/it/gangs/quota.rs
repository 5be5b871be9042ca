//! Gangs of a set that names a queue of Kueue (docs/queues.md, decision 177).

mod surge;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podgang::{GangQuota, GrantedPods, QuotaGrant};
use domain::scheduling::quota::{self, PodCounts};
use podcliqueset::Snapshot;

use super::*;

const GANG: &str = "demo-0";

/// All PodCliques of the set exist, with all their pods.
fn queued() -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    snapshot.scheduler.is_queued = true;
    snapshot
}

fn request_of(snapshot: &Snapshot) -> Option<PodCounts> {
    quota::requested(&base(snapshot).metadata)
}

fn base(snapshot: &Snapshot) -> &PodGang {
    let mut gangs = snapshot.children.gangs.iter();
    gangs
        .find(|g| g.metadata.name.as_deref() == Some(GANG))
        .unwrap()
}

/// Carries the plan out.
fn go_on(snapshot: &mut Snapshot) {
    let next = plan(snapshot);
    carry_out(snapshot, &next);
}

/// What the PodGang controller stores.
fn store_quota(snapshot: &mut Snapshot, round: i64, counts: &[(&str, i32)]) {
    let is_reserved = !counts.is_empty();
    let pods = counts.iter().map(|(name, count)| GrantedPods {
        name: (*name).to_owned(),
        count: *count,
        ..GrantedPods::default()
    });
    let grant = QuotaGrant {
        pods: pods.collect(),
        ..QuotaGrant::default()
    };
    let mut gangs = snapshot.children.gangs.iter_mut();
    let gang = gangs.find(|g| g.metadata.name.as_deref() == Some(GANG));
    let gang = Arc::make_mut(gang.unwrap());
    let status = gang.status.get_or_insert_default();
    status.quota = Some(GangQuota {
        round,
        grants: if is_reserved { vec![grant] } else { vec![] },
    });
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::from(is_reserved),
        reason: if is_reserved {
            Reason::QuotaReserved
        } else {
            Reason::WaitingForQuota
        },
        message: String::new(),
    };
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
}

/// Names of the listed pods of the base gang.
fn listed(snapshot: &Snapshot) -> Vec<&str> {
    let groups = base(snapshot).spec.pod_groups.iter();
    let pods = groups.flat_map(|group| &group.pod_references);
    pods.map(|pod| pod.name.as_str()).collect()
}

/// Quota for all pods of the base gang.
const ALL: [(&str, i32); 5] = [
    ("demo-0-frontend", 2),
    ("demo-0-g-0-leader", 1),
    ("demo-0-g-0-worker", 2),
    ("demo-0-g-1-leader", 1),
    ("demo-0-g-1-worker", 2),
];

/// Its base gang has quota, and lists its pods.
fn started() -> Snapshot {
    let mut snapshot = queued();
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    store_quota(&mut snapshot, 0, &ALL);
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot).len(), 8);
    snapshot
}

/// Another pod at the index.
fn replace(p: PodBuilder) -> PodBuilder {
    p.with(|pod| {
        let name = pod.metadata.name.take().unwrap_or_default();
        pod.metadata.name = Some(format!("{name}-again"));
    })
}

fn listed_again(snapshot: &Snapshot) -> usize {
    let names = listed(snapshot).into_iter();
    names.filter(|name| name.ends_with("-again")).count()
}

/// Completed pods of a job give their quota back, and a later attempt needs it again.
#[test]
fn a_gang_whose_quota_is_below_its_minimum_asks_for_the_rest() {
    let mut snapshot = started();
    let less = ALL.map(|(name, count)| match name {
        "demo-0-g-0-leader" => (name, 0),
        _ => (name, count),
    });
    store_quota(&mut snapshot, 0, &less);
    let counts = less.map(|(name, count)| (name.to_owned(), count));
    let text = quota::to_text(&PodCounts::from(counts));
    for gang in &mut snapshot.children.gangs {
        if gang.metadata.name.as_deref() == Some(GANG) {
            let annotations = &mut Arc::make_mut(gang).metadata.annotations;
            let annotations = annotations.get_or_insert_default();
            annotations.insert(labels::QUOTA_REQUEST.to_owned(), text.clone());
        }
    }
    let before = listed(&snapshot).len();
    fill_all(&mut snapshot, replace);
    go_on(&mut snapshot);
    let all = ALL.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(request_of(&snapshot), Some(PodCounts::from(all)));
    assert_eq!(
        listed(&snapshot).len(),
        before,
        "nothing starts without quota"
    );
}

#[test]
fn a_gang_comes_first_and_asks_once_all_its_pods_exist() {
    let mut snapshot = queued();
    go_on(&mut snapshot);
    assert!(listed(&snapshot).is_empty());
    assert_eq!(request_of(&snapshot), None);
    store_quota(&mut snapshot, 0, &[]);
    fill_all(&mut snapshot, |p| p);
    fill(&mut snapshot, "demo-0-g-1-worker", 1, |p| p);
    go_on(&mut snapshot);
    assert_eq!(request_of(&snapshot), None);
    fill(&mut snapshot, "demo-0-g-1-worker", 2, |p| p);
    go_on(&mut snapshot);
    let all = ALL.map(|(name, count)| (name.to_owned(), count));
    assert_eq!(request_of(&snapshot), Some(PodCounts::from(all)));
    assert!(listed(&snapshot).is_empty());
}

#[test]
fn a_gang_starts_whole_once_each_part_has_quota_for_its_minimum() {
    let mut snapshot = queued();
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    store_quota(&mut snapshot, 0, &ALL[..4]);
    go_on(&mut snapshot);
    assert!(listed(&snapshot).is_empty());
    store_quota(&mut snapshot, 0, &ALL);
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot).len(), 8);
    assert!(plan(&snapshot).waves.concat().is_empty());
}

/// One frontend is required.
#[test]
fn pods_without_quota_stay_gated() {
    let mut snapshot = queued();
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    let mut partial = ALL;
    partial[0].1 = 1;
    store_quota(&mut snapshot, 0, &partial);
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot)[0], "demo-0-frontend-p0");
    assert_eq!(listed(&snapshot).len(), 7);
    store_quota(&mut snapshot, 0, &ALL);
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot).len(), 8, "they follow");
}

/// All pods of its gang are lost, and those without quota are not created where the scheduler waits for
/// gates. Two frontends are wanted, and one is required.
#[rstest]
#[case::waits_for_gates(Backend::Kubernetes, 7)]
#[case::others_create_them(Backend::DefaultScheduler, 0)]
fn a_gang_comes_back_with_the_pods_that_have_quota(
    #[case] backend: Backend,
    #[case] expected: usize,
) {
    let mut snapshot = started();
    snapshot.scheduler.backend = backend;
    let mut partial = ALL;
    partial[0].1 = 1;
    store_quota(&mut snapshot, 0, &partial);
    fill_all(&mut snapshot, replace);
    let seen = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    seen.pods.truncate(1);
    go_on(&mut snapshot);
    assert_eq!(listed_again(&snapshot), expected);
}

/// Kueue took the quota of added frontends a moment before that of all others: those ended as pods
/// without quota, and the others with their gang.
#[test]
fn a_gang_that_lost_its_quota_starts_as_a_whole() {
    let mut snapshot = started();
    fill_all(&mut snapshot, replace);
    for (name, seen) in &mut snapshot.podcliques {
        let podclique = Arc::make_mut(&mut seen.podclique);
        let status = podclique.status.get_or_insert_default();
        status.was_available = true;
        if name != "demo-0-frontend" {
            status.was_idle = Some(true);
            seen.pods.clear();
        }
    }
    go_on(&mut snapshot);
    assert_eq!(listed_again(&snapshot), 0);
    fill_all(&mut snapshot, replace);
    go_on(&mut snapshot);
    assert_eq!(listed_again(&snapshot), 8);
}

/// Its gang, which runs, would count as one that lost a part.
#[test]
fn a_part_without_quota_for_its_minimum_does_not_join() {
    let mut snapshot = started();
    fill_all(&mut snapshot, PodBuilder::ready);
    let mut gangs = snapshot.children.gangs.iter_mut();
    let gang = gangs.find(|g| g.metadata.name.as_deref() == Some(GANG));
    let groups = &mut Arc::make_mut(gang.unwrap()).spec.pod_groups;
    groups.retain(|group| group.name != "demo-0-frontend");
    fill(&mut snapshot, "demo-0-frontend", 2, |p| p);
    let parts = |snapshot: &Snapshot| base(snapshot).spec.pod_groups.len();
    store_quota(&mut snapshot, 0, &ALL[1..]);
    go_on(&mut snapshot);
    assert_eq!(parts(&snapshot), 4);
    assert_eq!(
        request_of(&snapshot),
        Some(PodCounts::from(
            ALL.map(|(name, count)| (name.to_owned(), count)),
        ))
    );
    store_quota(&mut snapshot, 0, &ALL);
    go_on(&mut snapshot);
    assert_eq!(parts(&snapshot), 5);
    assert_eq!(listed(&snapshot).len(), 8);
}

/// The gate of a listed pod may be on its way.
#[test]
fn pods_that_are_listed_come_before_others() {
    let mut snapshot = started();
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    let seen = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    seen.pods.remove(0);
    go_on(&mut snapshot);
    assert_eq!(
        listed(&snapshot)[..2],
        ["demo-0-frontend-p1", "demo-0-frontend-p2"]
    );
    fill(&mut snapshot, "demo-0-frontend", 3, |p| p);
    go_on(&mut snapshot);
    assert_eq!(
        request_of(&snapshot).unwrap()["demo-0-frontend"],
        3,
        "surge, for example"
    );
    assert_eq!(
        listed(&snapshot)[..2],
        ["demo-0-frontend-p1", "demo-0-frontend-p2"]
    );
    assert_eq!(listed(&snapshot).len(), 8);
}

#[test]
fn the_list_is_empty_without_quota_and_the_request_stays() {
    let mut snapshot = started();
    fill_all(&mut snapshot, PodBuilder::ready);
    store_quota(&mut snapshot, 1, &[]);
    go_on(&mut snapshot);
    assert!(listed(&snapshot).is_empty());
    assert_eq!(
        base(&snapshot).spec.pod_groups.len(),
        5,
        "the parts keep their places"
    );
    assert!(request_of(&snapshot).is_some());
    store_quota(&mut snapshot, 1, &ALL);
    go_on(&mut snapshot);
    assert!(
        listed(&snapshot).is_empty(),
        "pods of the earlier round never start again"
    );
    fill_all(&mut snapshot, |p| {
        p.with(|p| {
            let all = p.metadata.annotations.get_or_insert_default();
            all.insert(labels::QUOTA_ROUND.to_owned(), "1".to_owned());
        })
    });
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot).len(), 8);
}

/// It started before its set named a queue.
#[test]
fn a_gang_that_runs_is_not_stopped_by_a_queue() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    fill_all(&mut snapshot, PodBuilder::ready);
    snapshot.scheduler.is_queued = true;
    go_on(&mut snapshot);
    assert_eq!(listed(&snapshot).len(), 8);
}

#[test]
fn a_set_without_a_queue_writes_no_request() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    assert_eq!(request_of(&snapshot), None);
}
