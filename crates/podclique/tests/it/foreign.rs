//! Forged owner references and labels.

use domain::Pod;
use engine::Caches;
use testkit::builders::{pod, podclique};

/// A user who learns the uid of a PodClique in another namespace may write it into an owner
/// reference.
#[test]
fn pods_of_another_namespace_are_not_believed() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let elsewhere = pod(&clique, 0).ready().with(|p| {
        p.metadata.namespace = Some("other".into());
        p.metadata.uid = Some("forged".into());
    });
    let of_another_version = pod(&clique, 0).ready().with(|p| {
        p.metadata.name = Some("demo-0-worker-forged".into());
        p.metadata.uid = Some("forged-too".into());
        p.metadata.owner_references.as_mut().unwrap()[0].api_version = "grove.io/v0".into();
    });
    let caches = Caches::default();
    let own = pod(&clique, 0).ready();
    for pod in [own, elsewhere, of_another_version] {
        caches.of::<Pod>().apply(Pod::clone(&pod.build()));
    }
    let seen =
        podclique::observe::observe(&clique, &caches, &podclique::PodCliqueReconciler::default());
    let uids: Vec<_> = seen.pods.iter().map(|p| p.uid().to_owned()).collect();
    assert_eq!(uids, [pod(&clique, 0).build().uid()]);
}
