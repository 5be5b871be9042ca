//! Undecodable objects: left alone, or deleted by their metadata.

use std::time::Duration;

use serde_json::{Value, json};
use sim::{Call, Id, Resource, Store, view};

use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{create, ready_pods, service};
use crate::undisturbed::WARM_UP;

const LIMIT: Duration = Duration::from_mins(10);
/// Longer than the time until an undecodable object has its event.
const WHILE: Duration = Duration::from_secs(90);
const LINES: usize = 60;
/// Pods of the set.
const PODS: usize = 6;

/// One object of each kind with a finalizer until its children are gone, and of both kinds of
/// owners.
const VICTIMS: [(Resource, &str); 5] = [
    (Resource::PodCliqueSet, "svc"),
    (Resource::PodCliqueScalingGroup, "svc-0-g"),
    (Resource::PodClique, "svc-0-a"),
    (Resource::PodClique, "svc-0-g-0-b"),
    (Resource::PodGang, "svc-0"),
];

/// An undecodable field, and the place of its error.
type Spoil = (fn(&mut Value), &'static str);

const SPOILS: [Spoil; 3] = [
    (
        |object| {
            let condition = json!([{"type": "Odd", "status": "True", "reason": "Odd", "message": "",
                "lastTransitionTime": "9999-12-31T23:59:59Z"}]);
            object["status"]["conditions"] = condition;
        },
        "status.conditions[0].lastTransitionTime",
    ),
    (
        |object| object["spec"] = json!({"of": "another version"}),
        "spec",
    ),
    (
        |object| {
            object["spec"] = json!({"of": "another version"});
            object["status"]["conditions"] = json!(7);
        },
        "",
    ),
];

/// How an object is deleted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deletion {
    Background,
    Orphan,
}

/// A cluster with a running set.
fn running() -> Begin {
    in_paused_time(async {
        let mut ring = Ring::start(Begin::empty());
        ring.start_operator();
        let set = service();
        ring.wire.server.with_store(|store| create(store, &set));
        ring.come_to_rest(LIMIT).await.unwrap();
        let ready = ring.wire.server.with_store(|store| ready_pods(store));
        assert_eq!(ready, PODS);
        ring.present()
    })
}

fn delete(store: &mut Store, id: &Id, how: Deletion) {
    let path = format!("{}/{}", id.resource.path("default"), id.name);
    let options = match how {
        Deletion::Background => json!({"propagationPolicy": "Background"}),
        Deletion::Orphan => json!({"propagationPolicy": "Orphan"}),
    };
    let answer = store.handle("user", &Call::new("DELETE", &path, options));
    assert!(answer.code < 300, "{:?}", answer.body);
}

fn uid(store: &Store, id: &Id) -> String {
    let object = store.get(id);
    object.map_or_else(String::new, |object| view::uid(object).to_owned())
}

/// The object's Warnings.
fn warnings(store: &Store, uid: &str) -> Vec<String> {
    let events = store.all(Resource::Event).map(|(_, event)| event);
    let own = events.filter(|event| {
        view::text(event, "/regarding/uid") == uid && view::text(event, "/reason") == "Unreadable"
    });
    own.map(|event| view::text(event, "/note").to_owned())
        .collect()
}

fn pod_uids(store: &Store) -> Vec<String> {
    let pods = store.all(Resource::Pod);
    pods.map(|(_, pod)| view::uid(pod).to_owned()).collect()
}

/// Breaks the object and deletes it, with or without an operator that has seen it intact; returns
/// the problem.
async fn run(
    begin: Begin,
    id: &Id,
    (spoil, place): Spoil,
    how: Deletion,
    is_new: bool,
) -> Result<(), String> {
    let mut ring = Ring::start(begin);
    if !is_new {
        ring.start_operator();
        ring.pass(WARM_UP).await?;
    }
    let with = |ring: &Ring| ring.wire.server.clone();
    let before = with(&ring).with_store(|store| {
        store.edit("user", id, spoil);
        uid(store, id)
    });
    let pods = with(&ring).with_store(|store| pod_uids(store));
    if is_new {
        ring.start_operator();
    }
    ring.pass(WHILE).await?;
    with(&ring).with_store(|store| {
        let said = warnings(store, &before);
        let expected = format!("cannot be read: {place}");
        if uid(store, id) != before || pod_uids(store) != pods {
            return Err("it is not left alone".to_owned());
        }
        match said.as_slice() {
            [one] if one.starts_with(&expected) && one.contains("the operator ignores it") => {
                Ok(())
            }
            _ => Err(format!("it says {said:?}")),
        }
    })?;
    with(&ring).with_store(|store| delete(store, id, how));
    ring.come_to_rest(LIMIT).await?;
    let judged = with(&ring).with_store(|store| judge(store, id, &before, &pods, how));
    judged.map_err(|wrong| format!("{wrong}\n{}", ring.story(LINES)))
}

fn judge(
    store: &Store,
    id: &Id,
    before: &str,
    pods: &[String],
    how: Deletion,
) -> Result<(), String> {
    if store.by_uid(before).is_some() {
        return Err("it is still there".to_owned());
    }
    let said = warnings(store, before);
    // A PodGang is gone at once: it has no finalizer.
    let is_held = id.resource != Resource::PodGang;
    if is_held && !said.iter().any(|note| note.contains("by their metadata")) {
        return Err(format!("it did not say that it goes: {said:?}"));
    }
    let is_set = id.resource == Resource::PodCliqueSet;
    match how {
        Deletion::Orphan if pod_uids(store) != pods => {
            Err("a pod that was left is gone".to_owned())
        }
        Deletion::Background if is_set && !pod_uids(store).is_empty() => {
            Err("a pod is left".to_owned())
        }
        Deletion::Background if !is_set && ready_pods(store) != PODS => {
            Err("what was to be made again is not".to_owned())
        }
        Deletion::Background if is_set => {
            let left = store
                .objects()
                .find(|(id, _)| id.resource != Resource::Event);
            left.map_or(Ok(()), |(id, _)| Err(format!("{} is left", id.name)))
        }
        _ => Ok(()),
    }
}

/// Its children go with it, and its owner recreates it; before that it is left alone.
#[test]
fn an_undecodable_object_is_deleted_by_its_metadata() {
    let begin = running();
    let mut wrong = Vec::new();
    for (resource, name) in VICTIMS {
        for (number, spoil) in SPOILS.into_iter().enumerate() {
            for is_new in [false, true] {
                let id = Id::new(resource, name);
                let run = run(begin.clone(), &id, spoil, Deletion::Background, is_new);
                let judged = in_paused_time(run);
                let case = format!("{name}, spoil {number}, new operator {is_new}");
                wrong.extend(judged.err().map(|why| format!("{case}: {why}")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn children_of_an_undecodable_set_stay_on_request() {
    let begin = running();
    for (number, spoil) in SPOILS.into_iter().enumerate() {
        for is_new in [false, true] {
            let id = Id::new(Resource::PodCliqueSet, "svc");
            let run = run(begin.clone(), &id, spoil, Deletion::Orphan, is_new);
            in_paused_time(run).unwrap_or_else(|why| panic!("spoil {number}, {is_new}: {why}"));
        }
    }
}
