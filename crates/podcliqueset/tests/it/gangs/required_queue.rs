//! Sets of a scheduler whose profile requires a queue of Kueue (docs/queues.md).

use std::sync::Arc;

use api::PodCliqueSet;
use api::conditions::{self, ConditionType};
use domain::scheduling::{Backend, Profiles, SchedulerProfile};
use engine::Caches;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use rstest::rstest;

use super::lists;
use crate::situation::{demo, fill_all, laid_out, plan};

const SAYS: &str = "the set names no queue of Kueue (label kueue.x-k8s.io/queue-name), and the profile of \
                    scheduler kueue requires one: gangs that have not started stay gated; name one that \
                    `kubectl get localqueues` lists: `kubectl label podcliqueset demo \
                    kueue.x-k8s.io/queue-name=QUEUE`";

/// The operator's view of a set whose pods name this scheduler.
fn seen(scheduler: Option<&str>, queue: Option<&str>) -> Snapshot {
    let set = demo().with(|set| {
        for clique in &mut set.spec.template.cliques {
            clique.spec.pod_spec.scheduler_name = scheduler.map(str::to_owned);
        }
        if let Some(queue) = queue {
            let all = set.metadata.labels.get_or_insert_default();
            all.insert("kueue.x-k8s.io/queue-name".to_owned(), queue.to_owned());
        }
    });
    let set = set.build();
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(set.clone());
    let profile = SchedulerProfile {
        backend: Backend::DefaultScheduler,
        scheduler_name: Some("default-scheduler".to_owned()),
        requires_queue: true,
    };
    let profiles = Profiles::of([("kueue".to_owned(), profile)]).with_queueing(true);
    let rules = PodCliqueSetReconciler {
        profiles: Arc::new(profiles),
        ..PodCliqueSetReconciler::default()
    };
    observe(&Arc::new(set), &caches, &rules)
}

#[rstest]
#[case::without_a_queue(Some("kueue"), None, Some(SAYS))]
#[case::with_a_queue(Some("kueue"), Some("team-a"), None)]
#[case::without_a_name(Some("kueue"), Some(""), Some(SAYS))]
#[case::of_another_scheduler(Some("default-scheduler"), None, None)]
#[case::of_no_scheduler(None, None, None)]
fn a_profile_may_require_a_queue(
    #[case] scheduler: Option<&str>,
    #[case] queue: Option<&str>,
    #[case] expected: Option<&str>,
) {
    let unsupported = seen(scheduler, queue).scheduler.unsupported;
    let message = unsupported.map(|unsupported| unsupported.condition().message);
    assert_eq!(message.as_deref(), expected);
}

#[test]
fn without_a_queue_nothing_starts_and_the_set_says_so() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, |p| p);
    snapshot.scheduler.unsupported = seen(Some("kueue"), None).scheduler.unsupported;
    let held = plan(&snapshot);
    let parts = lists(&held).into_iter().flat_map(|(_, parts)| parts);
    assert_eq!(parts.map(|(_, pods, _)| pods.len()).sum::<usize>(), 0);
    let status = held.status.unwrap();
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!((&*ready.status, &*ready.reason), ("False", "QueueNotFound"));
    assert!(ready.message.contains(SAYS), "{}", ready.message);
}

/// A check of a new template sends a pod as it would be created.
#[rstest]
#[case::of_the_profile(Some("kueue"), Some("default-scheduler"))]
#[case::of_none(Some("default-scheduler"), None)]
#[case::unnamed(None, None)]
fn pods_get_the_scheduler_of_the_profile(
    #[case] scheduler: Option<&str>,
    #[case] in_pods: Option<&str>,
) {
    let found = seen(scheduler, None).scheduler.name_in_pods;
    assert_eq!(found.as_deref(), in_pods);
}
