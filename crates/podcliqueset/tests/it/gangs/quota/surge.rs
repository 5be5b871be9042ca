//! Quota for the surge pods of updates (decision 186).

use api::podclique::PclqUpdateProgress;
use api::podcliqueset::RollingUpdate;

use super::*;

/// One surge pod of the frontend may exist, whose two pods are old.
#[rstest]
#[case::is_asked_for_before_it_exists(Backend::Kubernetes, None, 3)]
#[case::that_is_given_up_is_not(Backend::Kubernetes, Some("no quota"), 2)]
#[case::exists_first_with_other_backends(Backend::DefaultScheduler, None, 2)]
fn surge_of_an_update(
    #[case] backend: Backend,
    #[case] without: Option<&str>,
    #[case] expected: i32,
) {
    let mut demo = demo().build();
    demo.spec.template.cliques[0].rolling_update = Some(RollingUpdate {
        max_surge: Some(1),
        ..RollingUpdate::default()
    });
    let mut snapshot = laid_out(&demo);
    snapshot.scheduler.is_queued = true;
    snapshot.scheduler.backend = backend;
    fill_all(&mut snapshot, |p| p);
    go_on(&mut snapshot);
    store_quota(&mut snapshot, 0, &ALL);
    go_on(&mut snapshot);
    let frontend = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let podclique = Arc::make_mut(&mut frontend.podclique);
    let annotations = podclique.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::MADE_WITH_HASH.into(), "r1older".into());
    let begun = PclqUpdateProgress::begin("r1generation".into(), "r1".into(), Time(after(50)));
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(2),
        surge_from: Some(2),
        without_surge: without.map(str::to_owned),
        ..begun
    });
    fill(&mut snapshot, "demo-0-frontend", 2, |p| {
        p.ready().with(|pod| {
            let all = pod.metadata.labels.get_or_insert_default();
            all.insert(labels::POD_TEMPLATE_HASH.into(), "r1older".into());
        })
    });
    let status = Arc::make_mut(&mut snapshot.stored).status.as_mut();
    status.unwrap().update_progress = Some(PcsUpdateProgress {
        currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(50)))],
        ..PcsUpdateProgress::begin(Time(after(50)))
    });
    go_on(&mut snapshot);
    assert_eq!(request_of(&snapshot).unwrap()["demo-0-frontend"], expected);
}

/// An old pod ends while a surge pod serves. Without quota for both its successor would come and go.
#[test]
fn surge_counts_beside_a_pod_that_is_replaced() {
    let mut snapshot = started();
    fill(&mut snapshot, "demo-0-frontend", 3, PodBuilder::ready);
    let frontend = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    frontend.pods.remove(0);
    go_on(&mut snapshot);
    let wanted = |snapshot: &Snapshot| request_of(snapshot).unwrap()["demo-0-frontend"];
    assert_eq!(wanted(&snapshot), 2, "scale-in kept an index");
    let frontend = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let podclique = Arc::make_mut(&mut frontend.podclique);
    let begun = PclqUpdateProgress::begin("r1generation".into(), "r1".into(), Time(after(50)));
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        surge_from: Some(2),
        ..begun
    });
    go_on(&mut snapshot);
    assert_eq!(wanted(&snapshot), 3);
}
