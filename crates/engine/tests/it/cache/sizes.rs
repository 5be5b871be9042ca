//! The sum of the sizes of the sets of a namespace.

use api::PodCliqueSet;
use domain::Key;
use domain::object::size::bytes;
use engine::Cache;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::{after, set};

fn named(namespace: &str, name: &str, second: i64, text: usize) -> PodCliqueSet {
    let mut set = set(name).clique("a", |c| c).build();
    set.metadata.namespace = Some(namespace.into());
    set.metadata.uid = Some(format!("{namespace}-{name}"));
    set.metadata.resource_version = Some("1".into());
    set.metadata.generation = Some(1);
    set.metadata.creation_timestamp = Some(Time(after(second)));
    let clique = &mut set.spec.template.cliques[0];
    clique.annotations.insert("text".into(), "x".repeat(text));
    set
}

fn size(set: &PodCliqueSet) -> i128 {
    bytes(&set.spec)
}

#[test]
fn they_are_summed_by_namespace_and_age() {
    let cache = Cache::<PodCliqueSet>::default();
    let [first, second, third] = [("a", 3, 100), ("b", 1, 2_000), ("c", 2, 30)]
        .map(|(name, at, text)| named("mine", name, at, text));
    let other = named("others", "a", 0, 5_000);
    for set in [&first, &second, &third, &other] {
        cache.apply(set.clone());
    }
    assert_eq!(
        cache.bytes_beside(&Key::new("mine", "a")),
        size(&second) + size(&third)
    );
    let new = size(&first) + size(&second) + size(&third);
    assert_eq!(cache.bytes_beside(&Key::new("mine", "new")), new);
    assert_eq!(cache.bytes_beside(&Key::new("none", "new")), 0);
    assert_eq!(cache.bytes_before(&second), 0);
    assert_eq!(cache.bytes_before(&third), size(&second));
    assert_eq!(cache.bytes_before(&first), size(&second) + size(&third));
    let mut all = cache.bytes_by_namespace();
    all.sort();
    assert_eq!(all, [("mine".into(), new), ("others".into(), size(&other))]);
}

#[test]
fn a_change_and_an_end_are_followed() {
    let cache = Cache::<PodCliqueSet>::default();
    let before = named("mine", "a", 1, 100);
    cache.apply(before.clone());
    let mut after = named("mine", "a", 1, 200);
    after.metadata.resource_version = Some("2".into());
    after.metadata.generation = Some(2);
    cache.apply(after.clone());
    let beside = || cache.bytes_beside(&Key::new("mine", "b"));
    assert_eq!(beside(), size(&after));
    assert_eq!(
        cache.in_namespace("mine", |_| true),
        [Key::new("mine", "a")]
    );
    cache.delete(&after.metadata);
    assert_eq!(beside(), 0);
    assert!(cache.bytes_by_namespace().is_empty());
    assert!(cache.in_namespace("mine", |_| true).is_empty());
}
