//! Coherent updates under schedulers that place gangs as a whole, with an operator that is killed again
//! and again (docs/semantics.md §14.9): units are lost, groups are scaled, and the user writes a third
//! version or goes back, at random times. The update keeps to its budget and ends.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use operator::config::Gangs;
use serde_json::{Value, json};
use sim::{Id, Resource, Rng, Store, view};
use strum::IntoEnumIterator;

use super::course::{Course, play_in};
use super::graphs::{DECODE, PAIR, PREFILL, Part};
use super::shape;
use super::{CLAIMS, Claim, counts, floor, reader};
use crate::ring::Begin;
use crate::scenarios::scale;

/// A scheduler that receives gangs: its name, its backend and the mode.
type Scheduler = (&'static str, &'static str, Gangs);

const KAI: [Scheduler; 1] = [("kai-scheduler", "kai-scheduler", Gangs::Split)];
const NATIVE: [Scheduler; 2] = [
    ("default-scheduler", "kubernetes", Gangs::Split),
    ("default-scheduler", "kubernetes", Gangs::Tree),
];

/// The parts, and the numbers of units to which the user scales them: enough for two versions.
static PARTS: [(Part, RangeInclusive<u32>); 2] = [(DECODE, 4..=6), (PREFILL, 5..=8)];
/// Places for the most units that are wanted.
const PLACES: usize = 14;
/// What happens in one update.
const ACTS: usize = 4;
/// The longest pause between two of them, in seconds.
const PAUSE: i64 = 12;

/// What holds whatever the versions are: of three versions the second one may be in pieces.
const OF_ALL_VERSIONS: [Claim; 3] = [floor::check, reader::check_traffic, counts::check];

/// What happens in an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
enum Act {
    Loss,
    ScaleOut,
    ScaleIn,
    Edit,
    Revert,
}

/// What happens in the update of one seed.
struct Player {
    rng: Rng,
    /// Whether the user writes other versions; then also units of the base gang are lost.
    edits: bool,
    /// The wanted units of each part.
    units: [u32; 2],
    /// The wanted version.
    version: &'static str,
    /// What has happened.
    done: BTreeSet<Act>,
}

impl Player {
    fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            edits: seed.is_multiple_of(2),
            units: [4, 6],
            version: "2",
            done: BTreeSet::new(),
        }
    }

    fn pods(&self) -> usize {
        usize::try_from(self.units.iter().sum::<u32>()).unwrap()
    }

    fn pause(&mut self) -> Duration {
        Duration::from_secs(self.rng.between(1, PAUSE).unsigned_abs())
    }

    /// Nothing happens after the end: a loss before another update would be none of it.
    fn act(&mut self, store: &mut Store) {
        if shape::has_ended(store).is_ok() {
            return;
        }
        let may_happen = |act: &Act| self.edits || !matches!(act, Act::Edit | Act::Revert);
        let all: Vec<Act> = Act::iter().filter(may_happen).collect();
        let part = self.rng.below(PARTS.len());
        let Some(act) = self.rng.pick(&all).copied() else {
            return;
        };
        let has_happened = match act {
            Act::Loss => self.lose_one(store, part),
            Act::ScaleOut => self.scale(store, part, self.units[part] + 1),
            Act::ScaleIn => self.scale(store, part, self.units[part] - 1),
            Act::Edit => self.edit(store, "3"),
            Act::Revert => self.edit(store, "1"),
        };
        if has_happened {
            self.done.insert(act);
        }
    }

    /// A Ready pod of the part is gone; without other versions one beyond the base gang.
    fn lose_one(&mut self, store: &mut Store, part: usize) -> bool {
        let (part, _) = &PARTS[part];
        let edits = self.edits;
        let is_meant = |name: &str| part.has(name) && (edits || part.has_beyond_base(name));
        let pods = store.all(Resource::Pod);
        let pods = pods.filter(|(id, pod)| is_meant(&id.name) && view::is_ready(pod));
        let pods: Vec<Id> = pods.map(|(id, _)| id.clone()).collect();
        let Some(pod) = self.rng.pick(&pods) else {
            return false;
        };
        store.remove("chaos", pod);
        true
    }

    fn scale(&mut self, store: &mut Store, part: usize, units: u32) -> bool {
        let (config, limits) = &PARTS[part];
        if !limits.contains(&units) {
            return false;
        }
        let (resource, name) = config.object;
        scale(store, resource, name, units);
        self.units[part] = units;
        true
    }

    fn edit(&mut self, store: &mut Store, version: &'static str) -> bool {
        shape::edit(store, version);
        let is_another = version != self.version;
        self.version = version;
        is_another
    }

    async fn play(&mut self, course: &mut Course, scheduler: &str) -> Result<(), String> {
        let shape = shape::named(PAIR.name);
        course.run(&manifest(scheduler), shape.pods).await?;
        let began = course.length();
        course.store(|store| {
            expect_groups(store)?;
            shape::edit(store, "2");
            Ok::<_, String>(())
        })?;
        course.begin_kills();
        let has_begun = shape::has_new_pod;
        course.until("the update begins", has_begun).await?;
        for _ in 0..ACTS {
            course.pass(self.pause()).await?;
            course.store(|store| self.act(store));
        }
        course.end(self.version, self.pods()).await?;
        let claims: &[Claim] = if self.edits {
            &OF_ALL_VERSIONS
        } else {
            &CLAIMS
        };
        course.store(|store| {
            let mut claims = claims.iter();
            claims.try_for_each(|claim| claim(store, shape, began))
        })
    }
}

fn manifest(scheduler: &str) -> Value {
    let mut manifest = PAIR.manifest();
    let cliques = manifest["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        clique["spec"]["podSpec"]["schedulerName"] = json!(scheduler);
    }
    manifest
}

/// The scheduler receives gangs.
fn expect_groups(store: &Store) -> Result<(), String> {
    let mut kinds = [Resource::PodGroup, Resource::KaiPodGroup].into_iter();
    let has_groups = kinds.any(|kind| store.all(kind).next().is_some());
    has_groups
        .then_some(())
        .ok_or_else(|| "its scheduler receives no gangs".to_owned())
}

/// Plays these seeds with the schedulers in turn; each act has to happen in one of them at least.
fn play_seeds(seeds: RangeInclusive<u64>, schedulers: &[Scheduler]) {
    let mut done = BTreeSet::new();
    let mut failed = Vec::new();
    for (seed, scheduler) in seeds.zip(schedulers.iter().cycle()) {
        let mut player = Player::new(seed);
        let mut begin = Begin::empty().with_scheduler(Some(*scheduler));
        let (name, _, gangs) = scheduler;
        if matches!(gangs, Gangs::Tree) {
            begin.checker.has_trees();
        }
        let result = play_in(begin, PLACES, async |course: &mut Course| {
            player.play(course, name).await
        });
        if let Err(wrong) = result {
            eprintln!("{wrong}\nseed {seed}, {scheduler:?}\n");
            failed.push(seed);
        }
        done.extend(player.done);
    }
    assert!(failed.is_empty(), "seeds {failed:?}");
    let all: BTreeSet<Act> = Act::iter().collect();
    assert_eq!(done, all);
}

#[test]
fn coherent_updates_of_gangs_of_kai_scheduler_end() {
    play_seeds(1..=15, &KAI);
}

#[test]
fn coherent_updates_of_gangs_of_kubernetes_end() {
    play_seeds(16..=30, &NATIVE);
}
