//! Coherent updates of which a part is down before the edit. In grove#873 the update waits for such a
//! part for ever; here nothing waits for units that were not available when the turn began.

use std::time::Duration;

use sim::{Id, Resource, Store, actors};

use super::course::{Course, play};
use super::graphs::{DECODE, PAIR, PREFILL, Part, TRIO};
use super::shape::{self, Shape};
use super::{CLAIMS, STANDSTILL};

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

/// One place less: the lost decode unit waits, and gets the place of the first unit that is replaced.
/// Nobody can reserve that one, so a prefill unit is away in the end, and the last step, which needs its
/// whole budget, waits. The set says so; with another place the update ends.
async fn waits_for_a_place(course: &mut Course) -> Result<(), String> {
    course.run(&TIGHT.manifest(), TIGHT.pods).await?;
    course.offer(|world| world.places = TIGHT.pods - 1);
    let began = course.length();
    course.store(|store| {
        lose_first(store, &DECODE);
        shape::edit(store, "2");
    });
    course.pass(STANDSTILL).await?;
    course.store(|store| {
        if shape::has_ended(store).is_ok() {
            return Err("the update has ended".to_owned());
        }
        let words = ["the next step waits", "of 6 units of p that ran are away"];
        shape::says(store, &words)
    })?;
    course.offer(|world| world.places = TIGHT.pods);
    course.end("2", TIGHT.pods).await?;
    course.store(|store| {
        let mut claims = CLAIMS.iter();
        claims.try_for_each(|claim| claim(store, &TIGHT, began))
    })
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

#[test]
fn a_unit_that_takes_the_place_of_another_part_holds_the_last_step_up_and_the_set_says_so() {
    let played = play(TIGHT.pods, waits_for_a_place);
    played.unwrap_or_else(|wrong| panic!("{wrong}"));
}
