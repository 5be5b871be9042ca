//! Updates whose templates are bad, and updates under load (docs/semantics.md §14).

mod canary;
mod room;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::judge::{has, ready, same};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_going, is_ready, message, name, restarts, state, uid};
use super::sets::{clique, serving, sh, with, with_pod};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row("rollouts::template_is_refused", "H1", template_is_refused),
        row("rollouts::crash_after_three_seconds", "3", crash_soon).alone(),
        row("rollouts::crash_after_ten_seconds", "3", crash_later).alone(),
        row("rollouts::readiness_is_lost_for_ten_seconds", "-", blip).alone(),
        row("rollouts::clients_see_no_error", "-", three_servers),
        row("rollouts::two_cliques_go_together", "-", pair),
        row("rollouts::canary_of_one_pod", "-", canary::of_one_pod),
        row("rollouts::one_server_with_surge", "-", one_server),
        row(
            "rollouts::six_places_for_eight_pods",
            "F2",
            room::of_six_places,
        ),
        row("rollouts::two_sets_on_a_full_node", "G7", room::of_two_sets),
        row(
            "rollouts::count_and_template_in_one_edit",
            "F8",
            room::of_added_pods,
        ),
        row("rollouts::servers_that_end_at_once", "-", hasty_servers)
            .alone()
            .of_soak(),
    ]
}

const LIMIT: Duration = Duration::from_mins(8);

/// A server without a readiness probe.
fn server(version: &str) -> Value {
    sh(&format!("echo {version}; exec sleep 1000"))
}

/// A set of three replicas of one pod each.
fn three_engines(main: Value) -> Value {
    with(
        serving("u", &[clique("w", 1, &[main])]),
        &json!({"spec": {"replicas": 3}}),
    )
}

fn one_clique(replicas: u32, main: Value, rolling: &Value) -> Value {
    let mut clique = clique("w", replicas, &[main]);
    clique["spec"]["minAvailable"] = 1.into();
    clique["rollingUpdate"] = rolling.clone();
    serving("u", &[clique])
}

fn staying(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.pods().into_iter();
    pods.filter(|pod| !is_going(pod)).map(uid).collect()
}

fn start(ns: &Namespace, set: &Value, pods: usize) -> BTreeSet<String> {
    ns.apply(&[set]);
    ns.until("all pods are Ready", |seen| {
        ready(seen, "u", "AllReady")?;
        let pods_now = staying(seen);
        same("pods", pods_now.len(), pods)?;
        Ok(pods_now)
    })
}

fn update_ends(ns: &Namespace, pods: usize) {
    ns.within(LIMIT, "the update ends", |seen| {
        ready(seen, "u", "AllReady")?;
        same("pods", staying(seen).len(), pods)?;
        has_ended(seen, "u")
    });
}

fn has_ended(seen: &Seen, set: &str) -> Result<(), String> {
    let progress = &seen.set(set)?["status"]["updateProgress"];
    let has_ended = progress["updateEndedAt"].is_string();
    same("whether it has ended", has_ended, true).map_err(|e| format!("{set}: {e}: {progress}"))
}

/// Prefill and decode of four pods each, of which two are required: two steps, and by the stored
/// targets each version always has two of both.
fn pair(ns: &Namespace) {
    let version = |version: &str| {
        let cliques = ["p", "d"].map(|name| {
            let mut clique = clique(name, 4, &[server(version)]);
            clique["spec"]["minAvailable"] = 2.into();
            clique["rollingUpdate"] = json!({"minReadySeconds": 2});
            clique
        });
        let strategy = json!({"spec": {"updateStrategy": {"type": "Coherent"}}});
        with(serving("u", &cliques), &strategy)
    };
    start(ns, &version("one"), 8);
    ns.apply(&[&version("two")]);
    ns.within(LIMIT, "the update ends", |seen| {
        for clique in ["u-0-p-", "u-0-d-"] {
            let pods = seen.pods().into_iter();
            let up = pods.filter(|pod| is_ready(pod) && name(pod).starts_with(clique));
            let up = up.count();
            assert!(up >= 2, "{up} pods of {clique} were up");
        }
        let progress = &seen.set("u")?["status"]["updateProgress"];
        let targets = progress["currentlyUpdating"][0]["targets"].as_array();
        let from: BTreeSet<_> = targets
            .into_iter()
            .flatten()
            .map(|target| target["from"].as_i64())
            .collect();
        assert!(
            from.len() <= 1,
            "one part goes without the other: {progress}"
        );
        has_ended(seen, "u")
    });
    update_ends(ns, 8);
}

/// The reported reproduction: a limit below the request. The old engine was deleted for it.
fn template_is_refused(ns: &Namespace) {
    let before = start(ns, &three_engines(server("one")), 3);
    let limits = |limit: &str| {
        let resources = json!({"requests": {"memory": "8Mi"}, "limits": {"memory": limit}});
        with(server("two"), &json!({"resources": resources}))
    };
    ns.apply(&[&three_engines(limits("4Mi"))]);
    ns.until("it is refused", |seen| {
        let set = seen.set("u")?;
        let update = state(set, "UpdateInProgress");
        same("the update", update, "False/TemplateRefused".to_owned())?;
        ready(seen, "u", "UpdateRefused")?;
        let words = message(set, "UpdateInProgress");
        has("the message", words, &["clique w", "memory limit"])
    });
    ns.throughout(Duration::from_mins(1), "no pod goes", |seen| {
        same("pods", staying(seen), before.clone())
    });
    ns.apply(&[&three_engines(limits("16Mi"))]);
    update_ends(ns, 3);
    let after = staying(&ns.look().unwrap());
    same("old pods", after.intersection(&before).count(), 0).unwrap();
}

/// Finding 3: it replaced all three replicas in 19 s, and ended.
fn crash_soon(ns: &Namespace) {
    let before = start(ns, &three_engines(server("one")), 3);
    ns.apply(&[&three_engines(sh("sleep 3; exit 1"))]);
    only_one_is_lost(ns, &before, 3);
    ns.apply(&[&three_engines(server("one"))]);
    update_ends(ns, 3);
    let after = staying(&ns.look().unwrap());
    let kept = after.intersection(&before).count();
    same("pods that were never touched", kept, 2).unwrap();
}

/// `minReadySeconds` is longer than the crash takes.
fn crash_later(ns: &Namespace) {
    let rolling = json!({"maxUnavailable": 1, "minReadySeconds": 20});
    let before = start(ns, &one_clique(4, server("one"), &rolling), 4);
    let broken = sh("sleep 10; exit 1");
    ns.apply(&[&one_clique(4, broken, &rolling)]);
    only_one_is_lost(ns, &before, 2);
    ns.apply(&[&one_clique(4, server("one"), &rolling)]);
    update_ends(ns, 4);
}

/// Up to the n-th crash of the new pod all old pods but one stay, and the update does not end.
fn only_one_is_lost(ns: &Namespace, before: &BTreeSet<String>, crashes: u64) {
    ns.within(LIMIT, "the new pod has crashed several times", |seen| {
        let now = staying(seen);
        let lost = before.difference(&now).count();
        assert!(lost <= 1, "{lost} of {} old pods are gone", before.len());
        let new = seen
            .pods()
            .into_iter()
            .filter(|p| !before.contains(&uid(p)));
        let count = new.map(restarts).max().unwrap_or_default();
        let progress = &seen.set("u")?["status"]["updateProgress"];
        assert!(progress["updateEndedAt"].is_null(), "it has ended");
        (count >= crashes)
            .then_some(())
            .ok_or_else(|| format!("{count} restarts"))
    });
    let seen = ns.look().unwrap();
    let said = message(seen.set("u").unwrap(), "Ready").to_owned();
    has("Ready", &said, &["exit code 1"]).unwrap();
}

/// All pods lose their readiness in the middle of an update that waits for a new pod. They return
/// before that one is Ready.
fn blip(ns: &Namespace) {
    let probe = json!({"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1,
                       "failureThreshold": 1, "timeoutSeconds": 5});
    let probed = |script: &str| with(sh(script), &json!({"readinessProbe": probe}));
    let rolling = json!({"maxUnavailable": 1});
    let good = probed("touch /tmp/up; exec sleep 1000");
    let before = start(ns, &one_clique(4, good, &rolling), 4);
    // The new pod becomes Ready late.
    let late = probed("sleep 120; touch /tmp/up; exec sleep 1000");
    ns.apply(&[&one_clique(4, late, &rolling)]);
    let old = ns.until("one is replaced", |seen| {
        let now = staying(seen);
        let old: Vec<String> = seen
            .pods()
            .into_iter()
            .filter(|pod| before.contains(&uid(pod)) && !is_going(pod))
            .map(|pod| name(pod).to_owned())
            .collect();
        same("(pods, old pods)", (now.len(), old.len()), (4, 3))?;
        Ok(old)
    });
    for pod in &old {
        let script = "rm /tmp/up; (sleep 10; touch /tmp/up) >/dev/null 2>&1 &";
        ns.kubectl(&["exec", pod, "--", "sh", "-c", script]);
    }
    // On a busy machine the first one may be Ready again before the last one is not.
    let down = RefCell::new(BTreeSet::new());
    ns.until("each was not Ready", |seen| {
        let pods = seen.pods().into_iter().filter(|pod| !is_ready(pod));
        let mut down = down.borrow_mut();
        down.extend(pods.map(|pod| name(pod).to_owned()));
        let missing = old.iter().filter(|pod| !down.contains(*pod)).count();
        same("pods that stayed Ready", missing, 0)
    });
    ns.until("they are Ready again, and none was deleted", |seen| {
        let pods = seen.pods();
        let up: Vec<&str> = pods
            .iter()
            .filter(|pod| is_ready(pod))
            .map(|pod| name(pod))
            .collect();
        let is_kept = |old: &String| {
            let mut pods = pods.iter();
            pods.any(|pod| name(pod) == old && !is_going(pod))
        };
        assert!(old.iter().all(is_kept), "an old pod was deleted");
        let is_back = up.len() >= old.len();
        same("whether they are up", is_back, true)
    });
}

/// Clients of a Service in front of three servers, of which one may be down.
fn three_servers(ns: &Namespace) {
    let rolling = json!({"maxUnavailable": 1});
    let failed = serve_through_update(ns, 3, &server_that_ends_late, &rolling);
    same("failed requests", failed, 0).unwrap();
}

/// Clients of a Service in front of one server, whose successor starts first.
fn one_server(ns: &Namespace) {
    let rolling = json!({"maxSurge": 1});
    let failed = serve_through_update(ns, 1, &server_that_ends_late, &rolling);
    same("failed requests", failed, 0).unwrap();
}

/// The figure for docs/updates.md: endpoints are removed after the servers have ended.
fn hasty_servers(ns: &Namespace) {
    serve_through_update(
        ns,
        3,
        &server_that_ends_at_once,
        &json!({"maxUnavailable": 1}),
    );
}

/// A server goes on to serve for a while after it was asked to end, as endpoints are removed at the
/// same time.
fn server_that_ends_late(version: &str) -> Value {
    let script =
        format!("mkdir /www; echo {version} > /www/index.html; exec httpd -f -p 8080 -h /www");
    let pause = json!({"preStop": {"exec": {"command": ["sleep", "15"]}}});
    with(sh(&script), &json!({"lifecycle": pause}))
}

/// A server that ends as soon as it is asked to.
fn server_that_ends_at_once(version: &str) -> Value {
    sh(&format!(
        "mkdir /www; echo {version} > /www/index.html; trap 'exit 0' TERM; \
         httpd -f -p 8080 -h /www & wait"
    ))
}

fn servers(main: Value, replicas: u32, rolling: &Value) -> Value {
    let probe = json!({"httpGet": {"port": 8080}, "periodSeconds": 1, "timeoutSeconds": 5});
    let main = with(main, &json!({"readinessProbe": probe}));
    let mut front = clique("w", replicas, &[main]);
    front["spec"]["minAvailable"] = 1.into();
    front["rollingUpdate"] = rolling.clone();
    let grace = json!({"terminationGracePeriodSeconds": 30});
    serving("u", &[with_pod(front, &grace)])
}

/// Updates the servers while a client asks them; returns how many of its requests failed.
fn serve_through_update(
    ns: &Namespace,
    replicas: u32,
    server: &dyn Fn(&str) -> Value,
    rolling: &Value,
) -> usize {
    let pods = usize::try_from(replicas).unwrap();
    let before = start(ns, &servers(server("one"), replicas, rolling), pods);
    let selector = json!({"grove.io/podclique": "u-0-w"});
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "front"},
        "spec": {"selector": selector, "ports": [{"port": 80, "targetPort": 8080}]},
    });
    ns.apply(&[&service]);
    let address = ns.kubectl(&[
        "get",
        "service/front",
        "--output=jsonpath={.spec.clusterIP}",
    ]);
    ns.apply(&[&client(&address)]);
    ns.until("the client is answered", |seen| {
        let pod = seen.one("Pod", "client")?;
        same("client is Ready", is_ready(pod), true)?;
        has("its answers", &ns.kubectl(&["logs", "client"]), &["one"])
    });
    ns.apply(&[&servers(server("two"), replicas, rolling)]);
    ns.within(LIMIT, "the update ends", |seen| {
        has_ended(seen, "u")?;
        let now = staying(seen);
        same("old pods", now.intersection(&before).count(), 0)
    });
    ns.until("the client is answered by the new version", |_| {
        let log = ns.kubectl(&["logs", "client", "--tail=5"]);
        has("its answers", &log, &["two"])
    });
    let log = ns.kubectl(&["logs", "client"]);
    let failed = log.lines().filter(|line| line.contains("failed")).count();
    println!("{} requests, {failed} failed", log.lines().count());
    failed
}

/// It asks for the page again and again, each time on a new connection. It uses the address of the
/// Service and no `wget`: busybox may be unable to look up names of hosts and protocols.
fn client(address: &str) -> Value {
    let ask = format!("printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 10 {address} 80");
    let script =
        format!("while :; do {ask} | grep -E '^(one|two)$' || echo failed; sleep 0.05; done");
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "client"},
        "spec": {"terminationGracePeriodSeconds": 0, "containers": [sh(&script)]},
    })
}
