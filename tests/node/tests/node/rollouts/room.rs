//! Updates on nodes that have no room for all pods.

use std::cell::RefCell;
use std::collections::BTreeSet;

use node_tests::cluster::NODES;
use serde_json::{Value, json};

use super::{LIMIT, has_ended, server, start, staying};
use crate::judge::same;
use crate::namespace::Namespace;
use crate::seen::{Seen, is_going, is_ready, uid};
use crate::sets::{clique, serving, with, with_delay};

/// The first node has this many places of that name from now on. Its kubelet makes them allocatable with
/// its next report.
fn offer_places(ns: &Namespace, place: &str, count: u32) {
    let count = count.to_string();
    let capacity = format!("/status/capacity/{}", place.replace('/', "~1"));
    let edit = json!([{"op": "add", "path": capacity, "value": count}]).to_string();
    let node = ["patch", "node", NODES[0], "--subresource=status"];
    let edit = ["--type=json", "--patch", &edit];
    ns.kubectl(&[&node[..], &edit[..]].concat());
    let escaped = place.replace('.', "\\.");
    let allocatable = format!("--output=jsonpath={{.status.allocatable.{escaped}}}");
    ns.until("the node offers its places", |_| {
        let offered = ns.kubectl(&["get", "node", NODES[0], &allocatable]);
        same("places", offered, count.clone())
    });
}

/// A server that fills a place.
fn placed(version: &str, place: &str) -> Value {
    let limits = json!({"resources": {"limits": {place: "1"}}});
    with(server(version), &limits)
}

fn count_ready(seen: &Seen, podclique: &str) -> usize {
    let pods = seen.pods_of(podclique).into_iter();
    pods.filter(|pod| is_ready(pod) && !is_going(pod)).count()
}

/// Eight pods are wanted, two of them are required, and there are places for six.
pub(super) fn of_six_places(ns: &Namespace) {
    const PLACE: &str = "example.com/six-places";
    offer_places(ns, PLACE, 6);
    let wanted = |version: &str| {
        let mut clique = clique("w", 8, &[placed(version, PLACE)]);
        clique["spec"]["minAvailable"] = 2.into();
        serving("u", &[clique])
    };
    ns.apply(&[&wanted("one")]);
    let before = ns.until("six run", |seen| {
        same("Ready pods", count_ready(seen, "u-0-w"), 6)?;
        Ok(staying(seen))
    });
    ns.apply(&[&wanted("two")]);
    ns.within(LIMIT, "the update ends", |seen| {
        let up = count_ready(seen, "u-0-w");
        assert!(up >= 5, "{up} of six pods are up");
        let now = staying(seen);
        same("old pods", now.intersection(&before).count(), 0)?;
        same("pods and Ready pods", (now.len(), up), (8, 6))?;
        has_ended(seen, "u")
    });
}

/// Two sets of two pods, all of them required, fill four places when two of these go away. Each update
/// then holds the place that the other one needs, until the first set is terminated.
pub(super) fn of_two_sets(ns: &Namespace) {
    const PLACE: &str = "example.com/contended-places";
    let pair = |set: &str, version: &str, delay: &str| {
        let pair = serving(set, &[clique("w", 2, &[placed(version, PLACE)])]);
        with_delay(pair, delay)
    };
    let apply = |version: &str| {
        let (one, two) = (pair("one", version, "10s"), pair("two", version, "30m"));
        ns.apply(&[&one, &two]);
    };
    offer_places(ns, PLACE, 4);
    apply("one");
    let before = ns.until("both run", |seen| {
        for set in ["one", "two"] {
            let available = &seen.set(set)?["status"]["availableReplicas"];
            same(set, available.as_u64(), Some(1))?;
        }
        Ok(staying(seen))
    });
    offer_places(ns, PLACE, 2);
    apply("two");
    let attempts = |seen: &Seen, set: &str| -> Result<usize, String> {
        let attempts = &seen.set(set)?["status"]["replicaAttempts"];
        Ok(attempts.as_array().map_or(0, Vec::len))
    };
    ns.within(LIMIT, "the second set has both places", |seen| {
        same("Ready pods", count_ready(seen, "two-0-w"), 2)?;
        has_ended(seen, "two")?;
        let terminated = (attempts(seen, "one")?, attempts(seen, "two")?);
        same("terminated replicas", terminated, (1, 0))
    });
    offer_places(ns, PLACE, 4);
    ns.within(LIMIT, "both updates end", |seen| {
        let up = ["one-0-w", "two-0-w"].map(|podclique| count_ready(seen, podclique));
        same("Ready pods", up, [2, 2])?;
        let now = staying(seen);
        same("old pods", now.intersection(&before).count(), 0)?;
        has_ended(seen, "one")
    });
}

/// A new template and two pods more in one edit: all pods that the replica in turn adds have the new
/// template. The other replica gets its own at once, with the template that it has.
pub(super) fn of_added_pods(ns: &Namespace) {
    let workload = |count: u32, version: &str| {
        let mut clique = clique("w", count, &[server(version)]);
        clique["spec"]["minAvailable"] = 1.into();
        with(serving("u", &[clique]), &json!({"spec": {"replicas": 2}}))
    };
    let before = start(ns, &workload(2, "one"), 4);
    ns.apply(&[&workload(4, "two")]);
    let old_ones = RefCell::new(BTreeSet::new());
    ns.within(LIMIT, "the update ends", |seen| {
        let is_of = |pod: &Value, version: &str| {
            let command = &pod["spec"]["containers"][0]["command"][2];
            command
                .as_str()
                .is_some_and(|script| script.contains(version))
        };
        let added = seen.pods_of("u-0-w").into_iter();
        let stale = added.filter(|pod| !before.contains(&uid(pod)) && is_of(pod, "echo one"));
        assert_eq!(stale.count(), 0, "the replica in turn adds old pods");
        let elsewhere = seen.pods_of("u-1-w").into_iter();
        let elsewhere =
            elsewhere.filter(|pod| !before.contains(&uid(pod)) && is_of(pod, "echo one"));
        old_ones.borrow_mut().extend(elsewhere.map(uid));
        let up = ["u-0-w", "u-1-w"].map(|podclique| count_ready(seen, podclique));
        same("Ready pods", up, [4, 4])?;
        has_ended(seen, "u")
    });
    assert_eq!(
        old_ones.borrow().len(),
        2,
        "pods that the other replica added"
    );
}
