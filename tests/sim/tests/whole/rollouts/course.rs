//! A cluster with an operator, for tests that act at certain times of an update.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::labels;
use serde_json::Value;
use sim::check::{LATE, OPERATOR};
use sim::store::Record;
use sim::{Resource, Store, view};
use tokio::time::Instant;

use super::floor::is_deleted;
use super::nodes::{self, World};
use super::{KILLS, LIMIT, LINES, has_version, shape};
use crate::disturbance::Disturbance;
use crate::fault::Signature;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::create;

/// How long a set runs before its update: the update is the beginning of nothing else.
pub const SETTLED: Duration = Duration::from_secs(20);

/// The cluster.
pub struct Course {
    ring: Ring,
    world: Arc<Mutex<World>>,
    /// When the operator is killed next.
    next_kill: Option<Instant>,
    kills_left: usize,
}

/// Plays a course in a cluster with so many places; a failure comes with its story.
pub fn play(
    places: usize,
    course: impl AsyncFnOnce(&mut Course) -> Result<(), String>,
) -> Result<(), String> {
    play_in(Begin::empty(), places, course)
}

/// The same in a cluster that begins like this.
pub fn play_in(
    begin: Begin,
    places: usize,
    course: impl AsyncFnOnce(&mut Course) -> Result<(), String>,
) -> Result<(), String> {
    in_paused_time(async {
        let mut cluster = Course::begin(begin, places);
        let played = course(&mut cluster).await;
        played.map_err(|wrong| format!("{}\n{wrong}", cluster.ring.story(LINES)))
    })
}

impl Course {
    fn begin(begin: Begin, places: usize) -> Self {
        let world = Arc::new(Mutex::new(World::of(places)));
        let cluster = |server| nodes::act(server, world.clone());
        let mut ring = Ring::start_among(begin, cluster);
        ring.start_operator();
        Self {
            ring,
            world,
            next_kill: None,
            kills_left: 0,
        }
    }

    pub fn store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        self.ring.wire.server.with_store(act)
    }

    /// Changes what the cluster offers.
    pub fn offer(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.world.lock().unwrap());
    }

    /// The length of the log.
    pub fn length(&self) -> usize {
        self.store(|store| store.log.len())
    }

    /// Kills the operator once.
    pub fn kill_operator(&self) {
        self.ring.kill_operators();
    }

    /// From now on the operator is killed again and again.
    pub fn begin_kills(&mut self) {
        let (pause, most) = KILLS;
        self.next_kill = Some(Instant::now() + pause);
        self.kills_left = most;
    }

    /// From now on the operator's writes are counted, and the fault may occur.
    pub fn begin_fault(&self, fault: Option<Disturbance>) {
        self.ring.wire.begin(fault);
    }

    /// The operator's writes since then.
    pub fn writes(&self) -> Vec<Signature> {
        self.ring.wire.state().writes.clone()
    }

    /// Whether the fault has occurred.
    pub fn has_met_fault(&self) -> bool {
        self.ring.wire.state().plan.is_none()
    }

    pub async fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let next = self.next_kill.map_or(end, |kill| kill.min(end));
            let rest = next.saturating_duration_since(Instant::now());
            self.ring.pass(rest).await?;
            if self.next_kill.is_some_and(|kill| kill <= Instant::now()) {
                self.kill_operator();
                self.kills_left -= 1;
                let next = Instant::now() + KILLS.0;
                self.next_kill = (self.kills_left > 0).then_some(next);
            }
        }
        Ok(())
    }

    /// Lets everything come to rest; returns the requests about objects within this time after that.
    pub async fn requests_at_rest(&mut self, time: Duration) -> Result<Vec<String>, String> {
        self.ring.come_to_rest(LIMIT).await?;
        self.ring.wire.keep_requests();
        self.ring.pass(time).await?;
        Ok(self.ring.wire.kept_requests())
    }

    /// Lets time pass until it holds; returns the time that it took.
    pub async fn until(
        &mut self,
        what: &str,
        holds: impl Fn(&Store) -> Result<(), String>,
    ) -> Result<Duration, String> {
        let begin = Instant::now();
        loop {
            let Err(wrong) = self.store(|store| holds(store)) else {
                return Ok(begin.elapsed());
            };
            if begin.elapsed() > LIMIT {
                return Err(format!("{what}: not within {LIMIT:?}: {wrong}"));
            }
            self.pass(Duration::from_secs(1)).await?;
        }
    }

    /// Creates the set, and lets it run with so many pods of version 1.
    pub async fn run(&mut self, manifest: &Value, pods: usize) -> Result<(), String> {
        self.store(|store| create(store, manifest));
        self.until("version 1 runs", |store| shape::runs(store, "1", pods))
            .await?;
        self.pass(SETTLED).await
    }

    /// The update of the set ends, and exactly so many pods run, all of this version.
    pub async fn end(&mut self, version: &str, pods: usize) -> Result<(), String> {
        let ended = |store: &Store| {
            shape::has_ended(store)?;
            shape::runs(store, version, pods)
        };
        self.until("the update ends", ended).await?;
        Ok(())
    }
}

/// Fails if the operator has deleted a pod or a PodClique since this place in the log.
pub fn expect_no_deletion(store: &Store, since: usize) -> Result<(), String> {
    let is_deletion = |record: &&Record| {
        let is_part = [Resource::Pod, Resource::PodClique].contains(&record.id.resource);
        let is_ours = [OPERATOR, LATE].contains(&record.actor);
        is_part && is_ours && is_deleted(record)
    };
    let mut log = store.log.get(since..).unwrap_or_default().iter();
    let deleted = log.find(is_deletion);
    deleted.map_or(Ok(()), |record| {
        Err(format!("the operator deleted {}", record.id))
    })
}

/// Whether a warning with this reason was posted about the set of this name.
pub fn has_warned(store: &Store, set: &str, reason: &str) -> Result<(), String> {
    let mut events = store.all(Resource::Event);
    let has_it = events.any(|(_, event)| {
        view::text(event, "/regarding/name") == set
            && view::text(event, "/reason") == reason
            && view::text(event, "/type") == "Warning"
    });
    has_it
        .then_some(())
        .ok_or_else(|| format!("{set} has no warning {reason}"))
}

/// The uids of the Ready pods of this version.
pub fn uids(store: &Store, version: &str) -> BTreeSet<String> {
    let pods = store.all(Resource::Pod);
    pods.filter(|(_, pod)| view::is_ready(pod) && has_version(pod, version))
        .map(|(_, pod)| view::uid(pod).to_owned())
        .collect()
}

/// The index of the pod's unit: of its group replica, or its own.
pub fn unit_of(pod: &Value) -> Option<i64> {
    let of_group = view::label(pod, labels::SCALING_GROUP_REPLICA_INDEX);
    of_group.parse().ok().or_else(|| view::index(pod))
}
