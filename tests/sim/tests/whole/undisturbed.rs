//! Runs without a fault: the end of each scenario, and its writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;
use sim::{Resource, Store, view};

use crate::fault::Signature;
use crate::left;
use crate::normal::normal;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{Before, SCENARIOS, Scenario, create, edit_templates};
use crate::slots::Slots;

/// Simulated time within which a run comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// The time until a starting operator has reconciled everything.
pub const WARM_UP: Duration = Duration::from_secs(2);
/// Each scenario takes that many writes.
const LEAST_WRITES: usize = 15;
/// Lines of the story of a failure.
const LINES: usize = 80;

/// Each scenario without a fault.
pub static REFERENCES: LazyLock<Vec<Reference>> =
    LazyLock::new(|| SCENARIOS.into_iter().map(Reference::of).collect());

/// A scenario, with everything needed to run it again and to check its end.
pub struct Reference {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The cluster in which it begins.
    pub begin: Begin,
    /// The store at the end, in normal form.
    pub end: Vec<Value>,
    /// The writes of the operator, in order.
    pub writes: Vec<Signature>,
}

impl Reference {
    /// Runs the scenario once.
    pub fn of(scenario: &'static Scenario) -> Self {
        let begin = match scenario.begins_with {
            None => Begin::empty(),
            Some(manifest) => prepare(&manifest(), scenario),
        };
        let begin = Begin {
            pace: scenario.pace,
            ..begin
        };
        let (end, writes) = in_paused_time(run(scenario, begin.clone()));
        Self {
            scenario,
            begin,
            end,
            writes,
        }
    }
}

/// A cluster in which this set runs.
fn prepare(manifest: &Value, scenario: &Scenario) -> Begin {
    in_paused_time(async {
        let begin = Begin::empty().with_scheduler(scenario.scheduler);
        let mut ring = Ring::start(begin.with_topology(scenario.has_topology));
        ring.start_operator();
        ring.wire.server.with_store(|store| create(store, manifest));
        rest(&mut ring).await;
        for version in scenario.history {
            let server = &ring.wire.server;
            server.with_store(|store| edit_templates(store, version));
            rest(&mut ring).await;
        }
        let problems = ring
            .wire
            .server
            .with_store(|store| sim::expected::problems(store));
        assert!(problems.is_empty(), "{}\n{problems:#?}", ring.story(LINES));
        match scenario.before {
            Before::Ours => ring.present(),
            Before::Adopted => adopted(leave(&ring)).await,
            Before::Left => leave(&ring),
        }
    })
}

async fn rest(ring: &mut Ring) {
    let rest = ring.come_to_rest(LIMIT).await;
    rest.unwrap_or_else(|wrong| panic!("{}\n{wrong}", ring.story(LINES)));
}

/// The same cluster in the state of the Go operator, without an operator.
fn leave(ring: &Ring) -> Begin {
    let mut begin = ring.present();
    left::leave(&mut begin.store);
    begin
}

/// The same cluster after another operator has adopted the objects.
async fn adopted(begin: Begin) -> Begin {
    let mut ring = Ring::start(begin);
    ring.start_operator();
    rest(&mut ring).await;
    ring.present()
}

async fn run(scenario: &Scenario, begin: Begin) -> (Vec<Value>, Vec<Signature>) {
    let length = begin.store.log.len();
    let mut ring = Ring::start(begin);
    if scenario.before == Before::Left {
        ring.wire.begin(None);
        ring.start_operator();
    } else {
        start_at_rest(&mut ring, length).await;
        ring.wire.begin(None);
    }
    ring.wire.server.with_store(scenario.step);
    let rest = ring.come_to_rest(LIMIT).await;
    let wrong = rest.and_then(|()| {
        let judge = |store: &mut Store| judge(scenario, store, length);
        ring.wire.server.with_store(judge)
    });
    wrong.unwrap_or_else(|wrong| panic!("{}\n{}: {wrong}", ring.story(LINES), scenario.name));
    let end = ring.wire.server.with_store(|store| normal(store));
    let writes = ring.wire.state().writes.clone();
    (end, writes)
}

async fn start_at_rest(ring: &mut Ring, length: usize) {
    ring.start_operator();
    ring.pass(WARM_UP).await.unwrap();
    let writes = ring.wire.server.with_store(|store| store.log.len()) - length;
    assert_eq!(
        writes,
        0,
        "an operator that starts has nothing to do:\n{}",
        ring.story(writes)
    );
}

/// Whether the scenario has its end. `begin` is its begin in the log.
fn judge(scenario: &Scenario, store: &Store, begin: usize) -> Result<(), String> {
    if !(scenario.ends_with)(store) {
        return Err("it does not end as it should".to_owned());
    }
    judge_slots(scenario, store, begin, &BTreeMap::new())?;
    judge_events(scenario, store, 1)
}

/// Whether exactly the expected pods were deleted and replaced. A slot of surge is not filled again. A
/// slot with `twins` had so many pods more, and lost them.
pub fn judge_slots(
    scenario: &Scenario,
    store: &Store,
    begin: usize,
    twins: &BTreeMap<&str, usize>,
) -> Result<(), String> {
    let slots = Slots::of(&store.log, begin);
    let deleted: BTreeSet<&str> = slots.deleted.iter().map(String::as_str).collect();
    let should = scenario.deleted.iter().chain(scenario.passing);
    let should: BTreeSet<&str> = should.chain(twins.keys()).copied().collect();
    if deleted != should {
        return Err(format!("pods deleted: {deleted:?}, {should:?} is right"));
    }
    let refilled = slots.refilled.iter();
    let refilled: BTreeMap<&str, usize> = refilled
        .map(|(slot, pods)| (slot.as_str(), *pods))
        .collect();
    let replaced = scenario.deleted.iter().filter(|_| scenario.are_replaced);
    let mut expected: BTreeMap<&str, usize> = replaced.map(|slot| (*slot, 2)).collect();
    for (slot, more) in twins {
        *expected.entry(slot).or_insert(1) += more;
    }
    if refilled != expected {
        return Err(format!(
            "pods per slot: {refilled:?}, {expected:?} is right"
        ));
    }
    Ok(())
}

/// Whether each single event was posted that many times.
pub fn judge_events(scenario: &Scenario, store: &Store, least: usize) -> Result<(), String> {
    for reason in scenario.events {
        let events = store.all(Resource::Event);
        let posted = events
            .filter(|(_, event)| view::text(event, "/reason") == *reason)
            .count();
        if posted > 1 || posted < least {
            return Err(format!("event {reason} was posted {posted} times"));
        }
    }
    Ok(())
}

/// Each scenario reaches its end, with enough writes for faults.
#[test]
fn without_faults_each_scenario_ends_as_it_should() {
    for reference in REFERENCES.iter() {
        let writes: Vec<String> = reference.writes.iter().map(ToString::to_string).collect();
        let (name, count) = (reference.scenario.name, writes.len());
        eprintln!("{name}: {count} writes: {}", writes.join(", "));
        assert!(count >= LEAST_WRITES, "{name}: only {count} writes");
    }
}
