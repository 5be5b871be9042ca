//! A scenario, once undisturbed and then cut short at its writes: at the first of each verb, kind and
//! subresource. The whole ring (tests/sim) cuts it short at every one.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::iter;

use serde_json::{Value, json};

use super::normal::normal;
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::operator::Operator;
use crate::harness::requests::Requests;
use crate::harness::{Namespace, Seen, same, wait};

/// The label that selects everything of a set.
pub const OF_SET: &str = "app.kubernetes.io/part-of";

/// The exit code of the operator after the given write.
const TOLD_TO_END: Option<i32> = Some(77);

/// A course of changes of a set.
pub struct Scenario {
    pub name: &'static str,
    /// The set that runs before, if any, and its number of pods.
    pub begins_with: Option<(Manifest, usize)>,
    pub step: fn(&Namespace<'_>, set: &str),
    /// The state at the end.
    pub is_done: Judge,
    /// The slots that lose their pods, without the name of the set.
    pub deleted: &'static [&'static str],
    /// Whether each of them gets exactly one replacement.
    pub are_replaced: bool,
    /// Reasons of events that are posted once on the set.
    pub events: &'static [&'static str],
}

type Manifest = fn(set: &str) -> Value;
type Judge = fn(&Seen, set: &str) -> Result<(), String>;

/// Runs the scenario.
pub fn walk(scenario: &Scenario) {
    let lane = Lane::start(&format!("crash-{}", scenario.name));
    let (operator, ns) = (&lane.operator, lane.namespace());
    let mut history = History::of(&ns);

    let (writes, undisturbed) = run_undisturbed(&lane, &ns, scenario);
    let steps = steps(&writes);
    prepare(&ns, scenario, &steps);
    operator.kill();
    let mut endings = Endings::default();
    for step in steps.iter().copied() {
        let set = set_name(step);
        (scenario.step)(&ns, &set);
        let n = endings.reachable(step);
        operator.start_for_writes(n).unwrap();
        endings.note(n, &run_to_end(&ns, scenario, &set));
        operator.start_again().unwrap();
        until(
            &ns,
            &set,
            &format!("ended after write {n} of {}", writes.len()),
            |seen| {
                (scenario.is_done)(seen, &set)?;
                expect_same(&normal(seen, &set), &undisturbed)
            },
        );
        expect_events(&ns, scenario, &set);
        operator.kill();
    }
    endings.expect_enough();
    operator.start_again().unwrap();
    history.catch_up(&ns);
    let stepped = iter::once(0).chain(steps);
    let deleted: BTreeSet<_> = stepped.flat_map(|n| slots(scenario, n)).collect();
    let deleted: BTreeSet<_> = deleted.iter().map(String::as_str).collect();
    assert_eq!(history.slots_deleted(), deleted);
    let none = BTreeSet::new();
    let replaced = if scenario.are_replaced {
        &deleted
    } else {
        &none
    };
    assert_eq!(&history.slots_held_by_more_than(1), replaced);
    assert_eq!(history.slots_held_by_more_than(2), none);
}

/// Each event once, even if the operator posted it several times.
fn expect_events(ns: &Namespace<'_>, scenario: &Scenario, set: &str) {
    for reason in scenario.events {
        let posted = ns.events(set, reason);
        assert_eq!(posted.len(), 1, "{set}: {reason}: {posted:?}");
    }
}

/// Numbers of the writes after which the operator ends: all writes if `GROVE_E2E_CRASH_EVERY_WRITE`
/// is set, which takes many minutes.
fn steps(writes: &[String]) -> BTreeSet<usize> {
    if env::var_os("GROVE_E2E_CRASH_EVERY_WRITE").is_some() {
        return (1..=writes.len()).collect();
    }
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, signature) in (1..).zip(writes) {
        first.entry(signature).or_insert(n);
    }
    first.into_values().collect()
}

/// The writes of the scenario, and the objects at its end.
fn run_undisturbed(
    lane: &Lane,
    ns: &Namespace<'_>,
    scenario: &Scenario,
) -> (Vec<String>, Vec<Value>) {
    let set = set_name(0);
    prepare(ns, scenario, &[0].into());
    settled(ns.operator);
    let before = lane.proxy.writes().len();
    (scenario.step)(ns, &set);
    until(ns, &set, "undisturbed", |seen| {
        (scenario.is_done)(seen, &set)
    });
    settled(ns.operator);
    let writes = lane.proxy.writes().split_off(before);
    let end = until(ns, &set, "undisturbed", |seen| Ok(normal(seen, &set)));
    (writes, end)
}

/// Pods that are created at once: a busy machine does not create more within the deadline.
const PODS_AT_ONCE: usize = 24;

/// Creates these sets, if the scenario begins with one.
fn prepare(ns: &Namespace<'_>, scenario: &Scenario, sets: &BTreeSet<usize>) {
    let Some((manifest, pods)) = scenario.begins_with else {
        return;
    };
    let sets: Vec<_> = sets.iter().copied().map(set_name).collect();
    for names in sets.chunks(PODS_AT_ONCE / pods) {
        let items: Vec<_> = names.iter().map(|name| manifest(name)).collect();
        ns.apply(&json!({"apiVersion": "v1", "kind": "List", "items": items}));
        for name in names {
            let runs = |seen: &Seen| seen.expect_ready_pods(pods);
            wait::until(|| ns.judge_labelled((OF_SET, name), runs)).unwrap();
        }
    }
    settled(ns.operator);
}

/// Waits until the operator has ended after the given write, or has finished with fewer writes;
/// returns their number then.
fn run_to_end(ns: &Namespace<'_>, scenario: &Scenario, set: &str) -> Ending {
    let mut rest = Rest::default();
    let ending = wait::until(|| {
        if let Some(ended) = ns.operator.ended() {
            same("how it ended", &ended.code(), &TOLD_TO_END)?;
            return Ok(Ending::CutShort);
        }
        let requests = rest.look(ns.operator, LONG)?;
        ns.judge_labelled((OF_SET, set), |seen| (scenario.is_done)(seen, set))?;
        ns.operator.kill();
        Ok(Ending::Done(requests.writes()))
    });
    ending.unwrap_or_else(|wrong| panic!("{set}: {wrong}"))
}

/// The end of a run.
enum Ending {
    /// After the given write.
    CutShort,
    /// With fewer writes; contains their number.
    Done(usize),
}

/// Of a hundred runs this many have to be cut short. Not all: the number of states of a status that
/// fall into one write differs from run to run.
const CUT_SHORT: usize = 75;

/// How often the operator ended after the given write. If it never did, every scenario would pass.
#[derive(Default)]
struct Endings {
    runs: usize,
    cut_short: usize,
    /// The fewest writes of a finished run.
    fewest: Option<usize>,
}

impl Endings {
    /// This write, or the last one if runs have fewer.
    fn reachable(&self, n: usize) -> usize {
        self.fewest.map_or(n, |fewest| fewest.clamp(1, n))
    }

    fn note(&mut self, n: usize, ending: &Ending) {
        self.runs += 1;
        match ending {
            Ending::CutShort => self.cut_short += 1,
            &Ending::Done(writes) => {
                assert!(
                    writes < n,
                    "the operator made {writes} writes and did not end after {n}: only a build \
                     with debug assertions heeds GROVE_EXIT_AFTER_WRITE"
                );
                self.fewest = Some(self.reachable(writes));
            }
        }
    }

    fn expect_enough(&self) {
        let Self {
            runs, cut_short, ..
        } = self;
        assert!(
            cut_short * 100 >= runs * CUT_SHORT,
            "only {cut_short} of {runs} runs were cut short"
        );
    }
}

/// The number of requests once the operator sends no more.
pub fn settled(operator: &Operator) -> Requests {
    let mut rest = Rest::default();
    wait::until(|| rest.look(operator, LONG)).unwrap()
}

/// Looks after which the operator will send no more requests: counts are written at most every 500
/// ms, and on a busy machine an answer takes two or three seconds.
const LONG: usize = 12;
/// Looks after which the objects are read, which costs much more.
const SHORT: usize = 1;

/// How long the operator has sent no request.
#[derive(Default)]
struct Rest {
    last: Option<Requests>,
    same_looks: usize,
}

impl Rest {
    /// The number of requests, if it stayed the same for that many looks.
    fn look(&mut self, operator: &Operator, enough: usize) -> Result<Requests, String> {
        let now = Requests::of(operator)?;
        let is_same = self.last.as_ref() == Some(&now);
        self.same_looks = if is_same { self.same_looks + 1 } else { 0 };
        self.last = Some(now.clone());
        let rests = self.same_looks >= enough;
        rests
            .then_some(now)
            .ok_or_else(|| "the operator is at work".to_owned())
    }
}

fn until<T>(
    ns: &Namespace<'_>,
    set: &str,
    what: &str,
    mut judge: impl FnMut(&Seen) -> Result<T, String>,
) -> T {
    let mut rest = Rest::default();
    let found = wait::until(|| {
        rest.look(ns.operator, SHORT)?;
        ns.judge_labelled((OF_SET, set), &mut judge)
    });
    found.unwrap_or_else(|wrong| panic!("{what}: {wrong}"))
}

pub fn expect_same(is: &[Value], should: &[Value]) -> Result<(), String> {
    for (is, should) in is.iter().zip(should) {
        same("an object", is, should)?;
    }
    same("how many objects", &is.len(), &should.len())
}

fn slots(scenario: &Scenario, n: usize) -> impl Iterator<Item = String> {
    let set = set_name(n);
    scenario
        .deleted
        .iter()
        .map(move |slot| format!("{set}-{slot}"))
}

fn set_name(n: usize) -> String {
    format!("svc{n:03}")
}
