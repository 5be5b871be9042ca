//! Replicas that wait for their turn keep their templates, and `undo` brings these back.

mod elsewhere;
mod kept;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ended, pods_of, running, workload};
use crate::harness::{Seen, condition, same};

/// Version 2 finds no node.
fn unplaceable() -> Value {
    let mut next = workload("2");
    for clique in next["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["nodeSelector"] = json!({"example.com/nowhere": "true"});
    }
    next
}

/// Uid of the PodClique of that name, and the versions of its pods, if all are Ready.
fn ready_versions(seen: &Seen, podclique: &str, pods: usize) -> Result<(String, String), String> {
    let found = seen.one("PodClique", podclique)?;
    let of_it = |pod: &&&Value| pod["metadata"]["labels"]["grove.io/podclique"] == podclique;
    let all = seen.all("Pod");
    let own: Vec<&&Value> = all.iter().filter(of_it).collect();
    same("pods", &own.len(), &pods)?;
    let ready = &found["status"]["readyReplicas"];
    same("Ready pods", ready, &pods.into())?;
    let version = |pod: &&Value| pod["metadata"]["annotations"]["example.com/version"].to_string();
    let versions: BTreeSet<String> = own.into_iter().map(version).collect();
    let uid = found["metadata"]["uid"].to_string();
    Ok((uid, versions.into_iter().collect::<Vec<_>>().join(" ")))
}

fn turn(seen: &Seen) -> Result<Value, String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    Ok(set["status"]["updateProgress"]["currentlyUpdating"][0]["replicaIndex"].clone())
}

/// Replica 0 has the turn, and the other two are on revision 1.
fn expect_first_turn(seen: &Seen) -> Result<(), String> {
    same("turn", &turn(seen)?, &0.into())?;
    let set = seen.one("PodCliqueSet", "svc")?;
    let entries = set["status"]["replicaRevisions"].as_array();
    let waiting = entries.into_iter().flatten();
    let waiting = waiting.filter(|entry| entry["revision"].is_string());
    same("replicas on revision 1", &waiting.count(), &2)
}

#[test]
fn a_replica_outside_of_the_turn_comes_back_as_it_was_and_undo_restarts_nothing_else() {
    let ns = running("revisions");
    ns.apply(&unplaceable());
    ns.until("replica 0 has the turn", expect_first_turn);
    // A standalone PodClique, and one of a group, in a replica whose turn has not come.
    for (podclique, pods) in [("svc-2-web", 4), ("svc-2-grp-1-work", 2)] {
        let look = |seen: &Seen| ready_versions(seen, podclique, pods);
        let (before, _) = ns.until("it runs", look);
        ns.kubectl(&["delete", "podclique", podclique, "--wait=false"]);
        ns.until("it is back on version 1", |seen| {
            let (uid, versions) = look(seen)?;
            same("whether it is another one", &(uid != before), &true)?;
            same("versions", &versions, &"\"1\"".to_owned())
        });
    }
    expect_history(&ns.grove(&["history", "svc", "-o", "json"]));
    // One pod and one group replica of three pods were replaced, which is all that may be away.
    let (untouched, kept) = ns.until("the others run", |seen| {
        same("new pods", &pods_of(seen, "2").len(), &4)?;
        let kept = pods_of(seen, "1");
        same("old pods", &kept.len(), &26)?;
        let untouched = [
            ready_versions(seen, "svc-1-web", 4)?,
            ready_versions(seen, "svc-1-grp-0-lead", 1)?,
        ];
        Ok((untouched, kept))
    });
    let dry = ns.grove_words(&["undo", "svc", "--dry-run"]);
    assert!(
        dry.contains("nodeSelector") && dry.contains("dry run"),
        "{dry}"
    );
    let undone = ns.grove_words(&["undo", "svc"]);
    assert!(
        undone.contains("back to the templates of revision 1"),
        "{undone}"
    );
    ns.until("version 1 runs again", |seen| {
        ended(seen, "1", 3)?;
        let entries = &seen.one("PodCliqueSet", "svc")?["status"]["replicaRevisions"];
        same("entries", entries, &Value::Null)
    });
    let after = ns.look().unwrap();
    assert_eq!(
        ready_versions(&after, "svc-1-web", 4).unwrap(),
        untouched[0]
    );
    assert_eq!(
        ready_versions(&after, "svc-1-grp-0-lead", 1).unwrap(),
        untouched[1]
    );
    let restarted: Vec<_> = kept.difference(&pods_of(&after, "1")).cloned().collect();
    assert_eq!(restarted, [""; 0], "pods of version 1 that ran");
}

/// Two revisions: the newest for replica 0, which has the turn, the other one for the rest.
fn expect_history(text: &str) {
    let history: Value = serde_json::from_str(text).unwrap();
    let rows = history["revisions"].as_array().unwrap();
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["revision"].as_i64(),
                row["replicas"].as_str(),
                row["isCurrent"].as_bool(),
            )
        })
        .collect();
    let wanted = [
        (Some(2), Some("0"), Some(true)),
        (Some(1), Some("1-2"), Some(false)),
    ];
    assert_eq!(told, wanted, "{text}");
    assert_eq!(rows[0]["changedCliques"], json!(["lead", "web", "work"]));
}

/// A template that the API server refuses has no revision, and `undo` takes it back.
#[test]
fn undo_takes_back_a_template_that_is_refused() {
    let ns = running("undo-refused");
    let mut next = workload("2");
    let container = &mut next["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0];
    container["resources"] = json!({"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}});
    ns.apply(&next);
    ns.until("it is refused", |seen| {
        let update = condition(seen.one("PodCliqueSet", "svc")?, "UpdateInProgress");
        let wanted = "False/TemplateRefused".to_owned();
        same("UpdateInProgress", &update, &wanted)
    });
    let history: Value =
        serde_json::from_str(&ns.grove(&["history", "svc", "-o", "json"])).unwrap();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 1);
    ns.grove(&["undo", "svc"]);
    ns.until("nothing is refused any more", |seen| {
        let update = condition(seen.one("PodCliqueSet", "svc")?, "UpdateInProgress");
        same(
            "UpdateInProgress",
            &update,
            &"False/NoActiveUpdate".to_owned(),
        )
    });
    // Another client's version of the set is never overwritten without a word.
    let output = ns.grove_command(&["undo", "svc"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{error}");
    assert!(error.contains("no older templates"), "{error}");
}
