//! When decisions about claims are repeated.

use api::labels;
use domain::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::decide::decide;
use testkit::builders::after;

use super::{add, add_deleted, caches, of_clique, of_set, seen, user, waits_for};
use crate::situation::now;

/// The end of other PodCliques' pods triggers nothing here unless pods wait for a claim.
#[test]
fn the_loss_of_other_pods_is_awaited_only_while_pods_wait_for_a_claim() {
    let caches = caches();
    for name in ["demo-0-worker-0-own", "demo-0-worker-1-own"] {
        add(&caches, name, of_clique());
    }
    let mut holder = user(0, &["demo-all-pool"]);
    holder.metadata.name = Some("demo-0-other-x".into());
    holder.metadata.owner_references = None;
    let all = holder.metadata.labels.as_mut().unwrap();
    all.remove(labels::POD_CLIQUE);
    holder.metadata.deletion_timestamp = Some(Time(after(30)));
    caches.of::<Pod>().apply(holder);
    add(&caches, "demo-all-pool", of_set());
    assert_eq!(decide(&seen(&caches), now()).wake_at, None);
    add_deleted(&caches, "demo-all-pool", of_set(), Some(after(40)));
    assert!(!waits_for(&seen(&caches)).is_empty());
    assert_eq!(decide(&seen(&caches), now()).wake_at, Some(after(90)));
}
