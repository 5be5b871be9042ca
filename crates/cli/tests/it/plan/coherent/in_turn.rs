//! Plans that are made in the middle of a turn: its next deletions follow from what is stored.

use serde_json::{Value, json};

use super::{engines, told, update, with_new_image};
use crate::plan::cluster::{Cluster, set_ready};
use crate::plan::live::change;

/// When the turn of replica 0 began.
const BEGAN: &str = "2025-12-31T23:59:00Z";

/// Prefill and decode in the turn of their replica, with all units of the older image. `prefill`
/// and `decode` are the most of their units that were available in it. `turn` makes what the set
/// stores of the steps from the hash of the newer generation.
fn in_turn(prefill: i32, decode: i32, turn: impl FnOnce(&Value) -> Value) -> Cluster {
    let file = engines();
    let next = with_new_image(file.clone());
    let updated = change(&next, &Cluster::of(&file).found()).set;
    let updated = serde_json::to_value(updated).unwrap();
    let generation = &updated["status"]["currentGenerationHash"];
    let mut turn = turn(generation);
    turn["replicaIndex"] = json!(0);
    turn["updateStartedAt"] = json!(BEGAN);
    let record = |reached: i32| {
        json!({"updateProgress": {
            "updateStartedAt": BEGAN, "podCliqueSetGenerationHash": generation, "reached": reached,
        }})
    };
    Cluster::of(&file)
        .edit("PodCliqueSet", "svc", |set| {
            set["spec"] = updated["spec"].clone();
            set["status"] = json!({
                "replicas": 1,
                "currentGenerationHash": generation,
                "updateProgress": {
                    "updateStartedAt": BEGAN,
                    "reached": 1,
                    "totalPodCliqueScalingGroupsCount": 2,
                    "inScopePodCliqueScalingGroups": ["prefill", "decode"],
                    "currentlyUpdating": [turn],
                },
            });
        })
        .edit("PodCliqueScalingGroup", "svc-0-prefill", |group| {
            group["status"] = record(prefill);
        })
        .edit("PodCliqueScalingGroup", "svc-0-decode", |group| {
            group["status"] = record(decode);
        })
}

/// The groups delete the units of the stored batch before any record of an update changes.
#[test]
fn a_batch_that_has_begun_has_all_its_units() {
    let cluster = in_turn(10, 20, |generation| {
        let from = |name: &str, from: i32| json!({"component": name, "from": from});
        json!({
            "targets": [from("prefill", 7), from("decode", 17)],
            "inFlightEpochs": [generation],
            "message": "3 units of prefill are being replaced",
        })
    });
    let rest = change(&with_new_image(engines()), &cluster.found());
    assert_eq!(told(rest), told(update(&engines())));
}

/// A replica of prefill was down when the turn began, and the second step replaces it. Until then a
/// batch takes three of the nine others away.
#[test]
fn the_floor_is_below_the_units_that_were_stored_as_available() {
    let pod = "svc-0-prefill-5-prefill-node-p0";
    let cluster = in_turn(9, 20, |_| json!({}));
    let cluster = cluster.edit("Pod", pod, |pod| set_ready(pod, false));
    let rest = change(&with_new_image(engines()), &cluster.found());
    let steps = rest.update.unwrap().steps;
    let shares = steps.iter().filter_map(|step| {
        let mut shares = step.batches.iter();
        shares.find(|share| share.component == "prefill")
    });
    let floors: Vec<i32> = shares.map(|share| share.floor).collect();
    assert_eq!(floors, [6, 6, 7]);
}
