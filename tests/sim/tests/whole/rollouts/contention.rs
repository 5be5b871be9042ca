//! Two sets that update on a full cluster: each holds half of the places that the other needs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sim::{Call, Id, Resource, Store, view};
use testkit::builders::set;
use tokio::time::Instant;

use super::nodes::{self, World};
use super::shape::write_version;
use super::{LIMIT, STANDSTILL, has_version};
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{create, manifest};

const SETS: [&str; 2] = ["one", "two"];
/// Both pods of each set are required.
const PODS: usize = 4;

struct Contention {
    ring: Ring,
    world: Arc<Mutex<World>>,
}

impl Contention {
    /// Both sets have begun their updates, and two places are lost.
    async fn begin(delay: Option<&str>) -> Result<Self, String> {
        let world = Arc::new(Mutex::new(World::of(PODS)));
        let cluster = |server| nodes::act(server, world.clone());
        let mut found = Self {
            ring: Ring::start_among(Begin::empty(), cluster),
            world: world.clone(),
        };
        found.ring.start_operator();
        found.store(|store| SETS.map(|name| create(store, &workload(name, delay))));
        found.until("both run", |store| runs(store, "1")).await?;
        found.ring.pass(Duration::from_secs(20)).await?;
        found.offer(PODS - SETS.len());
        found.store(|store| SETS.map(|name| edit(store, name)));
        let is_down = |name: &str, store: &Store| up(store, name) == 1;
        let both = |store: &Store| SETS.iter().all(|name| is_down(name, store));
        found.until("each holds one place", both).await?;
        Ok(found)
    }

    fn offer(&self, places: usize) {
        self.world.lock().unwrap().places = places;
    }

    fn store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        self.ring.wire.server.with_store(act)
    }

    async fn until(&mut self, what: &str, holds: impl Fn(&Store) -> bool) -> Result<(), String> {
        let begin = Instant::now();
        while !self.store(|store| holds(store)) {
            if begin.elapsed() > LIMIT {
                return Err(format!(
                    "{}\n{what}: not within {LIMIT:?}",
                    self.ring.story(60)
                ));
            }
            self.ring.pass(Duration::from_secs(1)).await?;
        }
        Ok(())
    }

    /// With places for all both updates end.
    async fn end(&mut self) -> Result<(), String> {
        self.offer(PODS);
        let both = |store: &Store| SETS.iter().all(|name| has_ended(store, name));
        self.until("both updates end", |store| both(store) && runs(store, "2"))
            .await
    }
}

fn workload(name: &str, delay: Option<&str>) -> Value {
    let mut manifest = manifest(set(name).clique("a", |clique| clique.replicas(2)));
    manifest["metadata"]["name"] = json!(name);
    write_version(&mut manifest, "1");
    if let Some(delay) = delay {
        manifest["spec"]["template"]["terminationDelay"] = json!(delay);
    }
    manifest
}

fn edit(store: &mut Store, name: &str) {
    let found = look(store, name);
    let mut next = json!({"spec": {"template": {"cliques": found["spec"]["template"]["cliques"]}}});
    write_version(&mut next, "2");
    let path = format!("{}/{name}", Resource::PodCliqueSet.path("default"));
    let answer = store.handle("user", &Call::merge(&path, next));
    assert_eq!(answer.code, 200, "{:?}", answer.body);
}

fn look<'a>(store: &'a Store, name: &str) -> &'a Value {
    store
        .get(&Id::new(Resource::PodCliqueSet, name))
        .expect("nobody deletes it")
}

fn has_ended(store: &Store, name: &str) -> bool {
    look(store, name)["status"]["updateProgress"]["updateEndedAt"].is_string()
}

/// Ready pods of the set.
fn up(store: &Store, name: &str) -> usize {
    let is_up = |pod: &Value| {
        view::label(pod, api::labels::PART_OF) == name && view::is_ready(pod) && view::is_live(pod)
    };
    store
        .all(Resource::Pod)
        .filter(|(_, pod)| is_up(pod))
        .count()
}

/// All pods are Ready and have this version.
fn runs(store: &Store, version: &str) -> bool {
    let mut pods = store.all(Resource::Pod);
    let is_right = |pod: &Value| view::is_ready(pod) && has_version(pod, version);
    pods.all(|(_, pod)| is_right(pod)) && store.all(Resource::Pod).count() == PODS
}

/// One of them gives its places to the other.
#[test]
fn of_two_sets_that_hold_half_of_what_they_need_one_ends_after_the_delay() {
    in_paused_time(async {
        let mut sets = Contention::begin(Some("5s")).await?;
        let one = |store: &Store| SETS.iter().any(|name| has_ended(store, name));
        sets.until("one update ends", one).await?;
        sets.end().await
    })
    .unwrap();
}

#[test]
fn without_a_delay_both_say_that_they_stand_still_for_lack_of_room() {
    in_paused_time(async {
        let mut sets = Contention::begin(None).await?;
        sets.ring.pass(STANDSTILL).await?;
        for name in SETS {
            let said = sets.store(|store| look(store, name)["status"]["conditions"].to_string());
            let words = ["InsufficientResources", "has had no room"];
            assert!(
                words.iter().all(|word| said.contains(word)),
                "{name}: {said}"
            );
        }
        sets.end().await
    })
    .unwrap();
}
