//! Twins: pods that two operators created at once for one index of a PodClique, each before it saw the
//! other one (decision 11).

use std::collections::BTreeMap;

use api::labels::POD_CLIQUE;
use serde_json::{Value, json};
use sim::check::Horizon;
use sim::store::Record;
use sim::{Call, Id, Resource, Store, view};

use crate::slots::slot;

/// The pods that were created so far, and the twins among them.
#[derive(Default)]
pub struct Twins {
    /// The number of its operator and the place of its record in the log, by uid.
    created: BTreeMap<String, (usize, usize)>,
    pairs: Vec<Pair>,
}

struct Pair {
    slot: String,
    uids: [String; 2],
}

impl Twins {
    /// Notes the pod that this operator created with the record at this place of the log, if it created
    /// one. `horizon` is how much of the log the operator had seen when it decided. Returns whether the
    /// pod is the second one of a pair.
    pub fn note(
        &mut self,
        store: &Store,
        place: usize,
        operator: usize,
        horizon: &Horizon,
    ) -> bool {
        let is_creation = |r: &&Record| r.id.resource == Resource::Pod && r.before.is_none();
        let record = store.log.get(place).filter(is_creation);
        let Some(pod) = record.and_then(|r| r.after.as_ref()) else {
            return false;
        };
        let is_unseen = |other: &Value| {
            let created = self.created.get(view::uid(other));
            created.is_some_and(|(creator, at)| {
                *creator != operator && *at >= horizon.of(Resource::Pod)
            })
        };
        let mut pods = store.all(Resource::Pod).map(|(_, other)| other);
        let first = pods.find(|other| {
            !view::is_terminating(other) && index(other) == index(pod) && is_unseen(other)
        });
        let pair = first.map(|first| Pair {
            slot: slot(pod),
            uids: [view::uid(first), view::uid(pod)].map(str::to_owned),
        });
        let is_second = pair.is_some();
        self.pairs.extend(pair);
        let uid = view::uid(pod).to_owned();
        self.created.insert(uid, (operator, place));
        is_second
    }

    /// How many pods more than without twins each slot had. A pair of which both still exist adds none.
    pub fn of_slots(&self, store: &Store) -> BTreeMap<&str, usize> {
        let is_gone = |uid: &String| store.by_uid(uid).is_none();
        let settled = self.pairs.iter().filter(|p| p.uids.iter().any(is_gone));
        let mut slots = BTreeMap::new();
        for pair in settled {
            *slots.entry(pair.slot.as_str()).or_default() += 1;
        }
        slots
    }
}

/// The uid of its PodClique, and its index there.
fn index(pod: &Value) -> (Option<&str>, Option<i64>) {
    let owner = view::owner(pod).map(|(_, _, uid)| uid);
    (owner, view::index(pod))
}

/// Two creations of pods.
struct Case {
    /// The operator of the second one; that of the first one is 1.
    operator: usize,
    /// The PodClique and the index of the second one; those of the first one are `svc-0-a` and 0.
    place: (&'static str, usize),
    /// Whether the second operator had seen the first pod when it decided.
    has_seen: bool,
    /// Whether the first pod was deleted before.
    is_deleted: bool,
}

/// The second one was created at the same index of the same PodClique by another operator.
const TWIN: Case = Case {
    operator: 2,
    place: ("svc-0-a", 0),
    has_seen: false,
    is_deleted: false,
};

/// The twins after both creations, and whether the second pod is one.
fn play(case: &Case, store: &mut Store) -> (Twins, bool) {
    let mut twins = Twins::default();
    let mut horizon = Horizon::default();
    create(store, "first", TWIN.place);
    assert!(!twins.note(store, 0, 1, &horizon), "it is alone");
    if case.has_seen {
        horizon.set(Resource::Pod, store.log.len());
    }
    if case.is_deleted {
        store.remove("operator", &Id::new(Resource::Pod, "first"));
    }
    let place = store.log.len();
    create(store, "second", case.place);
    let is_twin = twins.note(store, place, case.operator, &horizon);
    (twins, is_twin)
}

fn create(store: &mut Store, name: &str, (podclique, index): (&str, usize)) {
    let owner = json!({
        "kind": "PodClique", "name": podclique, "uid": podclique, "controller": true,
    });
    let pod = json!({
        "metadata": {
            "name": name,
            "labels": {POD_CLIQUE: podclique},
            "ownerReferences": [owner],
        },
        "spec": {"hostname": format!("{podclique}-{index}")},
    });
    let path = Resource::Pod.path("default");
    let answer = store.handle("operator", &Call::new("POST", &path, pod));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

fn empty() -> Store {
    Store::new(testkit::builders::after(0))
}

#[test]
fn only_two_creations_at_once_for_one_index_make_twins() {
    let same_operator = Case {
        operator: 1,
        ..TWIN
    };
    let other_index = Case {
        place: ("svc-0-a", 1),
        ..TWIN
    };
    let other_podclique = Case {
        place: ("svc-1-a", 0),
        ..TWIN
    };
    let seen = Case {
        has_seen: true,
        ..TWIN
    };
    let successor = Case {
        is_deleted: true,
        ..TWIN
    };
    for (name, case, expected) in [
        ("twin", TWIN, true),
        ("same operator", same_operator, false),
        ("other index", other_index, false),
        ("other PodClique", other_podclique, false),
        ("seen", seen, false),
        ("successor", successor, false),
    ] {
        let (_, is_twin) = play(&case, &mut empty());
        assert_eq!(is_twin, expected, "{name}");
    }
}

/// A request that was refused creates nothing.
#[test]
fn a_place_without_a_record_has_no_twin() {
    let mut store = empty();
    let (mut twins, _) = play(&TWIN, &mut store);
    let place = store.log.len();
    assert!(!twins.note(&store, place, 2, &Horizon::default()));
}

#[test]
fn a_pair_is_one_pod_more_once_one_of_them_is_gone() {
    let mut store = empty();
    let (twins, _) = play(&TWIN, &mut store);
    assert_eq!(twins.of_slots(&store), BTreeMap::new());
    store.remove("operator", &Id::new(Resource::Pod, "second"));
    assert_eq!(twins.of_slots(&store), BTreeMap::from([("0-a#0", 1)]));
}
