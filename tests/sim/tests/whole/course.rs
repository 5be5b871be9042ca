//! A cluster in which a test acts step by step. The operator may be killed after each of them.

use std::time::Duration;

use serde_json::Value;
use sim::{Id, Resource, Store, expected, view};

use crate::ring::{Begin, Ring, in_paused_time};

/// Simulated time within which everything comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// How long an operator runs before it is killed.
const BEFORE_KILL: Duration = Duration::from_millis(400);
/// How long an operator needs until it has read all lists.
const START: Duration = Duration::from_secs(1);
/// Lines of the story of a failure.
const LINES: usize = 80;

/// A cluster with the operator in it.
pub struct Course {
    /// The cluster.
    pub ring: Ring,
    is_killed: bool,
}

impl Course {
    async fn begin(begin: Begin, is_killed: bool) -> Result<Self, String> {
        let mut ring = Ring::start(begin);
        ring.start_operator();
        ring.pass(START).await?;
        Ok(Self { ring, is_killed })
    }

    /// Reads or changes the store.
    pub fn store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        self.ring.wire.server.with_store(act)
    }

    /// Fails unless this holds.
    pub fn expect(&self, what: &str, holds: impl FnOnce(&Store) -> bool) -> Result<(), String> {
        let does_hold = self.store(|store| holds(store));
        does_hold
            .then_some(())
            .ok_or_else(|| format!("not so: {what}"))
    }

    /// Lets time pass until nothing changes any more.
    pub async fn settle(&mut self) -> Result<(), String> {
        if self.is_killed {
            self.ring.pass(BEFORE_KILL).await?;
            self.ring.kill_operators();
        }
        self.ring.come_to_rest(LIMIT).await
    }

    /// The same; then all is as the sets ask for.
    pub async fn rest(&mut self) -> Result<(), String> {
        self.settle().await?;
        let problems = self.store(|store| expected::problems(store));
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join("\n"))
        }
    }
}

/// Plays a course in this cluster; the failure comes with its story.
pub fn play(
    begin: Begin,
    is_killed: bool,
    course: &impl AsyncFn(&mut Course) -> Result<(), String>,
) {
    let played = in_paused_time(async {
        let mut cluster = Course::begin(begin, is_killed).await?;
        let played = course(&mut cluster).await;
        played.map_err(|wrong| format!("{}\n{wrong}", cluster.ring.story(LINES)))
    });
    if let Err(wrong) = played {
        panic!("killed: {is_killed}\n{wrong}");
    }
}

/// The set named `svc`; null if there is none.
pub fn svc(store: &Store) -> Value {
    let set = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
    set.map_or(Value::Null, |set| Value::clone(set))
}

/// The reason of a condition; empty without it.
pub fn reason(object: &Value, type_: &str) -> String {
    let mut conditions = view::list(object, "/status/conditions");
    let found = conditions.find(|condition| view::text(condition, "/type") == type_);
    found.map_or_else(String::new, |found| view::text(found, "/reason").to_owned())
}
