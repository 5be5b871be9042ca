//! A canary: pods below the partition keep their version, whatever is lost, and `undo` takes it back.

use serde_json::{Value, json};

use super::{LIMIT, one_clique, server, start, update_ends};
use crate::judge::{has, same};
use crate::namespace::Namespace;
use crate::seen::{Seen, is_ready, name, state, uid};

/// The pods by index, all of them Ready, with these versions.
fn by_version<'a>(seen: &'a Seen, versions: [&str; 4]) -> Result<Vec<&'a Value>, String> {
    let pods = seen.pods_of("u-0-w");
    let up = pods.iter().filter(|pod| is_ready(pod)).count();
    let all = versions.len();
    same("(pods, Ready pods)", (pods.len(), up), (all, all))?;
    for (pod, version) in pods.iter().zip(versions) {
        let command = pod["spec"]["containers"][0]["command"].to_string();
        has("its command", &command, &[&format!("echo {version};")])?;
    }
    Ok(pods)
}

/// The last pod has version two, the others have version one, and the update rests. Name and uid of each.
fn rests(seen: &Seen) -> Result<Vec<(String, String)>, String> {
    let pods = by_version(seen, ["one", "one", "one", "two"])?;
    let update = state(seen.set("u")?, "UpdateInProgress");
    same("the update", update, "False/Partitioned".to_owned())?;
    Ok(pods
        .into_iter()
        .map(|pod| (name(pod).to_owned(), uid(pod)))
        .collect())
}

/// One pod on each side of the partition is lost, and comes back in the version of its side.
pub(super) fn of_one_pod(ns: &Namespace) {
    let rolling = json!({"partition": 3, "minReadySeconds": 2});
    start(ns, &one_clique(4, server("one"), &rolling), 4);
    ns.apply(&[&one_clique(4, server("two"), &rolling)]);
    let before = ns.within(LIMIT, "the last pod is new", rests);
    for lost in [&before[1], &before[3]] {
        ns.kubectl(&["delete", "pod", &lost.0, "--wait=false"]);
    }
    let kept = ns.within(LIMIT, "both are back, as they were", |seen| {
        let now = rests(seen)?;
        let is_kept = |k: usize| now[k].1 == before[k].1;
        let are_kept = [0, 1, 2, 3].map(is_kept);
        same("pods that were kept", are_kept, [true, false, true, false])?;
        Ok(now)
    });
    ns.grove(&["undo", "u"]);
    update_ends(ns, 4);
    let seen = ns.look().unwrap();
    let after = by_version(&seen, ["one"; 4]).unwrap();
    for (pod, (_, before)) in after.into_iter().zip(&kept).take(3) {
        same("a pod that never left it", &uid(pod), before).unwrap();
    }
}
