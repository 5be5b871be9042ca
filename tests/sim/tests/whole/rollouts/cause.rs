//! Causes that disturb an update.

mod acts;
mod blip;
mod image;
mod lost_node;

use jiff::SignedDuration;
use serde_json::{Value, json};
use sim::Store;

use super::nodes::{Program, World};
use super::shape::{self, Shape};
use acts::{add_autoscaler, autoscale, break_one, end_containers, lose_one, lose_one_beyond_base};

/// The course of a disturbed update.
#[derive(Debug)]
pub enum Outcome {
    /// It ends by itself.
    Ends,
    /// It does not go on before the cause is removed, and its set says these words.
    StandsStill(&'static [&'static str]),
}

type Act = fn(&mut Store, &Shape, &mut World);
type Condition = fn(&Store) -> Result<(), String>;

/// A cause.
pub struct Cause {
    pub name: &'static str,
    /// More places than pods.
    pub spare_places: i64,
    /// Whether there are more places for surge pods.
    pub surge_fits: bool,
    /// Whether a unit with surge has room and comes up in the end, and none but an old one is lost.
    pub leaves_room: bool,
    /// Whether this shape meets it.
    pub meets: fn(&Shape) -> bool,
    /// The terminationDelay of the set.
    pub delay: Option<&'static str>,
    /// Whether its parts have autoscalers.
    pub is_autoscaled: bool,
    /// What happens just before the edit.
    pub before: Act,
    /// What happens in the update, once the condition holds.
    pub during: Option<Act>,
    pub when: Condition,
    /// What the set says if the update stands still; of a clique or group, and of a set.
    pub words: [Option<&'static [&'static str]>; 2],
    /// The same of a unit with surge that may never be down, if only that one stands still.
    pub words_of_engine: Option<&'static [&'static str]>,
    /// The end of the cause.
    pub cure: Act,
    /// The update goes on within so many seconds after that.
    pub goes_on_within: u64,
    /// The version at the end.
    pub version: &'static str,
    /// The pods that are wanted at the end.
    pub pods: fn(&Shape) -> usize,
    /// So many of them have no room.
    pub missing: usize,
}

impl Cause {
    pub fn manifest(&self, shape: &Shape) -> Value {
        let mut manifest = shape.manifest();
        if let Some(delay) = self.delay {
            manifest["spec"]["template"]["terminationDelay"] = json!(delay);
        }
        if self.is_autoscaled {
            add_autoscaler(&mut manifest, shape);
        }
        manifest
    }

    /// The places at the beginning.
    pub fn places(&self, shape: &Shape) -> usize {
        let surge = if self.surge_fits { shape.surge } else { 0 };
        shape.places(self.spare_places) + surge
    }

    pub fn outcome(&self, shape: &Shape) -> Outcome {
        let [of_part, of_set] = self.words;
        let is_engine = shape.surge > 0 && shape.max_unavailable == 0;
        let of_engine = self.words_of_engine.filter(|_| is_engine);
        // Units of a set with surge are those of its cliques.
        let words = if of_engine.is_some() {
            of_engine
        } else if shape.is_set() && shape.surge == 0 {
            of_set
        } else {
            of_part
        };
        words.map_or(Outcome::Ends, Outcome::StandsStill)
    }
}

const NOTHING: Act = |_, _, _| {};

/// Longer than a pod waits for a node before it counts as one without room.
const SILENCE: SignedDuration = SignedDuration::from_secs(90);

/// The scheduler places no pod for a while, and says nothing about any.
const FALL_SILENT: Act = |store, _, world| world.silent_until = store.now + SILENCE;

/// The update ends, with version 2.
const ENDS: Cause = Cause {
    name: "",
    spare_places: 0,
    surge_fits: true,
    leaves_room: false,
    meets: |_| true,
    delay: None,
    is_autoscaled: false,
    before: NOTHING,
    during: None,
    when: shape::has_new_pod,
    words: [None, None],
    words_of_engine: None,
    cure: NOTHING,
    goes_on_within: 60,
    version: "2",
    pods: |shape| shape.pods,
    missing: 0,
};

pub static CAUSES: [Cause; 25] = [
    Cause {
        name: "no spare room",
        surge_fits: false,
        leaves_room: true,
        words_of_engine: Some(&["waits until its surge has room"]),
        cure: |_, shape, world| world.places = shape.places(1),
        ..ENDS
    },
    Cause {
        name: "slow start",
        leaves_room: true,
        before: |_, _, world| world.program = Program::Slow(25),
        ..ENDS
    },
    Cause {
        name: "full quota",
        leaves_room: true,
        before: |store, shape, _| store.pod_quota = Some(shape.pods),
        words_of_engine: Some(&["waits until its surge has room", "exceeded quota"]),
        cure: |store, _, _| store.pod_quota = None,
        ..ENDS
    },
    Cause {
        name: "room for one pod less",
        before: |store, shape, world| {
            world.places = shape.pods - 1;
            lose_one(store);
        },
        missing: 1,
        ..ENDS
    },
    Cause {
        name: "a pod that is lost and replaced",
        leaves_room: true,
        spare_places: 1,
        during: Some(|store, _, _| lose_one(store)),
        ..ENDS
    },
    Cause {
        name: "a unit beyond the base gang that is lost and replaced",
        // Versions stay whole meanwhile: it is no loss that ends the steps.
        meets: |shape| !shape.parts.is_empty(),
        spare_places: 1,
        during: Some(|store, shape, _| lose_one_beyond_base(store, shape)),
        ..ENDS
    },
    Cause {
        name: "places that are lost for good",
        // Of several parts the loss may leave each with as many as it had to keep: then the update
        // rightly ends with these.
        meets: |shape| shape.parts.is_empty(),
        during: Some(|store, shape, world| {
            // As many as may be down: with fewer the update rightly ends with the others.
            world.places = shape.pods - shape.max_unavailable;
            (0..shape.max_unavailable).for_each(|_| lose_one(store));
        }),
        words: [
            Some(&["Insufficient cpu"]),
            Some(&["1 of 3 replicas that ran are down"]),
        ],
        cure: |_, shape, world| world.places = shape.enough_places(),
        ..ENDS
    },
    Cause {
        name: "a second template",
        leaves_room: true,
        during: Some(|store, _, _| shape::edit(store, "3")),
        version: "3",
        ..ENDS
    },
    Cause {
        name: "a rollback",
        leaves_room: true,
        during: Some(|store, _, _| shape::edit(store, "1")),
        version: "1",
        ..ENDS
    },
    Cause {
        name: "scale-out",
        leaves_room: true,
        spare_places: 2,
        during: Some(|store, shape, _| shape.scale(store, shape.pods + 2)),
        pods: |shape| shape.pods + 2,
        ..ENDS
    },
    Cause {
        name: "an autoscaler",
        leaves_room: true,
        spare_places: 1,
        is_autoscaled: true,
        during: Some(|store, _, _| autoscale(store)),
        pods: |shape| shape.pods + 1,
        ..ENDS
    },
    Cause {
        name: "scale-in",
        during: Some(|store, shape, _| shape.scale(store, shape.pods - 1)),
        pods: |shape| shape.pods - 1,
        ..ENDS
    },
    Cause {
        name: "scale-in and out",
        spare_places: 1,
        during: Some(|store, shape, _| {
            shape.scale(store, shape.pods - 1);
            shape.scale(store, shape.pods + 1);
        }),
        pods: |shape| shape.pods + 1,
        ..ENDS
    },
    Cause {
        name: "gang termination",
        leaves_room: true,
        delay: Some("5s"),
        during: Some(|store, _, _| break_one(store)),
        ..ENDS
    },
    Cause {
        name: "a refused template",
        leaves_room: true,
        before: |store, _, _| {
            store.refused.insert("2".to_owned(), store.log.len());
        },
        words: [Some(&["TemplateRefused", "version 2 is refused"]); 2],
        cure: |store, _, _| store.refused.clear(),
        ..ENDS
    },
    Cause {
        name: "a crash after three seconds",
        leaves_room: true,
        before: |_, _, world| world.program = Program::Crashes(3),
        words: [Some(&["exit code 1"]); 2],
        cure: |store, _, world| {
            world.program = Program::Good;
            end_containers(store);
        },
        goes_on_within: 70,
        ..ENDS
    },
    Cause {
        name: "a crash after the pod was counted",
        before: |_, _, world| world.program = Program::Crashes(15),
        words: [Some(&["exit code 1"]); 2],
        cure: |store, _, world| {
            world.program = Program::Good;
            end_containers(store);
        },
        goes_on_within: 70,
        ..ENDS
    },
    Cause {
        name: "a crash, no room for surge, then a good template",
        surge_fits: false,
        before: |_, _, world| world.program = Program::Crashes(3),
        words: [Some(&["exit code 1"]); 2],
        cure: |store, _, _| shape::edit(store, "3"),
        version: "3",
        ..ENDS
    },
    Cause {
        name: "a pause",
        leaves_room: true,
        before: |_, _, world| world.program = Program::Slow(25),
        during: Some(|store, _, _| shape::pause(store, true)),
        when: shape::has_replaced_one,
        words: [Some(&["Paused"]); 2],
        cure: |store, _, _| shape::pause(store, false),
        ..ENDS
    },
    Cause {
        name: "a pause in which pods become available",
        surge_fits: false,
        before: |store, shape, world| {
            world.places = shape.pods / 2;
            for _ in world.places..shape.pods {
                lose_one(store);
            }
        },
        during: Some(|store, shape, world| {
            shape::pause(store, true);
            world.places = shape.enough_places();
        }),
        words: [Some(&["Paused"]); 2],
        cure: |store, _, _| shape::pause(store, false),
        ..ENDS
    },
    Cause {
        name: "scale-in during a pause",
        before: |_, _, world| world.program = Program::Slow(25),
        during: Some(|store, shape, _| {
            shape::pause(store, true);
            shape.scale(store, shape.pods - 1);
        }),
        when: shape::has_replaced_one,
        words: [Some(&["Paused"]); 2],
        cure: |store, _, _| shape::pause(store, false),
        pods: |shape| shape.pods - 1,
        ..ENDS
    },
    Cause {
        name: "a pod that is lost when a pause ends",
        leaves_room: true,
        before: |_, _, world| world.program = Program::Slow(25),
        during: Some(|store, _, _| shape::pause(store, true)),
        when: shape::has_replaced_one,
        words: [Some(&["Paused"]); 2],
        cure: |store, _, _| {
            lose_one(store);
            shape::pause(store, false);
        },
        ..ENDS
    },
    Cause {
        name: "no node that suits",
        leaves_room: true,
        before: |_, _, world| world.program = Program::Unschedulable,
        words: [
            Some(&["updating replica 0", "Insufficient cpu"]),
            Some(&["has had no room"]),
        ],
        cure: |_, _, world| world.program = Program::Good,
        ..ENDS
    },
    Cause {
        name: "a scheduler that is silent for 90 s",
        leaves_room: true,
        before: FALL_SILENT,
        ..ENDS
    },
    Cause {
        // The update may end without units that are not required. They come up all the same.
        name: "a scheduler that is silent for 90 s when the last unit is replaced",
        leaves_room: true,
        // Where units may be missing, a surge unit gives its room to the one that waits: fewer serve.
        meets: |shape| shape.surge == 0 || shape.max_unavailable == 0,
        during: Some(FALL_SILENT),
        when: shape::has_no_old_pod,
        ..ENDS
    },
];
