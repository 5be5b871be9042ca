//! Two sets that update on a full cluster: each holds half of the places that the other one needs.

use std::time::Duration;

use serde_json::{Value, json};

use super::probe;
use super::room::has_ended;
use crate::harness::manifest::{clique, set};
use crate::harness::seen::{index, is_ready};
use crate::harness::{Namespace, Seen, condition, same, site};
use crate::schedulers::kubernetes::nodes::{Nodes, tolerate};
use crate::termination::attempts_of;

const SETS: [&str; 2] = ["one", "two"];

/// A set of two pods, both required, each of which fills a node for this resource.
fn workload(name: &str, version: &str, place: &str, delay: Option<&str>) -> Value {
    let mut clique = clique("a", 2);
    clique["annotations"] = json!({"example.com/version": version});
    probe(&mut clique);
    tolerate(&mut clique, place);
    let container = &mut clique["spec"]["podSpec"]["containers"][0];
    container["resources"] = json!({"limits": {place: "8"}});
    let mut pcs = set(name, &[clique], &[]);
    if let Some(delay) = delay {
        pcs["spec"]["template"]["terminationDelay"] = json!(delay);
    }
    pcs
}

/// The pods of the set by index: version, whether it is Ready.
fn pods<'a>(seen: &'a Seen, set: &str) -> Vec<(&'a str, bool)> {
    let pods = seen.pods(&format!("{set}-0-a")).into_iter();
    pods.map(|pod| {
        let version = &pod["metadata"]["annotations"]["example.com/version"];
        (version.as_str().unwrap(), is_ready(pod))
    })
    .collect()
}

/// Both pods of the set have this version and are Ready.
fn runs(seen: &Seen, set: &str, version: &str) -> Result<(), String> {
    same(set, &pods(seen, set), &vec![(version, true); 2])
}

/// Both updates begin while the nodes of the pods that go first take no others. Returns these nodes.
fn begin(ns: &Namespace<'_>, place: &str, delays: [Option<&str>; 2]) -> Vec<String> {
    let apply = |version: &str| {
        for (set, delay) in SETS.into_iter().zip(delays) {
            ns.apply(&workload(set, version, place, delay));
        }
    };
    apply("1");
    let nodes = ns.until("both run", |seen| {
        for set in SETS {
            runs(seen, set, "1")?;
            let status = &seen.one("PodCliqueSet", set)?["status"];
            same(set, &status["availableReplicas"], &json!(1))?;
        }
        let last = seen.all("Pod").into_iter().filter(|pod| index(pod) == 1);
        let nodes = last.map(|pod| pod["spec"]["nodeName"].as_str().unwrap().to_owned());
        Ok(nodes.collect::<Vec<_>>())
    });
    for node in &nodes {
        ns.control_plane.kubectl(["cordon", node]);
    }
    apply("2");
    ns.until("each holds one place", |seen| {
        SETS.into_iter().try_for_each(|set| {
            let held = vec![("1", true), ("2", false)];
            same(set, &pods(seen, set), &held)
        })
    });
    nodes
}

/// With places for all, both updates end.
fn end(ns: &Namespace<'_>, nodes: &[String]) {
    for node in nodes {
        ns.control_plane.kubectl(["uncordon", node]);
    }
    ns.until("both updates end", |seen| {
        SETS.into_iter().try_for_each(|set| {
            runs(seen, set, "2")?;
            has_ended(seen, set)
        })
    });
}

/// A place that a terminated set gives away may go to one of its own new pods, once or twice.
const LIMIT: Duration = Duration::from_mins(5);

/// The first one is terminated after its delay, and its places go to the second one, which then has
/// nothing to wait for.
#[test]
fn with_a_delay_one_set_gives_its_places_to_the_other() {
    let place = "example.com/contended-place";
    // The nodes outlive the namespace: pods of a node that is gone are removed a minute later.
    let _nodes = Nodes::reserved(&site::shared().control_plane, place, 4);
    let ns = Namespace::new("contention");
    let nodes = begin(&ns, place, [Some("5s"), Some("10m")]);
    ns.within(LIMIT, "the second one has both places", |seen| {
        runs(seen, "two", "2")?;
        has_ended(seen, "two")?;
        let attempts = |set: &str| attempts_of(seen, "PodCliqueSet", set);
        let was_terminated = !attempts("one")?.is_empty();
        same("whether the first was", &was_terminated, &true)?;
        same("attempts of the second", &attempts("two")?, &vec![])
    });
    end(&ns, &nodes);
}

/// Nothing would end the wait, so both say it, once.
#[test]
fn without_a_delay_both_sets_say_that_they_stand_still_for_lack_of_room() {
    let place = "example.com/blocked-place";
    let _nodes = Nodes::reserved(&site::shared().control_plane, place, 4);
    let ns = Namespace::new("contention-told");
    let nodes = begin(&ns, place, [None, None]);
    ns.until("both say so", |seen| {
        SETS.into_iter().try_for_each(|set| {
            let found = seen.one("PodCliqueSet", set)?;
            let update = condition(found, "UpdateInProgress");
            same(set, &update, &"Unknown/NoRoom".to_owned())?;
            let told = found["status"]["conditions"].to_string();
            let words = "has had no room for pods that have to run";
            same(words, &told.contains(words), &true).map_err(|e| format!("{e}: {told}"))?;
            let warnings = ns.events(set, "UpdateStalled");
            same("warnings", &warnings.len(), &1).map_err(|e| format!("{e}: {warnings:?}"))
        })
    });
    end(&ns, &nodes);
}
