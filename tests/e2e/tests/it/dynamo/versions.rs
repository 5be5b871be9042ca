//! Every version of PodCliques and PodCliqueScalingGroups, from independent watches: all states
//! that a reader can see.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use serde_json::Value;
use tokio::runtime::Runtime;

use crate::harness::Namespace;
use crate::harness::history::watch;
use crate::harness::seen::name;

const KINDS: [&str; 2] = ["PodClique", "PodCliqueScalingGroup"];
const HASH: &str = "currentPodCliqueSetGenerationHash";

/// The watches.
pub struct Versions {
    events: Vec<(Receiver<Value>, Runtime)>,
    /// The last version of each object, by uid.
    last: BTreeMap<String, Value>,
    /// How many statuses of each object were about another template.
    updated: BTreeMap<String, usize>,
}

impl Versions {
    /// Begins now.
    pub fn of(ns: &Namespace<'_>) -> Self {
        let watch = |kind| watch::begin_of(ns, ("grove.io", "v1alpha1", kind));
        let events = KINDS.map(watch);
        Self {
            events: events.into(),
            last: BTreeMap::new(),
            updated: BTreeMap::new(),
        }
    }

    /// Checks the versions since the last call; returns the names of the objects that took another
    /// template since the begin.
    pub fn judge(&mut self) -> Vec<&str> {
        let events: Vec<Value> = self.events.iter().flat_map(|(e, _)| e.try_iter()).collect();
        for event in events.iter().filter(|event| event["type"] != "DELETED") {
            let object = &event["object"];
            let uid = object["metadata"]["uid"].as_str().unwrap().to_owned();
            let before = self.last.insert(uid, object.clone());
            let before = before.unwrap_or_default();
            judge(&before, object);
            if is_other_template(&before, object) {
                *self.updated.entry(name(object).to_owned()).or_default() += 1;
            }
        }
        self.updated.keys().map(String::as_str).collect()
    }
}

fn is_other_template(before: &Value, object: &Value) -> bool {
    let [old, new] = [before, object].map(|o| &o["status"][HASH]);
    old.is_string() && old != new
}

/// Claims about every version, and about consecutive ones.
fn judge(before: &Value, object: &Value) {
    let (status, said) = (&object["status"], format!("{object:#}"));
    let number = |value: &Value| value.as_i64().unwrap_or(0);
    let observed = number(&status["observedGeneration"]);
    assert!(
        observed <= number(&object["metadata"]["generation"]),
        "{said}"
    );
    let observed_before = number(&before["status"]["observedGeneration"]);
    assert!(
        observed_before <= observed,
        "{observed_before}, then {said}"
    );
    assert!(object["spec"]["replicas"].is_i64(), "{said}");

    let replicas = number(&status["replicas"]);
    let of_them = [
        "readyReplicas",
        "availableReplicas",
        "updatedReplicas",
        "scheduledReplicas",
        "scheduleGatedReplicas",
    ];
    for count in of_them {
        assert!(number(&status[count]) <= replicas, "{count}: {said}");
    }
    let had_hash = before["status"][HASH].is_string();
    assert!(!had_hash || status[HASH].is_string(), "{said}");
    if is_other_template(before, object) {
        // Traffic follows this hash: no part may have an older template.
        let (updated, all) = if object["kind"] == "PodClique" {
            (&status["updatedReplicas"], &object["spec"]["replicas"])
        } else {
            let progress = &status["updateProgress"];
            let all = &progress["totalPodCliquesCount"];
            (&progress["updatedPodCliquesCount"], all)
        };
        assert_eq!(updated, all, "{said}");
        assert_eq!(status["replicas"], object["spec"]["replicas"], "{said}");
    }
}
