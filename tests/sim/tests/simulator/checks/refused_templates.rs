//! I49: a PodClique takes a template that its set has, and of which pods are not refused.

use strum::IntoEnumIterator;

use super::*;

/// The set's PodClique has version 1, and the user has written version 2 just now.
fn edited() -> Store {
    edited_while(|_| {})
}

/// The same, but this happens before.
fn edited_while(act: impl FnOnce(&mut Store)) -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    let clique_1 = json!({"name": "a", "annotations": {"example.com/version": "1"}});
    let spec = json!({"replicas": 1, "template": {"cliques": [clique_1]}});
    let set = json!({"metadata": {"name": "demo"}, "spec": spec});
    create(&mut store, "user", Resource::PodCliqueSet, set);
    let id = Id::new(Resource::PodCliqueSet, "demo");
    store.edit("user", &id, |set| {
        set["status"] = json!({"currentGenerationHash": "g1"});
    });
    let mut podclique = clique();
    podclique["metadata"]["annotations"] = json!({"example.com/version": "1"});
    create(&mut store, "user", Resource::PodClique, podclique);
    act(&mut store);
    store.edit("user", &id, |set| {
        let clique = &mut set["spec"]["template"]["cliques"][0];
        clique["annotations"]["example.com/version"] = json!("2");
    });
    store
}

/// The operator, which knows all of it, writes this version into the PodClique. The invariant that it
/// breaks, if any.
fn taken(mut store: Store, version: &str) -> Option<&'static str> {
    let mut horizon = Horizon::default();
    for resource in Resource::iter() {
        horizon.set(resource, store.log.len());
    }
    let annotations = json!({"example.com/version": version});
    let body = json!({"metadata": {"annotations": annotations}});
    patch(&mut store, "podcliques/demo-0-a", body);
    let verdict = Checker::default().check(&store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i49_a_podclique_takes_a_template_that_its_set_does_not_have() {
    assert_eq!(taken(edited(), "2"), None);
    assert_eq!(taken(edited(), "3"), Some("I49"));
}

#[test]
fn i49_a_podclique_takes_a_template_of_which_pods_are_refused() {
    let store = edited_while(|store| {
        let since = store.log.len();
        store.refused.insert("2".to_owned(), since);
    });
    assert_eq!(taken(store, "2"), Some("I49"));
}
