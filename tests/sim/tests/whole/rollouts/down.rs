//! Coherent updates of which a part is down before the edit. In grove#873 the update waits for such a
//! part for ever; here nothing waits for units that were not available when the turn began.

use std::time::Duration;

use sim::{Id, Resource, Store, actors, view};

use super::course::{Course, play};
use super::graphs::{DECODE, PAIR, PREFILL, Part, TRIO};
use super::shape::{self, Shape};
use super::{CLAIMS, floor, reader};

/// Longer than an old pod may be not Ready before it counts as down.
const BROKEN_FOR: Duration = Duration::from_mins(1);

/// The units of a part that are down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Down {
    All,
    /// Those that are not in the base gang.
    Optional,
}

/// An update with a part that is down.
struct Case {
    shape: &'static Shape,
    part: &'static Part,
    down: Down,
}

/// The clique of the trio and each group of the pair. With a group all of which is down the base gang is
/// down, and the update has no steps; else the claim about versions has to hold.
fn cases() -> Vec<Case> {
    let pair = PAIR.parts.iter().flat_map(|part| {
        [Down::All, Down::Optional].map(|down| Case {
            shape: shape::named(PAIR.name),
            part,
            down,
        })
    });
    let router = Case {
        shape: shape::named(TRIO.name),
        part: &TRIO.parts[0],
        down: Down::All,
    };
    pair.chain([router]).collect()
}

impl Case {
    async fn play(&self, course: &mut Course, is_killed: bool) -> Result<(), String> {
        let shape = self.shape;
        course.run(&shape.manifest(), shape.pods).await?;
        course.store(|store| self.break_units(store));
        course.pass(BROKEN_FOR).await?;
        let began = course.length();
        course.store(|store| shape::edit(store, "2"));
        if is_killed {
            course.begin_kills();
        }
        course.end("2", shape.pods).await?;
        course.store(|store| {
            let mut claims = CLAIMS.iter();
            claims.try_for_each(|claim| claim(store, shape, began))
        })
    }

    /// Pods that run never become Ready again; only an update replaces them.
    fn break_units(&self, store: &mut Store) {
        let is_meant = |name: &str| {
            let is_required = self.part.has_in_base(name);
            self.part.has(name) && (self.down == Down::All || !is_required)
        };
        let pods = store.all(Resource::Pod).map(|(id, _)| id);
        let pods: Vec<Id> = pods.filter(|id| is_meant(&id.name)).cloned().collect();
        for id in pods {
            actors::break_pod(store, &id);
        }
    }
}

/// A pair with the default budgets: a whole version of each part may be missing.
static TIGHT: Shape = Shape {
    name: "coherent pair with default budgets",
    max_unavailable: 2,
    parts: &[
        DECODE,
        Part {
            max_unavailable: 2,
            ..PREFILL
        },
    ],
    ..PAIR
};

/// The same part after part, with the default budget of one unit each.
static ROLLING: Shape = Shape {
    name: "pair with default budgets",
    max_unavailable: 1,
    is_coherent: false,
    parts: &[
        Part {
            max_unavailable: 1,
            ..DECODE
        },
        Part {
            max_unavailable: 1,
            ..PREFILL
        },
    ],
    ..PAIR
};

/// How long the lost unit has waited when the user edits the template.
const WAITED: Duration = Duration::from_secs(5);

/// One place less: the lost decode unit waits, and gets the place of the first unit that is replaced. As
/// it is in the base gang, another decode unit gives its own place up once it is replaced (decision 168).
/// So all prefill units have places, and the update ends with as many units as ran. The last unit comes
/// with another place.
async fn ends_without_a_place(
    course: &mut Course,
    shape: &Shape,
    is_killed: bool,
) -> Result<(), String> {
    course.run(&shape.manifest(), shape.pods).await?;
    course.offer(|world| world.places = shape.pods - 1);
    course.store(|store| lose_first(store, &DECODE));
    course.pass(WAITED).await?;
    let began = course.length();
    course.store(|store| shape::edit(store, "2"));
    if is_killed {
        course.begin_kills();
    }
    course.until("a unit waits", waits_for_others).await?;
    course.end("2", shape.pods - 1).await?;
    course.store(|store| {
        expect_all(store, &PREFILL)?;
        let mut claims = [floor::check, reader::check_traffic].iter();
        claims.try_for_each(|claim| claim(store, shape, began))
    })?;
    course.offer(|world| world.places = shape.pods);
    course.end("2", shape.pods).await
}

fn waits_for_others(store: &Store) -> Result<(), String> {
    let words = ["d-3 waits until the other parts are updated: room for 3 of 4"];
    shape::says(store, &words)
}

/// All units of the part are up.
fn expect_all(store: &Store, part: &Part) -> Result<(), String> {
    let pods = store.all(Resource::Pod);
    let up = pods.filter(|(id, pod)| part.has(&id.name) && view::is_ready(pod));
    let (up, units) = (up.count(), part.units);
    (up == units)
        .then_some(())
        .ok_or_else(|| format!("{up} of {units} units of {} are up", part.name()))
}

fn lose_first(store: &mut Store, part: &Part) {
    let first = {
        let mut pods = store.all(Resource::Pod).map(|(id, _)| id);
        pods.find(|id| part.has(&id.name)).cloned()
    };
    if let Some(id) = first {
        store.remove("chaos", &id);
    }
}

#[test]
fn an_update_ends_though_a_part_is_down_before_it() {
    let mut failed = Vec::new();
    for case in cases() {
        for is_killed in [false, true] {
            let played = play(case.shape.pods, async |course: &mut Course| {
                case.play(course, is_killed).await
            });
            if let Err(wrong) = played {
                let (shape, part, down) = (case.shape.name, case.part.name(), case.down);
                let name = format!("{shape}, {down:?} of {part}, killed: {is_killed}");
                eprintln!("{wrong}\n{name}\n");
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The lost unit has begun to wait some seconds before the edit. (After 30 s the base gang counts as down,
/// and `Coherent` has no steps.)
#[test]
fn an_update_ends_though_a_unit_takes_the_place_of_another_part() {
    let mut failed = Vec::new();
    for shape in [&TIGHT, &ROLLING] {
        for is_killed in [false, true] {
            let played = play(shape.pods, async |course: &mut Course| {
                ends_without_a_place(course, shape, is_killed).await
            });
            if let Err(wrong) = played {
                let name = format!("{}, killed: {is_killed}", shape.name);
                eprintln!("{wrong}\n{name}\n");
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A unit that is lost in the moment of the edit may find a place before the scheduler has refused it.
/// Then no index is held vacant (decision 168): the update says which unit has no room, and ends with
/// another place.
#[test]
fn a_unit_that_is_lost_at_the_edit_may_leave_another_part_without_room() {
    let played = play(TIGHT.pods, async |course: &mut Course| {
        course.run(&TIGHT.manifest(), TIGHT.pods).await?;
        course.offer(|world| world.places = TIGHT.pods - 1);
        course.store(|store| lose_first(store, &DECODE));
        course.store(|store| shape::edit(store, "2"));
        let is_short = |store: &Store| shape::says(store, &["1 without a node", "Unschedulable"]);
        course.until("a unit has no room", is_short).await?;
        course.offer(|world| world.places = TIGHT.pods);
        course.end("2", TIGHT.pods).await
    });
    played.unwrap();
}
