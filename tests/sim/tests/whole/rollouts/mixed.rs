//! A coherent update with surge in which much happens, with an operator that is killed at each of its
//! writes, before the write arrives or after it (docs/semantics.md §14.9). The user writes a third version
//! and scales a group out and in, a pod is lost, and the other replica is terminated. The update keeps to
//! its budget and ends, and the replica is terminated once.

use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};
use testkit::builders::set;

use super::course::{Course, play};
use super::graphs::Part;
use super::shape::{self, COHERENT_GROUP, Shape};
use super::{Claim, counts, floor, set_id};
use crate::disturbance::Disturbance;
use crate::fault::{Fault, Signature};
use crate::results::each;
use crate::scenarios::{break_pods, pods_of, scale};
use crate::share::is_played;

/// Two replicas, each of a router and a group of decoders. The parts are those of the first replica, which
/// has the first turn: the second one is terminated meanwhile, so its units are taken down.
static MIXED: Shape = Shape {
    name: "mixed coherent set with surge",
    build: || {
        set("svc")
            .replicas(2)
            .clique("r", |c| c.replicas(2).min(1))
            .clique("a", |c| c)
            .group("d", ["a"], |g| g.replicas(2).min(1))
    },
    pods: 8,
    scaled: DECODE.object,
    surge: 2,
    max_unavailable: 1,
    parts: &[ROUTER, DECODE],
    ..COHERENT_GROUP
};

/// Two units, of which one may be missing. One is a whole version, also as surge.
const ROUTER: Part = Part {
    object: (Resource::PodClique, "svc-0-r"),
    units: 2,
    minimum: 1,
    max_unavailable: 1,
    surge: 1,
};

const DECODE: Part = Part {
    object: (Resource::PodCliqueScalingGroup, "svc-0-d"),
    ..ROUTER
};

/// Places for all pods, surge and one unit more, and one to spare.
const PLACES: usize = 12;
/// The version at the end.
const NEWEST: &str = "3";
/// Writes of the update without a fault: with more, the runs would take too long.
const WRITES: RangeInclusive<usize> = 100..=1_000;
/// The operator is killed before the write arrives, and after it.
const FAULTS: [Fault; 2] = [Fault::CrashBefore, Fault::CrashAfter];
/// What holds in the first replica. Of three versions the second one may be in pieces.
const OF_FIRST_REPLICA: [Claim; 2] = [floor::check, counts::check];

type Act = fn(&mut Store);

/// What happens once the update has begun, and the time before it. The operator acts at whole seconds,
/// when a unit has been Ready for long enough; nothing of this happens at the same moment.
const ACTS: [(Duration, Act); 5] = [
    (Duration::from_millis(500), |store| {
        break_pods(store, "svc-1-r");
    }),
    (Duration::from_secs(4), |store| shape::edit(store, NEWEST)),
    (Duration::from_secs(4), lose_router),
    (Duration::from_secs(4), |store| scale_decode(store, 3)),
    (Duration::from_secs(12), |store| scale_decode(store, 2)),
];

/// A Ready pod of the router is gone.
fn lose_router(store: &mut Store) {
    let pods = pods_of(store, ROUTER.object.1);
    let is_up = |id: &&Id| store.get(id).is_some_and(|pod| view::is_ready(pod));
    let up = pods.iter().find(is_up);
    store.remove("chaos", up.expect("no router is Ready"));
}

fn scale_decode(store: &mut Store, units: u32) {
    let (resource, name) = DECODE.object;
    scale(store, resource, name, units);
}

fn manifest() -> Value {
    let mut manifest = MIXED.manifest();
    manifest["spec"]["template"]["terminationDelay"] = json!("5s");
    manifest
}

/// What an update without a failure shows.
#[derive(Default)]
struct Played {
    /// The operator's writes.
    writes: Vec<Signature>,
    /// Whether the fault has occurred.
    is_met: bool,
}

impl Played {
    async fn play(
        &mut self,
        course: &mut Course,
        fault: Option<Disturbance>,
    ) -> Result<(), String> {
        course.run(&manifest(), MIXED.pods).await?;
        let began = course.length();
        course.begin_fault(fault);
        course.store(|store| shape::edit(store, "2"));
        let has_begun = shape::has_new_pod;
        course.until("the update begins", has_begun).await?;
        for (wait, act) in ACTS {
            course.pass(wait).await?;
            course.store(act);
        }
        course.end(NEWEST, MIXED.pods).await?;
        self.writes = course.writes();
        self.is_met = course.has_met_fault();
        course.store(|store| {
            was_terminated_once(store)?;
            let mut claims = OF_FIRST_REPLICA.iter();
            claims.try_for_each(|claim| claim(store, &MIXED, began))
        })
    }
}

/// Whether the second replica, and it alone, was terminated, and once.
fn was_terminated_once(store: &Store) -> Result<(), String> {
    let attempts = |replica| store.get(&set_id()).map(|set| view::attempt(set, replica));
    let attempts = [0, 1].map(attempts);
    (attempts == [Some(0), Some(1)])
        .then_some(())
        .ok_or_else(|| format!("the replicas have the attempts {attempts:?}"))
}

/// One update with this fault.
fn play_with(fault: Option<Disturbance>) -> Result<Played, String> {
    let mut played = Played::default();
    let result = play(PLACES, async |course: &mut Course| {
        played.play(course, fault).await
    });
    result.map(|()| played)
}

/// The kills that are played. Nothing follows from the answer to an event.
fn kills(writes: &[Signature]) -> Vec<Disturbance> {
    let writes = writes.iter().filter(|one| !one.write.is_of_event());
    let played = writes.enumerate().filter(|(run, _)| is_played(0, *run));
    played
        .flat_map(|(_, one)| FAULTS.map(|fault| Disturbance::Write(one.clone(), fault)))
        .collect()
}

#[test]
fn a_mixed_update_ends_wherever_the_operator_is_killed() {
    let undisturbed = play_with(None).unwrap_or_else(|wrong| panic!("{wrong}"));
    let writes = undisturbed.writes;
    assert!(WRITES.contains(&writes.len()), "{} writes", writes.len());
    let kills = kills(&writes);
    let results = Mutex::new(Vec::new());
    each(&kills, |kill| {
        let result = play_with(Some(kill.clone()));
        if let Err(wrong) = &result {
            eprintln!("{wrong}\n{kill}\n");
        }
        let is_met = result.map(|played| played.is_met);
        results.lock().unwrap().push((kill.to_string(), is_met));
    });
    let results = results.into_inner().unwrap();
    let failed = results.iter().filter(|(_, result)| result.is_err());
    let failed: Vec<&str> = failed.map(|(kill, _)| kill.as_str()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let met = results.iter().filter(|(_, result)| *result == Ok(true));
    let (met, all) = (met.count(), kills.len());
    assert!(met >= all * 4 / 5, "{met} of {all} kills happened");
}
