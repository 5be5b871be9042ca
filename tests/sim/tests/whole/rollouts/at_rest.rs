//! At rest the operator reads and writes no object, in whatever state an update has left its set
//! (docs/semantics.md §14): nothing is polled.

use std::time::Duration;

use serde_json::{Value, json};
use sim::Store;

use super::course::{Course, play};
use super::shape;

/// Longer than the interval at which all objects are reconciled once more.
const REST: Duration = Duration::from_mins(11);
/// The dry runs of a refused template in that time: one each minute, as what it lacks may exist by then.
const REPEATS: usize = 11;

/// A set at rest.
struct Case {
    name: &'static str,
    shape: &'static str,
    /// Changes the set before it is created.
    adapt: fn(&mut Value),
    /// What happens when version 1 runs.
    act: fn(&mut Store),
    /// What happens when an old pod has gone.
    during: Option<fn(&mut Store)>,
    is_reached: fn(&Store) -> Result<(), String>,
    /// The most dry runs of pods.
    repeats: usize,
}

/// The update ends.
const ENDS: Case = Case {
    name: "an update that has ended",
    shape: "set",
    adapt: |_| {},
    act: |store| shape::edit(store, "2"),
    during: None,
    is_reached: shape::has_ended,
    repeats: 0,
};

const CASES: [Case; 8] = [
    ENDS,
    Case {
        name: "an update of pods with surge",
        shape: "clique with surge",
        ..ENDS
    },
    Case {
        name: "an update of group replicas with surge",
        shape: "group with surge",
        ..ENDS
    },
    Case {
        name: "a coherent update",
        shape: "coherent pair",
        ..ENDS
    },
    Case {
        name: "an update that is paused in the middle",
        shape: "clique",
        during: Some(|store| shape::pause(store, true)),
        is_reached: |store| shape::says(store, &["Paused"]),
        ..ENDS
    },
    Case {
        name: "a template that waits for the end of a pause",
        shape: "group",
        adapt: |set| set["spec"]["updateStrategy"] = json!({"paused": true}),
        is_reached: |store| shape::says(store, &["waits until spec.updateStrategy.paused"]),
        ..ENDS
    },
    Case {
        name: "an update that rests at a partition",
        shape: "clique",
        adapt: |set| {
            set["spec"]["template"]["cliques"][0]["rollingUpdate"] = json!({"partition": 3});
        },
        is_reached: |store| shape::says(store, &["Partitioned"]),
        ..ENDS
    },
    Case {
        name: "a template that is refused",
        shape: "clique",
        act: |store| {
            store.refused.insert("2".to_owned(), store.log.len());
            shape::edit(store, "2");
        },
        is_reached: |store| shape::says(store, &["TemplateRefused"]),
        repeats: REPEATS,
        ..ENDS
    },
];

impl Case {
    async fn play(&self, course: &mut Course) -> Result<(), String> {
        let shape = shape::named(self.shape);
        let mut manifest = shape.manifest();
        (self.adapt)(&mut manifest);
        course.run(&manifest, shape.pods).await?;
        course.store(self.act);
        if let Some(during) = self.during {
            let replaced = shape::has_replaced_one;
            course.until("an old pod has gone", replaced).await?;
            course.store(during);
        }
        course.until("it has come so far", self.is_reached).await?;
        let requests = course.requests_at_rest(REST).await?;
        self.judge(&requests)
    }

    fn judge(&self, requests: &[String]) -> Result<(), String> {
        let is_dry_run = |request: &&String| request.starts_with("DRYRUN ");
        let repeats = requests.iter().filter(is_dry_run).count();
        let is_right = repeats == requests.len() && repeats <= self.repeats;
        let asks = (self.repeats > 0) == (repeats > 0);
        (is_right && asks)
            .then_some(())
            .ok_or_else(|| format!("{} requests: {requests:?}", requests.len()))
    }
}

#[test]
fn at_rest_no_request_is_sent() {
    let mut failed = Vec::new();
    for case in &CASES {
        let shape = shape::named(case.shape);
        let played = play(
            shape.places(0) + shape.surge,
            async |course: &mut Course| case.play(course).await,
        );
        if let Err(wrong) = played {
            eprintln!("{wrong}\n{}\n", case.name);
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
