//! The start of a gang, and the pods in its list.

mod ambiguous;
mod pins;
mod quota;
mod required_queue;
mod scheduler_gap;
mod taken_over;
mod unreadable_nodes;

use std::sync::Arc;

use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress, VacantIndexes};
use api::podgang::PodGroup;
use api::{LastError, PodCliqueSet, PodCliqueStatus, PodGang, labels};
use domain::plan::Plan;
use domain::scheduling::{Backend, UnsupportedFeature, queue_of};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::ScaledGangsWaitFor;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, set};

use crate::situation::{carry_out, demo, fill, fill_all, laid_out, plan, writes};

type Lists = Vec<(String, Vec<(String, Vec<String>, i32)>)>;

/// The pods that the plan lists in each gang.
fn lists(plan: &Plan<api::PodCliqueSetStatus>) -> Lists {
    let part = |g: &PodGroup| {
        let pods = g.pod_references.iter().map(|r| r.name.clone()).collect();
        (g.name.clone(), pods, g.min_replicas)
    };
    plan.waves
        .iter()
        .flatten()
        .filter_map(|action| {
            let gang = action.written::<PodGang>()?;
            let parts = gang.spec.pod_groups.iter().map(part).collect();
            Some((action.key().name, parts))
        })
        .collect()
}

#[test]
fn waits_until_every_part_has_all_its_pods() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    fill(&mut snapshot, "demo-0-g-1-worker", 1, |p| p);
    assert!(plan(&snapshot).writes_nothing());
    fill(&mut snapshot, "demo-0-g-1-worker", 2, |p| p);
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn lists_all_pods_of_the_base_gang_by_index() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    assert_snapshot!(serde_json::to_string_pretty(&lists(&plan(&snapshot))).unwrap());
}

#[test]
fn does_not_start_while_a_podclique_is_missing_or_going() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    let mut missing = snapshot.clone();
    missing.podcliques.remove("demo-0-g-0-leader");
    assert!(lists(&plan(&missing)).is_empty());
    let going = snapshot.podcliques.get_mut("demo-0-g-0-leader").unwrap();
    Arc::make_mut(&mut going.podclique)
        .metadata
        .deletion_timestamp = Some(Time(after(59)));
    assert!(lists(&plan(&snapshot)).is_empty());
}

/// Released pods would be placed one by one, or not at all.
#[test]
fn does_not_start_while_its_scheduler_is_not_served_and_says_so() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    let pods = |snapshot: &podcliqueset::Snapshot| {
        let gangs = lists(&plan(snapshot)).into_iter();
        let parts = gangs.flat_map(|(_, parts)| parts);
        parts.map(|(_, pods, _)| pods.len()).sum::<usize>()
    };
    let all = pods(&snapshot);
    snapshot.scheduler.unsupported = Some(UnsupportedFeature::NotServed(Backend::KaiScheduler));
    let held = plan(&snapshot);
    assert_eq!(pods(&snapshot), 0);
    let conditions = &held.status.as_ref().unwrap().conditions;
    let unsupported = conditions.iter().find(|c| c.type_ == UNSUPPORTED).unwrap();
    assert_eq!(
        (&*unsupported.status, &*unsupported.reason),
        ("True", "SchedulerNotInstalled")
    );
    assert!(unsupported.message.contains("install KAI Scheduler"));
    let ready = conditions.iter().find(|c| c.type_ == "Ready").unwrap();
    assert_eq!(
        (&*ready.status, &*ready.reason),
        ("False", "SchedulerNotInstalled")
    );
    assert!(ready.message.contains("install KAI Scheduler"));

    carry_out(&mut snapshot, &held);
    assert!(plan(&snapshot).writes_nothing(), "it is said once");
    snapshot.scheduler.unsupported = None;
    assert_eq!(pods(&snapshot), all, "it starts as a whole");
    let started = plan(&snapshot);
    carry_out(&mut snapshot, &started);
    snapshot.scheduler.unsupported = Some(UnsupportedFeature::NotServed(Backend::KaiScheduler));
    fill(&mut snapshot, "demo-0-frontend", 1, |p| p);
    let first = lists(&plan(&snapshot)).remove(0).1.remove(0);
    assert_eq!(first.1.len(), 1, "running pods stay");
}

/// KAI Scheduler's pod-grouper reads the gang of each pod, gated or not.
#[test]
fn is_there_before_it_starts_where_the_scheduler_looks_for_it() {
    let mut snapshot = laid_out(&demo().build());
    snapshot.scheduler.reads_gangs_first = true;
    let early = lists(&plan(&snapshot));
    assert!(!early.is_empty());
    for (gang, parts) in early {
        for (part, pods, minimum) in parts {
            assert_eq!((pods.len(), minimum > 0), (0, true), "{gang} {part}");
        }
    }
    let made = plan(&snapshot);
    carry_out(&mut snapshot, &made);
    assert!(lists(&plan(&snapshot)).is_empty(), "it is made once");
    fill_all(&mut snapshot, |p| p);
    let base = lists(&plan(&snapshot)).remove(0);
    assert!(
        base.1.iter().all(|(_, pods, _)| !pods.is_empty()),
        "{base:?}"
    );
    snapshot.podcliques.clear();
    assert!(lists(&plan(&snapshot)).is_empty());
}

/// Without it KAI would evict the rest of a gang after a minute, whatever `terminationDelay` says.
#[test]
fn bears_a_negative_grace_period_where_kais_pod_grouper_reads_it() {
    const GRACE: &str = "kai.scheduler/staleness-grace-period";
    let grace = |set: &PodCliqueSet, backend| {
        let mut snapshot = laid_out(set);
        snapshot.scheduler.reads_gangs_first = true;
        snapshot.scheduler.backend = backend;
        let plan = plan(&snapshot);
        let mut writes = plan.waves.iter().flatten();
        let gang = writes.find_map(|a| a.written::<PodGang>()).unwrap();
        let annotations = gang.metadata.annotations.as_ref().unwrap();
        annotations.get(GRACE).cloned()
    };
    let mut demo = demo().build();
    assert_eq!(grace(&demo, Backend::Volcano), None);
    assert_eq!(grace(&demo, Backend::KaiPodGrouper).unwrap(), "-1s");
    let asked = [(GRACE.to_owned(), "90s".to_owned())];
    demo.metadata.annotations = Some(asked.into());
    assert_eq!(grace(&demo, Backend::KaiPodGrouper).unwrap(), "90s");
}

const UNSUPPORTED: &str = "SchedulingFeatureUnsupported";

#[test]
fn starts_with_the_minimum_where_the_rest_was_refused() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    fill(&mut snapshot, "demo-0-frontend", 1, |p| p);
    assert!(lists(&plan(&snapshot)).is_empty());
    let refused = LastError {
        code: "ERR_CREATE_POD".into(),
        description: "exceeded quota".into(),
        observed_at: Time(after(1)),
    };
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique).status = Some(PodCliqueStatus {
        last_errors: vec![refused],
        ..PodCliqueStatus::default()
    });
    assert_eq!(lists(&plan(&snapshot)).len(), 1);
    fill(&mut snapshot, "demo-0-frontend", 0, |p| p);
    assert!(
        lists(&plan(&snapshot)).is_empty(),
        "below the minimum nothing starts"
    );
}

#[test]
fn starts_a_scaled_gang_once_the_base_gang_is_ready() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    let base = plan(&snapshot);
    carry_out(&mut snapshot, &base);
    for clique in [
        "demo-0-frontend",
        "demo-0-g-0-leader",
        "demo-0-g-0-worker",
        "demo-0-g-1-worker",
    ] {
        fill(&mut snapshot, clique, 2, PodBuilder::ready);
    }
    fill(&mut snapshot, "demo-0-g-1-leader", 1, PodBuilder::bound);
    assert!(!writes(&plan(&snapshot)).contains("demo-0-g-0\n"));
    let mut looser = snapshot.clone();
    looser.scheduler.wait_for = ScaledGangsWaitFor::BaseScheduled;
    assert!(writes(&plan(&looser)).contains("create PodGang demo-0-g-0\n"));
    fill(&mut snapshot, "demo-0-g-1-leader", 1, PodBuilder::ready);
    assert!(writes(&plan(&snapshot)).contains("create PodGang demo-0-g-0\n"));
}

#[test]
fn follows_the_pods_once_it_has_started() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    assert!(plan(&snapshot).writes_nothing());
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    front.pods.remove(0);
    assert_snapshot!(serde_json::to_string_pretty(&lists(&plan(&snapshot))[0].1[0]).unwrap());
}

#[test]
fn starts_again_when_no_listed_pod_exists_any_more() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let renamed =
        |p: PodBuilder| p.with(|p| p.metadata.name = p.metadata.name.take().map(|n| n + "x"));
    fill_all(&mut snapshot, renamed);
    fill(&mut snapshot, "demo-0-frontend", 1, renamed);
    assert!(lists(&plan(&snapshot)).is_empty(), "half a gang was listed");
    fill(&mut snapshot, "demo-0-frontend", 2, renamed);
    assert_eq!(lists(&plan(&snapshot)).len(), 1);
}

/// An update of others needs the room of its second pod (decision 168).
#[test]
fn starts_again_without_a_pod_that_an_update_holds_back() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let renamed =
        |p: PodBuilder| p.with(|p| p.metadata.name = p.metadata.name.take().map(|n| n + "x"));
    fill_all(&mut snapshot, renamed);
    fill(&mut snapshot, "demo-0-frontend", 1, renamed);
    let turn = ReplicaUpdateProgress {
        holds_vacant: vec![VacantIndexes {
            component: "frontend".to_owned(),
            indexes: vec![1],
        }],
        ..ReplicaUpdateProgress::begin(0, Time(after(50)))
    };
    let status = Arc::make_mut(&mut snapshot.stored).status.as_mut();
    status.unwrap().update_progress = Some(PcsUpdateProgress {
        currently_updating: vec![turn],
        ..PcsUpdateProgress::begin(Time(after(50)))
    });
    assert_eq!(lists(&plan(&snapshot)).len(), 1);
}

#[test]
fn deletes_the_gang_of_a_group_replica_that_is_scaled_in() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
    }
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 2;
    assert_snapshot!(writes(&plan(&snapshot)));
}

#[test]
fn has_no_gang_while_all_groups_sleep() {
    let set = set("demo")
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(1).min(1));
    let mut snapshot = laid_out(&set.build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let started = plan(&snapshot);
    carry_out(&mut snapshot, &started);
    Arc::make_mut(&mut snapshot.children.groups[0])
        .spec
        .replicas = 0;
    assert_snapshot!(writes(&plan(&snapshot)));
    snapshot.children.gangs.clear();
    assert!(lists(&plan(&snapshot)).is_empty(), "an empty gang was made");
}

#[test]
fn copies_the_users_keys_to_the_gang_but_not_kubectls_manifest() {
    let set = demo()
        .with(|s| {
            s.metadata.labels = Some([("team".to_owned(), "a".to_owned())].into());
            s.metadata.annotations = Some(
                [
                    ("kai.scheduler/queue".to_owned(), "q".to_owned()),
                    ("grove.io/reconcile-trigger".to_owned(), "1".to_owned()),
                    (
                        "kubectl.kubernetes.io/last-applied-configuration".to_owned(),
                        "{}".to_owned(),
                    ),
                ]
                .into(),
            );
        })
        .build();
    let mut snapshot = laid_out(&set);
    fill_all(&mut snapshot, |p| p);
    let plan = plan(&snapshot);
    let gang: &PodGang = plan.waves[0][0].written().unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&gang.metadata).unwrap());
}

/// Dynamo writes it there. The operator does not guess which of several was meant.
#[rstest]
#[case::one(&["q", "q"], Some("q"))]
#[case::not_all_of_them(&["q", ""], Some("q"))]
#[case::several(&["q", "p"], None)]
#[case::none(&["", ""], None)]
fn takes_the_queue_that_the_cliques_agree_on(#[case] named: &[&str], #[case] queue: Option<&str>) {
    let set = demo().with(|s| {
        let cliques = s.spec.template.cliques.iter_mut().zip(named);
        for (clique, queue) in cliques.filter(|(_, queue)| !queue.is_empty()) {
            let key = "kai.scheduler/queue".to_owned();
            clique.labels.insert(key, (*queue).to_owned());
        }
    });
    let mut snapshot = laid_out(&set.build());
    fill_all(&mut snapshot, |p| p);
    let plan = plan(&snapshot);
    let gang: &PodGang = plan.waves[0][0].written().unwrap();
    let found = queue_of(Backend::KaiScheduler, &gang.metadata);
    assert_eq!(found, queue);
}

/// It would wait for a queue that no gang names any more.
#[test]
fn forgets_a_queue_that_the_set_does_not_name_any_more() {
    let named = |queue: Option<&str>| {
        let queue = queue.map(|name| ("kai.scheduler/queue".to_owned(), name.to_owned()));
        demo()
            .with(|s| s.metadata.labels = Some(queue.into_iter().collect()))
            .build()
    };
    let mut snapshot = laid_out(&named(Some("typo")));
    fill_all(&mut snapshot, |p| p);
    let made = plan(&snapshot);
    carry_out(&mut snapshot, &made);
    let note = |gang: &mut Arc<PodGang>| {
        let all = Arc::make_mut(gang).metadata.labels.as_mut().unwrap();
        all.insert("example.com/note".to_owned(), "kept".to_owned());
    };
    snapshot.children.gangs.iter_mut().for_each(note);
    snapshot.validated = crate::situation::alone(&named(None)).validated;
    let corrected = plan(&snapshot);
    let gang: &PodGang = corrected.waves[0][0].written().unwrap();
    let all = gang.metadata.labels.as_ref().unwrap();
    let keys = ["kai.scheduler/queue", "example.com/note"].map(|key| all.contains_key(key));
    assert_eq!(keys, [false, true]);
}

#[test]
fn does_not_start_without_a_group_whose_object_is_missing() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    snapshot.children.groups.clear();
    snapshot.podcliques.retain(|name, _| !name.contains("-g-"));
    assert!(lists(&plan(&snapshot)).is_empty(), "half a gang was listed");
}

#[test]
fn follows_the_pods_of_a_running_gang_while_the_set_is_invalid() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    snapshot.validated = crate::situation::alone(&invalid).validated;
    assert!(lists(&plan(&snapshot)).is_empty(), "nothing changed");
    fill(&mut snapshot, "demo-0-frontend", 3, PodBuilder::ready);
    let listed = lists(&plan(&snapshot));
    assert_eq!(
        (listed.len(), listed[0].1[0].1.len()),
        (1, 3),
        "its new pod would stay gated"
    );
}
