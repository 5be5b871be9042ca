//! Pods that end slowly, scaling to zero and back.

use serde_json::{Value, json};

use super::judge::{ready, same};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_going, is_ready, name};
use super::sets::{OBEDIENT, clique, serving, sh, with_pod};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "scaling::out_and_in_again_while_pods_end",
            "-",
            out_and_in_again,
        ),
        row("scaling::to_zero_and_back", "-", to_zero_and_back),
        row("scaling::sigterm_is_obeyed", "-", sigterm_is_obeyed),
        row("scaling::sigterm_is_ignored", "-", sigterm_is_ignored),
    ]
}

fn set_of(replicas: u32, grace: u32, script: &str) -> Value {
    let mut clique = clique("w", replicas, &[sh(script)]);
    clique["spec"]["minAvailable"] = 1.into();
    serving(
        "s",
        &[with_pod(
            clique,
            &json!({"terminationGracePeriodSeconds": grace}),
        )],
    )
}

fn scale(ns: &Namespace, replicas: u32) {
    ns.kubectl(&["scale", "pclq/s-0-w", &format!("--replicas={replicas}")]);
}

fn is_up(seen: &Seen, count: usize) -> Result<(), String> {
    let pods = seen.pods_of("s-0-w");
    let up = pods.iter().filter(|pod| is_ready(pod)).count();
    same("(pods, Ready pods)", (pods.len(), up), (count, count))
}

/// A slot is taken until its pod is gone: two pods never have the same index.
fn out_and_in_again(ns: &Namespace) {
    ns.apply(&[&set_of(3, 6, "trap '' TERM; while :; do sleep 1; done")]);
    ns.until("three run", |seen| is_up(seen, 3));
    scale(ns, 1);
    ns.until("two are ending", |seen| {
        let going = seen
            .pods_of("s-0-w")
            .into_iter()
            .filter(|pod| is_going(pod))
            .count();
        same("pods that end", going, 2)
    });
    scale(ns, 3);
    ns.until("three run again", |seen| {
        let slot =
            |pod: &&Value| pod["metadata"]["labels"]["grove.io/podclique-pod-index"].to_string();
        let mut slots: Vec<_> = seen.pods_of("s-0-w").iter().map(slot).collect();
        let count = slots.len();
        slots.dedup();
        assert_eq!(slots.len(), count, "two pods have one index");
        is_up(seen, 3)
    });
}

/// Nothing runs, nothing is broken, and it comes back.
fn to_zero_and_back(ns: &Namespace) {
    ns.apply(&[&set_of(2, 1, OBEDIENT)]);
    ns.until("two run", |seen| is_up(seen, 2));
    scale(ns, 0);
    ns.until("none runs", |seen| {
        is_up(seen, 0)?;
        ready(seen, "s", "ScaledToZero")
    });
    scale(ns, 2);
    ns.until("two run again", |seen| {
        is_up(seen, 2)?;
        ready(seen, "s", "AllReady")
    });
}

/// A process that ends on SIGTERM delays nothing.
fn sigterm_is_obeyed(ns: &Namespace) {
    ns.apply(&[&set_of(2, 1000, OBEDIENT)]);
    ns.until("two run", |seen| is_up(seen, 2));
    ns.kubectl(&["delete", "pcs", "s", "--timeout=60s"]);
}

/// A process that ignores it gets its whole grace period, and its set exists until then.
fn sigterm_is_ignored(ns: &Namespace) {
    let script = "trap 'echo not-yet' TERM; while :; do sleep 1; done";
    ns.apply(&[&set_of(1, 30, script)]);
    let pod = ns.until("it runs", |seen| {
        is_up(seen, 1)?;
        Ok(name(seen.pods_of("s-0-w")[0]).to_owned())
    });
    ns.kubectl(&["delete", "pcs", "s", "--wait=false"]);
    ns.until("it got SIGTERM, and continues", |seen| {
        seen.set("s")
            .map_err(|_| "the set is gone before its pod".to_owned())?;
        let said = ns.kubectl(&["logs", &pod]);
        said.contains("not-yet").then_some(()).ok_or(said)
    });
    ns.until("both are gone", |seen| {
        same("pods", seen.pods().len(), 0)?;
        same("sets", seen.all("PodCliqueSet").len(), 0)
    });
}
