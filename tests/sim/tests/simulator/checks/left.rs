//! Objects that have to outlive their owner: the two moments in which the operator may change them.

use super::*;

fn id(resource: Resource, name: &str) -> Id {
    Id::new(resource, name)
}

/// A user deletes the object, with or without its children.
fn delete(store: &mut Store, id: &Id, policy: &str) {
    store.edit("user", id, |object| {
        object["metadata"]["finalizers"] = json!(["grove.io/ours"]);
    });
    let path = format!("{}/{}", id.resource.path("default"), id.name);
    let call = Call::new("DELETE", &path, json!({"propagationPolicy": policy}));
    assert_eq!(store.handle("user", &call).code, 200);
}

/// The garbage collector has finished its pass.
fn end_pass(store: &mut Store, id: &Id) {
    store.edit("gc", id, |object| {
        object["metadata"]["finalizers"] = json!(["grove.io/ours"]);
    });
}

fn uid(store: &Store, id: &Id) -> Value {
    store.get(id).unwrap()["metadata"]["uid"].clone()
}

/// The way in which a child loses its controller.
#[derive(Clone, Copy, PartialEq)]
enum Release {
    /// The right way.
    Right,
    /// The set never recorded that its children stay.
    NothingAsked,
    /// The set did not store that before.
    NotStored,
    /// The record is of another set: a manifest was copied.
    StoredOfAnother,
    /// The garbage collector is still removing references.
    DuringThePass,
    /// The child does not record its former owner.
    Unmarked,
    /// More of the child changes.
    WithAnotherChange,
    /// A scaling group releases it, which it never does.
    ByAGroup,
}

fn broken_by(release: Release) -> Option<&'static str> {
    let mut store = store();
    let mut owner = id(Resource::PodCliqueSet, "demo");
    let child = id(Resource::PodClique, "demo-0-a");
    if release == Release::ByAGroup {
        owner = id(Resource::PodCliqueScalingGroup, "demo-0-g");
        let group = json!({"metadata": meta("demo-0-g"), "spec": {"replicas": 1}});
        create(&mut store, OPERATOR, Resource::PodCliqueScalingGroup, group);
        let uid = uid(&store, &owner);
        store.edit("user", &child, |c| {
            c["metadata"]["ownerReferences"] = json!([{
                "kind": "PodCliqueScalingGroup", "name": "demo-0-g", "uid": uid, "controller": true,
            }]);
        });
    }
    let set = uid(&store, &owner);
    let policy = match release {
        Release::NothingAsked => "Background",
        _ => "Orphan",
    };
    delete(&mut store, &owner, policy);
    let stored = match release {
        Release::NotStored => Value::Null,
        Release::StoredOfAnother => json!("another"),
        _ => set.clone(),
    };
    store.edit("user", &owner, |object| {
        object["metadata"]["annotations"] = json!({api::labels::ORPHAN_ASKED: stored});
    });
    if release != Release::DuringThePass {
        end_pass(&mut store, &owner);
    }
    let mut left = json!({"metadata": {
        "ownerReferences": null, "annotations": {api::labels::LEFT_BY: set},
    }});
    match release {
        Release::Unmarked => left["metadata"]["annotations"] = Value::Null,
        Release::WithAnotherChange => {
            left["metadata"]["labels"] = json!({"app.kubernetes.io/name": "other"});
        }
        _ => {}
    }
    patch(&mut store, "podcliques/demo-0-a", left);
    broken(&store)
}

#[test]
fn i5_a_set_releases_objects_of_the_user() {
    assert_eq!(broken_by(Release::Right), None);
    let wrong = [
        ("nothing asked", Release::NothingAsked),
        ("not stored", Release::NotStored),
        ("stored of another", Release::StoredOfAnother),
        ("during the pass", Release::DuringThePass),
        ("unmarked", Release::Unmarked),
        ("with another change", Release::WithAnotherChange),
        ("by a group", Release::ByAGroup),
    ];
    for (how, release) in wrong {
        assert_eq!(broken_by(release), Some("I5"), "{how}");
    }
}

/// The fence behind the termination of a PodClique whose group was deleted with `--cascade=orphan`.
#[derive(Clone, Copy, PartialEq)]
enum Fence {
    /// The set that controls the group.
    OfItsSet,
    /// There is none.
    None,
    /// A set of the same name that was applied later.
    OfAnotherSet,
    /// Its set, which is being deleted.
    OfASetThatGoes,
}

/// The invariant that the operator breaks when its deletion of the PodClique lands after the
/// garbage collector has removed the reference.
fn deleted_after(fence_by: Fence) -> Option<&'static str> {
    let mut store = breached("2025-12-31T23:59:50Z");
    let child = id(Resource::PodClique, "demo-0-a");
    let owner = id(Resource::PodCliqueScalingGroup, "demo-0-g");
    let mut group = json!({"metadata": meta("demo-0-g"), "spec": {"replicas": 1}});
    if fence_by == Fence::OfAnotherSet {
        group["metadata"]["ownerReferences"][0]["uid"] = json!("before");
    }
    create(&mut store, "user", Resource::PodCliqueScalingGroup, group);
    let in_hand = json!([{
        "kind": "PodCliqueScalingGroup", "name": "demo-0-g", "uid": uid(&store, &owner),
        "controller": true,
    }]);
    store.edit("user", &child, |c| {
        c["metadata"]["ownerReferences"] = in_hand;
    });
    let set = id(Resource::PodCliqueSet, "demo");
    if fence_by == Fence::OfASetThatGoes {
        delete(&mut store, &set, "Background");
    }
    if fence_by != Fence::None {
        let entry = json!({"replica": 0, "attempt": 1, "reason": "MinAvailableBreached"});
        store.edit("user", &set, |set| {
            set["status"]["replicaAttempts"] = json!([entry]);
        });
    }
    delete(&mut store, &owner, "Orphan");
    store.edit("gc", &child, |c| {
        c["metadata"]["ownerReferences"] = Value::Null;
    });
    let path = "/apis/grove.io/v1alpha1/namespaces/default/podcliques/demo-0-a";
    let call = Call::new("DELETE", path, Value::Null);
    assert_eq!(store.handle(OPERATOR, &call).code, 200);
    broken(&store)
}

#[test]
fn i29_a_podclique_of_a_terminated_replica_goes_though_its_group_was_orphaned_meanwhile() {
    assert_ne!(deleted_after(Fence::OfItsSet), Some("I29"));
    let wrong = [
        ("nobody", Fence::None),
        ("another set", Fence::OfAnotherSet),
        ("a set that goes", Fence::OfASetThatGoes),
    ];
    for (who, fence) in wrong {
        assert_eq!(deleted_after(fence), Some("I29"), "terminated by {who}");
    }
}
