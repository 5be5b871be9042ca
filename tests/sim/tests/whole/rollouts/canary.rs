//! Canaries (docs/semantics.md §14.8): a partition keeps all units but one on their revision, whatever
//! happens to them.

use std::time::Duration;

use serde_json::{Value, json};
use sim::{Id, Resource, Rng, Store, view};
use testkit::builders::{SetBuilder, set};

use super::course::{Course, play, unit_of};
use super::shape::{self, write_version};
use super::{has_version, set_id};
use crate::scenarios::manifest;

/// The units; the last one is the canary.
const UNITS: usize = 10;
const CANARY: i64 = 9;
/// Losses of an hour: one every 30 s.
const LOSSES: usize = 120;
const PAUSE: Duration = Duration::from_secs(30);
/// Each loss of this number is that of a whole PodClique.
const WHOLE: usize = 20;
const SEED: u64 = 9;

/// A set with a canary.
struct Canary {
    /// The field of the template that has the clique or group.
    field: &'static str,
    build: fn() -> SetBuilder,
}

const CANARIES: [Canary; 2] = [
    Canary {
        field: "cliques",
        build: || set("svc").clique("a", |c| c.replicas(10).min(2)),
    },
    Canary {
        field: "podCliqueScalingGroups",
        build: || {
            set("svc")
                .clique("a", |c| c)
                .group("g", ["a"], |g| g.replicas(10).min(2))
        },
    },
];

impl Canary {
    fn manifest(&self) -> Value {
        let mut manifest = manifest((self.build)());
        write_version(&mut manifest, "1");
        manifest["spec"]["template"][self.field][0]["rollingUpdate"] = json!({"partition": CANARY});
        manifest
    }

    fn lower_partition(&self, store: &mut Store) {
        store.edit("user", &set_id(), |set| {
            set["spec"]["template"][self.field][0]["rollingUpdate"]["partition"] = json!(0);
        });
    }

    async fn play(&self, course: &mut Course) -> Result<(), String> {
        course.run(&self.manifest(), UNITS).await?;
        let began = course.length();
        course.store(|store| shape::edit(store, "2"));
        let words = ["Partitioned", "below 9 keep their templates"];
        let rests = |store: &Store| {
            shape::says(store, &words)?;
            is_right(store)
        };
        course.until("the update rests", rests).await?;
        let mut rng = Rng::new(SEED);
        for loss in 1..=LOSSES {
            course.store(|store| lose_one(store, &mut rng, loss % WHOLE == 0));
            course.pass(PAUSE).await?;
            course.until("all run again", is_right).await?;
            course.store(|store| were_right(store, began))?;
        }
        course.store(|store| {
            shape::says(store, &words)?;
            has_been_lost(store, began)
        })?;
        course.store(|store| self.lower_partition(store));
        course.end("2", UNITS).await
    }
}

/// Somebody deletes a random pod, or its PodClique.
fn lose_one(store: &mut Store, rng: &mut Rng, is_whole: bool) {
    let pods = store.all(Resource::Pod).filter(|(_, p)| view::is_live(p));
    let pods: Vec<Id> = pods.map(|(id, _)| id.clone()).collect();
    let pod = rng.pick(&pods).cloned().expect("all run");
    let podclique = store.get(&pod).and_then(|pod| view::owner(pod));
    let podclique = podclique.map(|(_, name, _)| Id::new(Resource::PodClique, name));
    let lost = podclique.filter(|_| is_whole).unwrap_or(pod);
    store.remove("chaos", &lost);
}

/// The version that a unit has to have while the update rests.
fn right_version(pod: &Value) -> &'static str {
    if unit_of(pod) == Some(CANARY) {
        "2"
    } else {
        "1"
    }
}

/// All units run, and each has its version.
fn is_right(store: &Store) -> Result<(), String> {
    let pods = || store.all(Resource::Pod).map(|(_, pod)| pod);
    let wrong = pods().find(|pod| !has_version(pod, right_version(pod)));
    if let Some(wrong) = wrong {
        return Err(format!("{} has another version", view::name(wrong)));
    }
    let up = pods().filter(|pod| view::is_ready(pod)).count();
    let are_all = up == UNITS && pods().count() == UNITS;
    are_all
        .then_some(())
        .ok_or_else(|| format!("{up} of {UNITS} units run"))
}

/// The pods that were created since then.
fn created(store: &Store, since: usize) -> impl Iterator<Item = &Value> {
    let log = store.log.get(since..).unwrap_or_default().iter();
    log.filter(|record| record.id.resource == Resource::Pod && record.before.is_none())
        .map(|record| &*record.last)
}

/// Each pod that was created since then has its version.
fn were_right(store: &Store, since: usize) -> Result<(), String> {
    let wrong = created(store, since).find(|pod| !has_version(pod, right_version(pod)));
    wrong.map_or(Ok(()), |pod| {
        let name = view::name(pod);
        Err(format!("{name} was created with another version"))
    })
}

/// The canary was lost, too: the first one of these pods came with the update.
fn has_been_lost(store: &Store, since: usize) -> Result<(), String> {
    let canaries = created(store, since).filter(|pod| unit_of(pod) == Some(CANARY));
    (canaries.count() > 1)
        .then_some(())
        .ok_or_else(|| "the canary was never lost".to_owned())
}

#[test]
fn a_canary_stays_the_only_new_unit_in_an_hour_of_losses() {
    for canary in &CANARIES {
        let played = play(UNITS, async |course: &mut Course| canary.play(course).await);
        played.unwrap_or_else(|wrong| panic!("{wrong}\n{}", canary.field));
    }
}
