//! Objects are kept once, and take no more memory than they need.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodClique, PodCliqueSet, labels};
use domain::Key;
use domain::object::pod::PodCondition;
use engine::Cache;
use engine::scope::Scope;
use testkit::builders::{podclique, set};

use super::{key, pod};

#[test]
fn an_unchanged_object_of_a_list_is_not_kept_twice() {
    let cache = Cache::default();
    cache.apply(pod("u", 1));
    let known = cache.get(&key()).unwrap();
    cache.begin_list(&Scope::Cluster);
    cache.list_item(&Scope::Cluster, pod("u", 1));
    assert_eq!(Arc::strong_count(&known), 3, "here, shown, and in the list");
    assert!(cache.end_list(&Scope::Cluster).is_empty());
    assert!(Arc::ptr_eq(&known, &cache.get(&key()).unwrap()));
}

#[test]
fn lists_have_room_for_their_entries_only() {
    let cache = Cache::default();
    let mut grown = pod("u", 1);
    grown.status.conditions = Vec::with_capacity(8);
    grown.status.conditions.push(PodCondition::default());
    cache.apply(grown);
    let known = cache.get(&key()).unwrap();
    assert_eq!(known.status.conditions.capacity(), 1);
}

fn annotated<K: Clone + kube::Resource>(object: &K, keys: &[&str]) -> K {
    let mut object = object.clone();
    let all = keys.iter().map(|key| ((*key).to_owned(), "x".to_owned()));
    object.meta_mut().annotations = Some(all.collect());
    object
}

fn keys(annotations: Option<&BTreeMap<String, String>>) -> Vec<&str> {
    let all = annotations.expect("known to have some").keys();
    all.map(String::as_str).collect()
}

/// The existence of annotations is known all the same: a patch that adds one must not remove them.
#[test]
fn annotations_of_others_are_not_kept_of_pods() {
    const FOREIGN: &str = "k8s.v1.cni.cncf.io/network-status";
    let kept = |has: &[&str]| {
        let cache = Cache::default();
        cache.apply(annotated(&pod("u", 1), has));
        cache.get(&key()).unwrap().metadata.annotations.clone()
    };
    assert_eq!(
        keys(kept(&[FOREIGN, "grove.io/start"]).as_ref()),
        ["grove.io/start"]
    );
    assert!(keys(kept(&[FOREIGN]).as_ref()).is_empty());
}

#[test]
fn the_manifest_in_an_annotation_is_not_kept_of_sets() {
    let cache = Cache::<PodCliqueSet>::default();
    let has = [labels::LAST_APPLIED, "example.com/note"];
    cache.apply(annotated(&set("demo").build(), &has));
    let known = cache.get(&Key::new("default", "demo")).unwrap();
    assert_eq!(
        keys(known.metadata.annotations.as_ref()),
        ["example.com/note"]
    );
}

fn of_template(name: &str, image: &str) -> PodClique {
    let made = podclique(name).with(|c| {
        c.spec.pod_spec.containers[0].image = Some(image.into());
    });
    (*made.build()).clone()
}

#[test]
fn podcliques_of_one_template_have_one_template() {
    let cache = Cache::<PodClique>::default();
    let of = |name: &str| {
        let known = cache.get(&Key::new("default", name)).unwrap();
        known.spec.pod_spec.clone()
    };
    cache.apply(of_template("demo-0-worker", "main:1"));
    cache.apply(of_template("demo-1-worker", "main:1"));
    let kept = of("demo-0-worker");
    assert!(kept.is_shared_with(&of("demo-1-worker")));

    // The label is the same, the template is not.
    cache.apply(of_template("demo-2-worker", "main:2"));
    assert!(!kept.is_shared_with(&of("demo-2-worker")));
    assert_eq!(
        of("demo-2-worker").containers[0].image.as_deref(),
        Some("main:2")
    );
    assert_eq!(
        of("demo-0-worker").containers[0].image.as_deref(),
        Some("main:1")
    );
}
