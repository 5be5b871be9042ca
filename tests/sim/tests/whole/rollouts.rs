//! Updates of a clique, a group and a set, each with one cause that disturbs it, with an operator
//! that runs and with one that is killed again and again (docs/semantics.md §14): the operator
//! never takes down more than the budget, and the update ends. Where the cause has to be removed
//! first, the update stands still, says so, and goes on within a minute after that.

mod at_rest;
mod canary;
mod cause;
mod contention;
mod counts;
mod course;
mod down;
mod floor;
mod ganged;
mod graphs;
mod mixed;
mod nodes;
mod paused;
mod reader;
mod room;
mod shape;
mod versions;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sim::{Id, Resource, Store, view};
use tokio::time::Instant;

use cause::{CAUSES, Cause, Outcome};
use nodes::World;
use shape::{ENGINES, SHAPES, Shape};

use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::create;
use crate::share::is_course_played;

/// Simulated time within which an update ends.
const LIMIT: Duration = Duration::from_mins(30);
/// How long an update stands still before its cause is removed.
const STANDSTILL: Duration = Duration::from_mins(10);
/// Time between the kills of an operator, and their number.
const KILLS: (Duration, usize) = (Duration::from_secs(7), 25);
/// Lines of the story of a failure.
const LINES: usize = 60;

/// One update.
struct Scene {
    ring: Ring,
    shape: &'static Shape,
    cause: &'static Cause,
    world: Arc<Mutex<World>>,
    is_killed: bool,
    /// When the operator is killed next.
    next_kill: Option<Instant>,
    kills: usize,
    /// The length of the log when the update began.
    began: usize,
}

impl Scene {
    fn store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        self.ring.wire.server.with_store(act)
    }

    async fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let next = self.next_kill.map_or(end, |kill| kill.min(end));
            let rest = next.saturating_duration_since(Instant::now());
            self.ring.pass(rest).await?;
            if self.next_kill.is_some_and(|kill| kill <= Instant::now()) {
                let (pause, most) = KILLS;
                self.kills += 1;
                self.ring.kill_operators();
                let next = Instant::now() + pause;
                self.next_kill = (self.kills < most).then_some(next);
            }
        }
        Ok(())
    }

    /// Lets time pass until it holds; returns the time that it took.
    async fn until(
        &mut self,
        what: &str,
        limit: Duration,
        holds: impl Fn(&Store, &Shape) -> Result<(), String>,
    ) -> Result<Duration, String> {
        let begin = Instant::now();
        loop {
            let shape = self.shape;
            let Err(wrong) = self.store(|store| holds(store, shape)) else {
                return Ok(begin.elapsed());
            };
            if begin.elapsed() > limit {
                return Err(format!("{what}: not within {limit:?}: {wrong}"));
            }
            self.pass(Duration::from_secs(1)).await?;
        }
    }

    async fn play(&mut self) -> Result<(), String> {
        let shape = self.shape;
        let manifest = self.cause.manifest(shape);
        self.ring.start_operator();
        self.store(|store| create(store, &manifest));
        let runs = |store: &Store, shape: &Shape| shape::runs(store, "1", shape.pods);
        self.until("version 1 runs", LIMIT, runs).await?;
        // The first update is the beginning of nothing else.
        self.pass(Duration::from_secs(20)).await?;
        let world = self.world.clone();
        self.began = self.store(|store| {
            (self.cause.before)(store, shape, &mut world.lock().unwrap());
            let began = store.log.len();
            shape::edit(store, "2");
            began
        });
        self.next_kill = self.is_killed.then(|| Instant::now() + KILLS.0);
        if let Some(during) = self.cause.during {
            let begun = |store: &Store, _: &Shape| (self.cause.when)(store);
            self.until("the update has come so far", LIMIT, begun)
                .await?;
            self.store(|store| during(store, shape, &mut world.lock().unwrap()));
        }
        match self.cause.outcome(shape) {
            Outcome::Ends => self.ends().await,
            Outcome::StandsStill(words) => self.stands_still(words).await,
        }
    }

    async fn ends(&mut self) -> Result<(), String> {
        let (version, missing) = (self.cause.version, self.cause.missing);
        let pods = |shape: &Shape| (self.cause.pods)(shape) - missing;
        let pods = pods(self.shape);
        let ended = |store: &Store, _: &Shape| {
            shape::has_ended(store)?;
            shape::runs(store, version, pods)
        };
        self.until("the update ends", LIMIT, ended).await?;
        Ok(())
    }

    async fn stands_still(&mut self, words: &'static [&'static str]) -> Result<(), String> {
        self.pass(STANDSTILL).await?;
        if self.store(|store| shape::has_ended(store)).is_ok() {
            return Err("the update has ended".to_owned());
        }
        self.store(|store| shape::says(store, words))?;
        let (world, shape, before) = (
            self.world.clone(),
            self.shape,
            self.store(|store| store.log.len()),
        );
        self.store(|store| (self.cause.cure)(store, shape, &mut world.lock().unwrap()));
        let version = self.cause.version;
        let limit = Duration::from_secs(self.cause.goes_on_within);
        let goes_on = |store: &Store, _: &Shape| {
            floor::has_gone_on(store, before, version).or_else(|_| shape::has_ended(store))
        };
        self.until("the update goes on", limit, goes_on).await?;
        self.ends().await
    }
}

/// A claim about the log of an update that began there.
type Claim = fn(&Store, &Shape, usize) -> Result<(), String>;

fn play(
    shape: &'static Shape,
    cause: &'static Cause,
    is_killed: bool,
    claims: &[Claim],
) -> Result<(), String> {
    in_paused_time(async {
        let world = Arc::new(Mutex::new(World::of(cause.places(shape))));
        let cluster = |server| nodes::act(server, world.clone());
        let mut scene = Scene {
            ring: Ring::start_among(Begin::empty(), cluster),
            shape,
            cause,
            world: world.clone(),
            is_killed,
            next_kill: None,
            kills: 0,
            began: 0,
        };
        let played = scene.play().await;
        let began = scene.began;
        let kept = scene.store(|store| {
            let mut claims = claims.iter();
            claims.try_for_each(|claim| claim(store, shape, began))
        });
        let story = |wrong| format!("{}\n{wrong}", scene.ring.story(LINES));
        played.and(kept).map_err(story)
    })
}

/// What holds of every update.
const CLAIMS: [Claim; 4] = [
    floor::check,
    reader::check_traffic,
    counts::check,
    versions::check,
];

fn play_all(shape: &'static Shape) {
    let number = SHAPES.iter().position(|other| other.name == shape.name);
    play_each(number.unwrap(), shape, CAUSES.iter());
}

fn play_each(number: usize, shape: &'static Shape, causes: impl Iterator<Item = &'static Cause>) {
    let mut failed = Vec::new();
    let causes = causes.filter(|cause| (cause.meets)(shape));
    for (of_cause, cause) in causes.enumerate() {
        let courses = [false, true].into_iter();
        for is_killed in courses.filter(|killed| is_course_played(number, of_cause, *killed)) {
            let name = format!("{} of a {}, killed: {is_killed}", cause.name, shape.name);
            if let Err(wrong) = play(shape, cause, is_killed, &CLAIMS) {
                eprintln!("{wrong}\n{name}\n");
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// One test for each shape, which meets all causes.
macro_rules! plays {
    ($($test:ident: $shape:literal;)*) => {
        $(
            #[test]
            fn $test() {
                play_all(shape::named($shape));
            }
        )*

        /// The names of the shapes that have a test.
        const PLAYED: &[&str] = &[$($shape),*];
    };
}

plays! {
    updates_of_a_coherent_clique_keep_to_the_budget_and_end: "coherent clique";
    updates_of_a_coherent_group_keep_to_the_budget_and_end: "coherent group";
    updates_of_a_coherent_group_with_surge_never_dip_and_end: "coherent group with surge";
    updates_of_a_clique_keep_to_the_budget_and_end: "clique";
    updates_of_a_group_keep_to_the_budget_and_end: "group";
    updates_of_a_set_keep_to_the_budget_and_end: "set";
    updates_of_a_clique_with_surge_never_dip_and_end: "clique with surge";
    updates_of_a_group_with_surge_never_dip_and_end: "group with surge";
    updates_of_a_whole_clique_with_surge_never_dip_and_end: "whole clique with surge";
    updates_of_a_whole_group_with_surge_never_dip_and_end: "whole group with surge";
    updates_of_a_coherent_pair_keep_versions_whole_and_end: "coherent pair";
    updates_of_a_coherent_trio_keep_versions_whole_and_end: "coherent trio";
    updates_of_a_coherent_set_keep_versions_whole_and_end: "coherent set";
    updates_of_a_coherent_pair_with_surge_never_dip_and_end: "coherent pair with surge";
}

/// A shape that no test plays would meet no cause.
#[test]
fn each_shape_is_played_by_one_test() {
    let shapes: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    assert_eq!(PLAYED, shapes);
}

/// An engine that may not be down for the sake of an update, with all causes that leave it room.
#[test]
fn updates_of_an_engine_that_is_never_down_end() {
    for (number, shape) in ENGINES.iter().enumerate() {
        let causes = CAUSES.iter().filter(|cause| cause.leaves_room);
        play_each(number, shape, causes);
    }
}

/// Dynamo reads counts and generations of the parts: in an update that nothing disturbs it says
/// ready once, when all pods are new, and a slow start makes the way there long.
#[test]
fn updates_of_a_graph_are_ready_for_dynamo_only_at_their_end() {
    let mut causes = CAUSES.iter();
    let slow = causes.find(|cause| cause.name == "slow start").unwrap();
    let claims: [Claim; 3] = [
        reader::check_undisturbed,
        counts::check,
        counts::expect_surge,
    ];
    let mut failed = Vec::new();
    let graphs = SHAPES.iter().chain(&ENGINES);
    for shape in graphs.filter(|shape| reader::is_graph(shape)) {
        if let Err(wrong) = play(shape, slow, false, &claims) {
            eprintln!("{wrong}\n{}\n", shape.name);
            failed.push(shape.name);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The object of the set.
fn set_id() -> Id {
    Id::new(Resource::PodCliqueSet, "svc")
}

/// Whether the pod has this version.
fn has_version(pod: &serde_json::Value, version: &str) -> bool {
    view::annotation(pod, "example.com/version") == version
}
