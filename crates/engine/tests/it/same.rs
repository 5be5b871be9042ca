//! Versions of a pod that differ in no field that is read trigger no controller.

use domain::Pod;
use engine::triggers::{Triggers, find};
use engine::{Caches, Change, ControllerName, Watched};
use testkit::builders::{pod, podclique};

const READER: ControllerName = ControllerName("reader");

fn ready() -> Pod {
    let podclique = podclique("demo-0-a").build();
    Pod::clone(&pod(&podclique, 0).ready().build())
}

fn with(change: impl FnOnce(&mut Pod)) -> Pod {
    let mut pod = ready();
    pod.metadata.resource_version = Some("next".into());
    change(&mut pod);
    pod
}

fn said(pod: &Pod) -> String {
    format!("{:?}", (&pod.metadata.labels, &pod.spec, &pod.status))
}

#[test]
fn a_version_without_news_is_the_same() {
    let (before, after) = (ready(), with(|_| {}));
    assert_ne!(
        before.metadata.resource_version,
        after.metadata.resource_version
    );
    assert!(Pod::says_the_same(&before, &after));
}

#[test]
fn whatever_is_read_is_news() {
    let changes: [fn(&mut Pod); 10] = [
        |pod| pod.metadata.uid = Some("other".into()),
        |pod| pod.metadata.labels = None,
        |pod| pod.metadata.annotations = Some([("a".into(), "b".into())].into()),
        |pod| pod.metadata.owner_references = None,
        |pod| pod.metadata.finalizers = Some(vec!["example.com/kept".into()]),
        |pod| pod.metadata.deletion_timestamp = pod.metadata.creation_timestamp.clone(),
        |pod| pod.metadata.deletion_grace_period_seconds = Some(0),
        |pod| pod.spec.node_name = Some("other".into()),
        |pod| pod.status.conditions.clear(),
        |pod| pod.status.phase = Some("Failed".into()),
    ];
    for change in changes {
        let after = with(change);
        assert!(!Pod::says_the_same(&ready(), &after), "{}", said(&after));
    }
}

#[test]
fn only_a_read_change_triggers_its_readers() {
    let mut triggers = Triggers::default();
    let mut reader = triggers.of(READER);
    reader.on_change::<Pod>(|change, _| find::own(change));
    let triggered = |old: Option<Pod>, new: Option<Pod>| {
        let change = Change {
            old: old.map(Into::into),
            new: new.map(Into::into),
        };
        triggers.after(&change, &Caches::default()).len()
    };
    assert_eq!(triggered(Some(ready()), Some(with(|_| {}))), 0);
    assert_eq!(
        triggered(Some(ready()), Some(with(|p| p.status.phase = None))),
        2
    );
    assert_eq!(triggered(None, Some(ready())), 1);
    assert_eq!(triggered(Some(ready()), None), 1);
}
