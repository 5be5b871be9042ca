//! The nine states of a slot: one row for each decision that they replace.

use std::cell::RefCell;
use std::sync::Arc;

use api::podcliqueset::ReplicaAttempt;
use api::{LastError, PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::Key;
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::roster::{ObservedClique, Owner, ReplicaOwner, Roster, Slot, classify, has_previous};
use domain::workload::layout::{self, Layout};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, pod, podclique, set, stored};

fn observed(attempt: Attempt, is_terminating: bool) -> ObservedClique {
    let adapt = |c: &mut PodClique| {
        let all = c.metadata.annotations.get_or_insert_default();
        all.extend(
            attempt
                .annotations()
                .map(|(k, n)| (k.to_owned(), n.to_string())),
        );
    };
    let built = podclique("demo-0-g-0-w").with(adapt);
    let built = if is_terminating {
        built.terminating(30)
    } else {
        built
    };
    ObservedClique {
        podclique: built.build(),
        pods: vec![],
        lost: vec![],
    }
}

fn state<T>(slot: &Slot<T>) -> &'static str {
    match slot {
        Slot::Empty => "Empty",
        Slot::Done => "Done",
        Slot::Current(_) => "Current",
        Slot::Terminating(_) => "Terminating",
        Slot::Previous(_) => "Previous",
        Slot::Ahead(_) => "Ahead",
        Slot::Orphan(_) => "Orphan",
        Slot::Leftover(_) => "Leftover",
        Slot::Foreign(_) => "Foreign",
    }
}

const fn at(set: i32, group: i32) -> Attempt {
    Attempt { set, group }
}

#[rstest]
// The present attempt, controlled by the set.
#[case::it_counts(Owner::Set, at(2, 1), false, "Current")]
#[case::it_is_being_deleted(Owner::Set, at(2, 1), true, "Terminating")]
// Decision 36: an earlier attempt of the set's replica is deleted, terminating or not.
#[case::earlier_of_the_set(Owner::Set, at(1, 5), false, "Previous")]
#[case::earlier_and_going(Owner::Set, at(1, 1), true, "Previous")]
// Decision 32: the pair is compared, so an earlier attempt of the group replica does not count.
#[case::earlier_of_the_group(Owner::Set, at(2, 0), false, "Previous")]
// Decision 37: a later attempt is followed.
#[case::later_of_the_set(Owner::Set, at(3, 0), false, "Ahead")]
#[case::later_and_going(Owner::Set, at(3, 1), true, "Ahead")]
// The group has raised its attempt, and the cache does not show its status yet: its pods run.
#[case::later_of_the_group(Owner::Set, at(2, 2), false, "Current")]
// Decisions 69 and 71: without a controller it is adopted in the present attempt only.
#[case::to_be_adopted(Owner::Nobody, at(2, 1), false, "Orphan")]
#[case::going_without_owner(Owner::Nobody, at(2, 1), true, "Terminating")]
#[case::left_of_an_earlier_one(Owner::Nobody, at(1, 1), false, "Leftover")]
#[case::left_of_an_earlier_one_and_going(Owner::Nobody, at(1, 1), true, "Leftover")]
#[case::left_of_a_later_one(Owner::Nobody, at(3, 1), false, "Leftover")]
#[case::left_of_another_group_attempt(Owner::Nobody, at(2, 2), false, "Leftover")]
// Decision 69: an earlier set of the same name, or any other owner.
#[case::foreign(Owner::Foreign, at(2, 1), false, "Foreign")]
#[case::foreign_and_going(Owner::Foreign, at(1, 0), true, "Foreign")]
fn a_podclique_that_was_found_is_in_one_state(
    #[case] owner: Owner,
    #[case] attempt: Attempt,
    #[case] is_terminating: bool,
    #[case] expected: &str,
) {
    let found = observed(attempt, is_terminating);
    assert_eq!(
        state(&classify((), &found.podclique.metadata, at(2, 1), owner)),
        expected
    );
}

#[rstest]
#[case("Current", true, true)]
#[case("Orphan", true, true)]
#[case("Terminating", false, true)]
#[case("Previous", false, false)]
#[case("Ahead", false, false)]
#[case("Leftover", false, false)]
#[case("Foreign", false, false)]
fn a_state_says_whether_it_counts(
    #[case] name: &str,
    #[case] stands: bool,
    #[case] is_present: bool,
) {
    let slot = match name {
        "Current" => Slot::Current(()),
        "Orphan" => Slot::Orphan(()),
        "Terminating" => Slot::Terminating(()),
        "Previous" => Slot::Previous(()),
        "Ahead" => Slot::Ahead(()),
        "Leftover" => Slot::Leftover(()),
        _ => Slot::Foreign(()),
    };
    assert_eq!(slot.standing().is_some(), stands);
    assert_eq!(slot.present().is_some(), is_present);
    assert!(slot.occupant().is_some());
}

/// A set `demo` with a frontend and a group, and a slot for each of their PodCliques.
struct World {
    set: PodCliqueSet,
    groups: Vec<PodCliqueScalingGroup>,
    podcliques: Vec<ObservedClique>,
}

fn group(set: &PodCliqueSet) -> PodCliqueScalingGroup {
    let mut metadata = stored("demo-0-g");
    metadata.owner_references = Some(vec![ownership::controller_reference(set)]);
    PodCliqueScalingGroup {
        metadata,
        spec: api::PodCliqueScalingGroupSpec {
            replicas: 2,
            min_available: Some(1),
            clique_names: vec!["w".into()],
            ..Default::default()
        },
        status: None,
    }
}

fn world() -> World {
    let set = set("demo")
        .clique("front", |c| c)
        .clique("w", |c| c)
        .group("g", ["w"], |g| g.replicas(2).min(1))
        .build();
    World {
        groups: vec![group(&set)],
        podcliques: Vec::new(),
        set,
    }
}

fn raised() -> Vec<ReplicaAttempt> {
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    begin_attempts(&[], [(0, cause)], after(60))
}

impl World {
    fn put(&mut self, name: &str, owner: Option<&str>) {
        let owner = match owner {
            Some("set") => Some(ownership::controller_reference(&self.set)),
            Some("group") => Some(ownership::controller_reference(&self.groups[0])),
            Some(uid) => {
                let mut reference = ownership::controller_reference(&self.set);
                uid.clone_into(&mut reference.uid);
                Some(reference)
            }
            None => None,
        };
        let built = podclique(name).with(|c| {
            c.metadata.owner_references = owner.map(|o| vec![o]);
            c.metadata
                .annotations
                .get_or_insert_default()
                .remove(labels::ATTEMPT);
        });
        self.podcliques.push(ObservedClique {
            podclique: Arc::clone(&built.build()),
            pods: vec![],
            lost: vec![],
        });
    }

    fn layout(&self) -> Layout<'_> {
        layout::enumerate("demo", &self.set.spec.template, 1, |_, _| 2)
    }

    fn states(&self) -> Vec<(String, &'static str)> {
        let template = &self.set.spec.template;
        let roster = Roster::new(
            &self.set,
            template,
            self.layout(),
            &self.groups,
            &self.podcliques,
        );
        let parts = roster.layout.slots();
        let states = parts.map(|part| (part.name.clone(), state(&roster.slot(part))));
        states.collect()
    }
}

fn named(states: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    states.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect()
}

#[test]
fn each_slot_of_the_layout_has_a_state() {
    let mut world = world();
    world.put("demo-0-front", Some("set"));
    world.put("demo-0-g-1-w", Some("group"));
    let expected = [
        ("demo-0-front", "Current"),
        ("demo-0-g-0-w", "Empty"),
        ("demo-0-g-1-w", "Current"),
    ];
    assert_eq!(world.states(), named(&expected));
}

/// A pod on a node since second 40, one on its way out, one that waits, and one that is over; the quota
/// refuses another one since second 70.
#[rstest]
#[case::nothing(&[], false, None)]
#[case::a_pod_that_waits(&["waits"], false, None)]
#[case::a_pod_on_its_way_out(&["waits", "leaves"], false, None)]
#[case::a_pod_that_is_over(&["over"], false, None)]
#[case::a_node(&["waits", "bound"], false, Some(40))]
#[case::a_part_of_the_quota(&["waits"], true, Some(70))]
#[case::a_node_and_a_part_of_the_quota(&["bound"], true, Some(40))]
#[case::no_pod_at_all(&[], true, None)]
fn a_replica_holds_nodes_and_quota(
    #[case] pods: &[&str],
    #[case] is_refused: bool,
    #[case] since: Option<i64>,
) {
    let mut world = world();
    world.put("demo-0-front", Some("set"));
    let front = &mut world.podcliques[0];
    if is_refused {
        let status = Arc::make_mut(&mut front.podclique)
            .status
            .get_or_insert_default();
        status.last_errors = vec![LastError {
            code: "ERR_CREATE_POD".into(),
            description: "create Pod: exceeded quota: gpus".into(),
            observed_at: Time(after(70)),
        }];
    }
    let build = |given: &str| {
        let bound = || {
            pod(&front.podclique, 0).bound().with(|pod| {
                for condition in &mut pod.status.conditions {
                    condition.last_transition_time = Some(Time(after(40)));
                }
            })
        };
        match given {
            "bound" => bound().build(),
            "leaves" => bound().terminating(50).build(),
            "over" => bound().phase("Failed").build(),
            _ => pod(&front.podclique, 0).ungated().build(),
        }
    };
    let built: Vec<_> = pods.iter().map(|given| build(given)).collect();
    front.pods = built;
    let template = &world.set.spec.template;
    let layout = world.layout();
    let roster = Roster::new(
        &world.set,
        template,
        layout,
        &world.groups,
        &world.podcliques,
    );
    assert_eq!(roster.holds_since(0), since.map(after));
    assert_eq!(roster.holds_since(1), None, "there is no such replica");
}

#[test]
fn work_that_is_stored_as_done_needs_no_podclique() {
    let mut world = world();
    let mut attempts = raised();
    attempts[0].succeeded = vec!["demo-0-front".into()];
    world.set.status.get_or_insert_default().replica_attempts = attempts;
    let expected = [
        ("demo-0-front", "Done"),
        ("demo-0-g-0-w", "Empty"),
        ("demo-0-g-1-w", "Empty"),
    ];
    assert_eq!(world.states(), named(&expected));
}

/// An earlier set of the same name has another uid. A group without a controller is about to be
/// adopted, and its PodCliques with it.
#[test]
fn the_owner_reference_decides_and_not_a_label() {
    let mut world = world();
    world.groups[0].metadata.owner_references = None;
    world.put("demo-0-front", Some("uid-of-an-earlier-demo"));
    world.put("demo-0-g-0-w", Some("group"));
    world.put("demo-0-g-1-w", None);
    let expected = [
        ("demo-0-front", "Foreign"),
        ("demo-0-g-0-w", "Orphan"),
        ("demo-0-g-1-w", "Orphan"),
    ];
    assert_eq!(world.states(), named(&expected));
}

#[test]
fn a_raised_attempt_makes_all_of_its_replica_previous_or_leftover() {
    let mut world = world();
    world.set.status.get_or_insert_default().replica_attempts = raised();
    world.put("demo-0-front", Some("set"));
    world.put("demo-0-g-0-w", Some("group"));
    world.put("demo-0-g-1-w", None);
    let expected = [
        ("demo-0-front", "Previous"),
        ("demo-0-g-0-w", "Previous"),
        ("demo-0-g-1-w", "Leftover"),
    ];
    assert_eq!(world.states(), named(&expected));
}

/// The group deletes these itself, so the set does not.
#[test]
fn an_earlier_attempt_of_a_group_replica_is_not_the_sets_to_delete() {
    let mut world = world();
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    let attempts = begin_attempts(&[], [(1, cause)], after(60));
    world.groups[0]
        .status
        .get_or_insert_default()
        .replica_attempts = attempts;
    world.put("demo-0-g-0-w", Some("group"));
    world.put("demo-0-g-1-w", Some("group"));
    let expected = [
        ("demo-0-front", "Empty"),
        ("demo-0-g-0-w", "Current"),
        ("demo-0-g-1-w", "Previous"),
    ];
    assert_eq!(world.states(), named(&expected));
    let template = &world.set.spec.template;
    let roster = Roster::new(
        &world.set,
        template,
        world.layout(),
        &world.groups,
        &world.podcliques,
    );
    assert_eq!(roster.previous().count(), 0);
}

/// A replica that was never terminated is not searched; a terminated one is searched under all its
/// owners.
#[test]
fn an_earlier_attempt_is_looked_for_at_the_set_and_its_groups() {
    let asked = |attempts: Vec<ReplicaAttempt>| {
        let set = testkit::builders::set("demo")
            .clique("a", |c| c)
            .group("g", ["a"], |g| g)
            .with(|s| s.status.get_or_insert_default().replica_attempts = attempts)
            .build();
        let asked = RefCell::new(Vec::new());
        let found = has_previous(&set, 1, |owner, attempt| {
            asked.borrow_mut().push((owner.clone(), attempt));
            false
        });
        assert!(!found);
        asked.into_inner()
    };
    assert_eq!(asked(Vec::new()), []);
    let of_set = ReplicaOwner::Set(Key::new("default", "demo"), 1);
    let of_group = ReplicaOwner::Group(Key::new("default", "demo-1-g"));
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    let terminated = begin_attempts(&[], [(1, cause)], after(60));
    assert_eq!(asked(terminated), [(of_set, 1), (of_group, 1)]);
}
