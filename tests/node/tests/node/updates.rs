//! Updates of running sets, with the probes and images of real nodes.

use serde_json::{Value, json};

use super::judge::{has, ready, same, text};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_ready, message, state, uid};
use super::sets::{clique, serving, sh, with};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row("updates::rolling_with_probes", "-", rolling_with_probes),
        row(
            "updates::image_that_is_not_there",
            "-",
            image_that_is_not_there,
        ),
        row("updates::on_delete", "-", on_delete),
        row("updates::image_of_one_pod", "R8", image_of_one_pod),
    ]
}

/// A server of that version that is Ready a second after its start.
fn server(version: &str) -> Value {
    let probe = json!({"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1,
                       "timeoutSeconds": 5});
    let script = format!("echo {version}; sleep 1; touch /tmp/up; exec sleep 1000");
    with(sh(&script), &json!({"readinessProbe": probe}))
}

fn set_of(replicas: u32, min_available: u32, main: Value) -> Value {
    let mut clique = clique("w", replicas, &[main]);
    clique["spec"]["minAvailable"] = min_available.into();
    serving("u", &[clique])
}

fn up(seen: &Seen) -> Vec<&Value> {
    let mut pods = seen.pods_of("u-0-w");
    pods.retain(|pod| is_ready(pod));
    pods
}

fn uids(seen: &Seen) -> Vec<String> {
    up(seen).into_iter().map(uid).collect()
}

fn start(ns: &Namespace, set: &Value, replicas: usize) -> Vec<String> {
    ns.apply(&[set]);
    ns.until("all pods are Ready", |seen| {
        same("Ready pods", up(seen).len(), replicas)?;
        ready(seen, "u", "AllReady")?;
        Ok(uids(seen))
    })
}

/// All are replaced, and never fewer than the minimum are Ready.
fn rolling_with_probes(ns: &Namespace) {
    let before = start(ns, &set_of(3, 2, server("one")), 3);
    ns.apply(&[&set_of(3, 2, server("two"))]);
    ns.until("the update ends", |seen| {
        let now = up(seen).len();
        assert!(now >= 2, "only {now} pods are Ready");
        let new = uids(seen)
            .iter()
            .filter(|uid| !before.contains(uid))
            .count();
        same("new pods that are Ready", new, 3)?;
        let progress = &seen.set("u")?["status"]["updateProgress"];
        progress["updateEndedAt"]
            .is_string()
            .then_some(())
            .ok_or_else(|| progress.to_string())
    });
}

/// The update stops within its budget: two of three run on.
fn image_that_is_not_there(ns: &Namespace) {
    let before = start(ns, &set_of(3, 2, server("one")), 3);
    let broken = with(server("one"), &json!({"image": "nowhere.test/new:2"}));
    ns.apply(&[&set_of(3, 2, broken)]);
    ns.until("the image is named", |seen| {
        let all = ["Ready", "UpdateInProgress"].map(|type_| message(seen.set("u").unwrap(), type_));
        has("the conditions", &all.join(" "), &["nowhere.test/new:2"])
    });
    let seen = ns.look().unwrap();
    let left = uids(&seen)
        .iter()
        .filter(|uid| before.contains(uid))
        .count();
    same("old pods that are Ready", left, 2).unwrap();
    // The old template again ends the update.
    ns.apply(&[&set_of(3, 2, server("one"))]);
    ns.until("all is Ready again", |seen| {
        same("Ready pods", up(seen).len(), 3)?;
        ready(seen, "u", "AllReady")
    });
}

/// A pod takes the new template when it is deleted.
fn on_delete(ns: &Namespace) {
    let manual = json!({"spec": {"updateStrategy": {"type": "OnDelete"}}});
    let before = start(ns, &with(set_of(2, 1, server("one")), &manual), 2);
    ns.apply(&[&with(set_of(2, 1, server("two")), &manual)]);
    let seen = ns.look().unwrap();
    let pod = text(&up(&seen)[0]["metadata"]["name"]).to_owned();
    ns.kubectl(&["delete", "pod", &pod, "--wait=false"]);
    ns.until("it is replaced", |seen| {
        let new: Vec<_> = up(seen)
            .into_iter()
            .filter(|pod| !before.contains(&uid(pod)))
            .collect();
        let pod = new.first().ok_or("no new pod")?;
        has(
            "its command",
            &pod["spec"]["containers"][0]["command"].to_string(),
            &["echo two"],
        )
    });
    let seen = ns.look().unwrap();
    let left = uids(&seen)
        .iter()
        .filter(|uid| before.contains(uid))
        .count();
    same("old pods", left, 1).unwrap();
}

/// Finding R8: the image that cannot be pulled is that of the pod's spec, not the one that its
/// status still names.
fn image_of_one_pod(ns: &Namespace) {
    let set = set_of(1, 1, server("one"));
    start(ns, &set, 1);
    let seen = ns.look().unwrap();
    let pod = format!("pod/{}", text(&up(&seen)[0]["metadata"]["name"]));
    ns.kubectl(&["set", "image", &pod, "main=nowhere.test/in-place:3"]);
    ns.until("the new image is named", |seen| {
        let set = seen.set("u")?;
        has("Ready", &state(set, "Ready"), &["False/ImagePullFailed"])?;
        has(
            "its message",
            message(set, "Ready"),
            &["nowhere.test/in-place:3"],
        )
    });
}
