//! A set that is deleted with `--cascade=orphan` and applied again, several times, while requests
//! land late and the operator restarts.

use std::collections::BTreeSet;
use std::time::Duration;

use api::labels;
use serde_json::Value;
use sim::actors::{self, COLLECTOR, User};
use sim::check::{LATE, OPERATOR, Violation};
use sim::store::Record;
use sim::{Call, Id, RequestPath, Resource, Store, view};
use tokio::time::Instant;

use super::Run;
use crate::service::Parked;

/// Steps between two moves of the user.
const STEPS: usize = 120;
/// Lives of the set.
const LIVES: usize = 5;
/// Number of deletions in a thousand in which the children stay.
const LEFT: usize = 800;
/// Number of delayed requests among a thousand POSTs of children and adoptions.
const HELD: usize = 250;
/// Longer than the pass of the garbage collector, and than the operator's wait.
const LONGEST_WAY: i64 = 45;

/// Delayed requests.
#[derive(Default)]
pub struct Held(Vec<(Instant, Parked)>);

impl Held {
    /// When the next of them lands.
    pub fn next_landing(&self) -> Option<Instant> {
        self.0.iter().map(|(at, _)| *at).min()
    }

    pub(super) fn take_due(&mut self) -> Option<Parked> {
        let now = Instant::now();
        let due = self.0.iter().position(|(at, _)| *at <= now)?;
        Some(self.0.remove(due).1)
    }
}

/// Objects left to the user.
#[derive(Default)]
struct Left {
    uids: BTreeSet<String>,
    sets: BTreeSet<String>,
    checked: usize,
}

impl Left {
    /// Records the objects of the set when it is deleted. An object that is being deleted, or that
    /// landed after its owner was gone, goes.
    fn note(&mut self, store: &Store, set: &Value) {
        self.checked = store.log.len();
        self.sets.insert(view::uid(set).to_owned());
        let name = view::name(set);
        let is_part = |o: &Value| view::label(o, labels::PART_OF) == name && stays(store, o);
        // A revision is the operator's note: another set of the name replaces it (decision 161).
        let is_note = |id: &Id| id.resource == Resource::ControllerRevision;
        let parts = store.objects().filter(|(id, o)| !is_note(id) && is_part(o));
        self.uids
            .extend(parts.map(|(_, o)| view::uid(o).to_owned()));
    }

    fn check(&mut self, store: &Store) -> Result<(), Violation> {
        let from = std::mem::replace(&mut self.checked, store.log.len());
        let records = store.log.iter().skip(from);
        let mut records = records.filter(|r| self.is_lost(store, r));
        records.next().map_or(Ok(()), |record| {
            Err(Violation {
                invariant: "LEFT",
                message: format!("{} deleted, which was left to the user", record.id),
            })
        })
    }

    fn is_lost(&self, store: &Store, record: &Record) -> bool {
        let Some(before) = record.before.as_ref().filter(|o| !view::is_terminating(o)) else {
            return false;
        };
        let stays = record
            .after
            .as_ref()
            .is_some_and(|o| !view::is_terminating(o));
        let is_ours = [OPERATOR, LATE, COLLECTOR].contains(&record.actor);
        is_ours && !stays && self.uids.contains(view::uid(before)) && !has_twin(store, before)
    }
}

/// Whether neither it nor an owner is being deleted.
fn stays(store: &Store, object: &Value) -> bool {
    let is_owner_there = |(_, _, uid): (&str, &str, &str)| {
        let owner = store.by_uid(uid);
        owner.is_some_and(|(_, owner)| stays(store, owner))
    };
    !view::is_terminating(object) && view::owner(object).is_none_or(is_owner_there)
}

/// Whether it is one of two pods with the same index.
fn has_twin(store: &Store, pod: &Value) -> bool {
    let podclique = view::label(pod, labels::POD_CLIQUE);
    let is_twin = |other: &Value| {
        view::label(other, labels::POD_CLIQUE) == podclique
            && view::index(other) == view::index(pod)
            && view::uid(other) != view::uid(pod)
    };
    !podclique.is_empty() && store.all(Resource::Pod).any(|(_, p)| is_twin(p))
}

impl Run {
    pub(super) async fn leave_and_return(&mut self) -> Result<(), Violation> {
        self.user = User::of_quiet_set(&mut self.rng);
        self.store = Store::new(self.store.now);
        self.user.create(&mut self.store);
        self.restart().await;
        self.is_quiet = true;
        self.capacity = usize::MAX;
        self.has_webhook = false;
        self.places_gangs = false;
        self.has_topology = false;
        self.has_claims = false;
        self.has_domains = false;
        let mut left = Left::default();
        for _ in 0..self.rng.below(LIVES) + 2 {
            self.live(&mut left).await?;
            self.leave(&mut left);
        }
        self.come_to_rest(&mut left).await?;
        left.uids.clear();
        self.store.remove("user", &set());
        self.converge().await?;
        nothing_is_left(&self.store)
    }

    /// Some steps with trouble, in which the user tries to apply the set again.
    async fn live(&mut self, left: &mut Left) -> Result<(), Violation> {
        for _ in 0..self.rng.below(STEPS) + 5 {
            self.leaving_step(left).await?;
            left.check(&self.store)?;
            if self.rng.chance(100) {
                self.user.create(&mut self.store);
            }
        }
        Ok(())
    }

    /// The user deletes the set, mostly without its children.
    fn leave(&mut self, left: &mut Left) {
        let Some(stored) = self.store.get(&set()).cloned() else {
            return;
        };
        if view::is_terminating(&stored) {
            return;
        }
        if self.rng.chance(LEFT) {
            left.note(&self.store, &stored);
            actors::delete_alone(&mut self.store, &set());
        } else {
            left.uids.clear();
            self.store.remove("user", &set());
        }
    }

    /// Without trouble: the set is applied once more, and gets all objects that were left.
    async fn come_to_rest(&mut self, left: &mut Left) -> Result<(), Violation> {
        self.is_calm = true;
        self.operator.views.release();
        self.converge().await?;
        left.check(&self.store)?;
        self.user.create(&mut self.store);
        self.converge().await?;
        left.check(&self.store)?;
        self.verdict()
    }

    async fn leaving_step(&mut self, left: &Left) -> Result<(), Violation> {
        if self.land_one().await? {
            return self.check();
        }
        match self.rng.below(1000) {
            0..290 => self.start_one().await,
            290..550 if self.hold_one() => {}
            290..550 => self.answer_one().await?,
            550..800 => self.see_one()?,
            800..895 => {
                self.cluster();
            }
            895..940 => self.pass_some_time().await,
            940..960 => self.read_one().await,
            960..975 => {
                let (kind, seconds) = (self.any_kind(), self.rng.between(1, 20));
                let time = Duration::from_secs(seconds.unsigned_abs());
                self.operator.views.hold(kind, time);
            }
            _ => self.restart_unless_unknown(left).await,
        }
        self.check()
    }

    /// Requests that were delayed for long enough arrive.
    pub(super) async fn land_one(&mut self) -> Result<bool, Violation> {
        let Some(parked) = self.held.take_due() else {
            return Ok(false);
        };
        self.note(|| format!("{} {} lands", parked.call.method, parked.call.path));
        self.coverage.saw("landed late");
        self.carry_out(parked, true).await?;
        Ok(true)
    }

    /// Delays a POST of a child or an adoption.
    fn hold_one(&mut self) -> bool {
        if !self.rng.chance(HELD) {
            return false;
        }
        let mut lot = self.lot.lock().unwrap();
        let meant = lot.iter().position(|p| gives_owner(&self.store, &p.call));
        let Some(parked) = meant.map(|at| lot.remove(at)) else {
            return false;
        };
        drop(lot);
        let seconds = self.rng.between(1, LONGEST_WAY).unsigned_abs();
        self.note(|| {
            format!(
                "{} {} takes {seconds} s",
                parked.call.method, parked.call.path
            )
        });
        let lands = Instant::now() + Duration::from_secs(seconds);
        self.held.0.push((lands, parked));
        self.coverage.saw("held up");
        true
    }

    async fn pass_some_time(&mut self) {
        let milliseconds = match self.rng.below(10) {
            0..7 => self.rng.between(1, 400),
            7..9 => self.rng.between(400, 5_000),
            _ => self.rng.between(5_000, 20_000),
        };
        self.wait(Duration::from_millis(milliseconds.unsigned_abs()))
            .await;
    }

    /// No trace remains if the children had to stay and the garbage collector was done before any
    /// operator saw it (docs/decisions.md, 126).
    async fn restart_unless_unknown(&mut self, left: &Left) {
        let stored = self.store.get(&set());
        let is_unknown = stored.is_some_and(|set| {
            let is_left = left.sets.contains(view::uid(set)) && view::is_terminating(set);
            let is_stored = view::annotation(set, labels::ORPHAN_ASKED) == view::uid(set);
            is_left && !view::is_orphaning(set) && !is_stored
        });
        if !is_unknown {
            self.restart().await;
        }
    }
}

fn set() -> Id {
    Id::new(Resource::PodCliqueSet, "demo")
}

/// Whether the request creates a child, or gives one its owner.
fn gives_owner(store: &Store, call: &Call) -> bool {
    let Some(target) = RequestPath::parse(&call.path) else {
        return false;
    };
    if [Resource::Event, Resource::Pod].contains(&target.resource) {
        return false;
    }
    let is_loose = target.id().is_some_and(|id| {
        let stored = store.get(&id);
        stored.is_some_and(|stored| view::owner(stored).is_none())
    });
    let is_status = target.subresource.is_some();
    let has_owner = view::owner(&call.body).is_some();
    has_owner && !is_status && (call.method == "POST" || is_loose)
}

/// An ordinary deletion leaves nothing.
fn nothing_is_left(store: &Store) -> Result<(), Violation> {
    let all = store.objects().map(|(id, _)| id);
    let left: Vec<_> = all.filter(|id| id.resource != Resource::Event).collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(Violation {
        invariant: "GONE",
        message: format!("left after an ordinary deletion: {left:?}"),
    })
}
