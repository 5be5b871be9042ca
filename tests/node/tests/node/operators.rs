//! Events in the operators' life, while workloads run.

mod attempts;

use std::time::Duration;

use node_tests::cluster::NODES;
use node_tests::command::printed;
use node_tests::release::{self, NAMESPACE};
use serde_json::{Value, json};

use super::judge::{has, job as judge_job, ready, same, text};
use super::namespace::Namespace;
use super::row::{Row, row_alone};
use super::seen::{Seen, is_ready, uid};
use super::sets::{OBEDIENT, clique, job, serving, sh};
use super::site::{self, Site};
use super::wait;
use attempts::Attempts;

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    let of = |name: &str, finding, test: fn(&Namespace)| {
        let purpose = format!("operators-{}", name.replace('_', "-"));
        row_alone(&format!("operators::{name}"), finding, move |site| {
            site::install(&site.cluster, &[]).map_err(|error| format!("{error:#}"))?;
            Namespace::with(&purpose, &json!({}), test)
        })
    };
    vec![
        of("leader_is_killed", "-", leader_is_killed),
        of("upgrade_and_rollback_under_load", "-", upgrade_and_rollback),
        of("webhook_is_away", "-", webhook_is_away),
        of("reinstalled_while_workloads_run", "-", reinstalled),
        of("one_on_each_node", "R6", one_on_each_node),
        of("lost_with_one_of_two_nodes", "R6", lost_with_one_of_two).of_soak(),
        of("both_lost_with_their_node", "R6", both_lost_with_their_node).of_soak(),
    ]
}

/// A server and a job that run through all of it.
struct Load {
    pods: Vec<String>,
}

impl Load {
    fn start(ns: &Namespace) -> Self {
        let w = clique("w", 2, &[sh(OBEDIENT)]);
        let b = clique("b", 1, &[sh("exec sleep 1000")]);
        ns.apply(&[&serving("s", &[w]), &job("job", 0, &[b])]);
        let pods = ns.until("all is Ready", |seen| {
            ready(seen, "s", "AllReady")?;
            judge_job(seen, "job", "Running", 0)?;
            ready(seen, "job", "AllReady")?;
            Ok(uids(seen))
        });
        Self { pods }
    }

    /// No pod was replaced, and the product still manages them.
    fn expect_untouched(&self, ns: &Namespace) {
        same("the pods", uids(&ns.look().unwrap()), self.pods.clone()).unwrap();
        ns.kubectl(&["scale", "pclq/s-0-w", "--replicas=3"]);
        ns.until("the server is scaled", |seen| {
            let up = seen
                .pods_of("s-0-w")
                .into_iter()
                .filter(|pod| is_ready(pod))
                .count();
            same("Ready pods", up, 3)
        });
        judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
    }
}

fn uids(seen: &Seen) -> Vec<String> {
    seen.pods().into_iter().map(uid).collect()
}

fn system(site: &Site, args: &[&str]) -> String {
    let mut kubectl = site.cluster.tool("kubectl", args);
    kubectl.args(["--namespace", NAMESPACE]);
    printed(&mut kubectl).unwrap()
}

/// The operators' pods that are not being deleted.
fn operators(site: &Site) -> Vec<Value> {
    let pods = site.connection.objects("Pod", NAMESPACE).unwrap();
    pods.into_iter().filter(is_ready).collect()
}

/// `kill -9` of the leading process: it restarts in its pod, or the other one leads.
fn leader_is_killed(ns: &Namespace) {
    let load = Load::start(ns);
    let holder = system(
        ns.site,
        &[
            "get",
            "lease",
            "-o",
            "jsonpath={.items[*].spec.holderIdentity}",
        ],
    );
    let leads = |pod: &Value| holder.contains(text(&pod["metadata"]["name"]));
    let leader = operators(ns.site)
        .into_iter()
        .find(leads)
        .expect("nobody leads");
    let node = text(&leader["spec"]["nodeName"]);
    let kill = "kill -9 $(busybox pidof grove-operator)";
    ns.site.cluster.in_node(node, &["sh", "-c", kill]).unwrap();
    load.expect_untouched(ns);
}

/// Operators are replaced one by one: workloads run on, and sets can be created nearly all the
/// time.
fn upgrade_and_rollback(ns: &Namespace) {
    let load = Load::start(ns);
    let attempts = Attempts::start(ns);
    site::install(&ns.site.cluster, &["config.logLevel=debug"]).unwrap();
    release::helm(&ns.site.cluster, &["rollback", release::NAME, "--wait"]).unwrap();
    let refused = attempts.stop();
    println!("creates were refused for {refused:?} of an upgrade and a rollback");
    assert!(
        refused < Duration::from_secs(10),
        "creates were refused for {refused:?}"
    );
    load.expect_untouched(ns);
}

/// Without its webhook no set can be created or changed, and the error names that; pods and scaling
/// continue.
fn webhook_is_away(ns: &Namespace) {
    let load = Load::start(ns);
    system(
        ns.site,
        &["scale", "deployment/grove-operator", "--replicas=0"],
    );
    // An operator that ends answers its webhook until it is gone.
    let all = || ns.site.connection.objects("Pod", NAMESPACE).unwrap();
    let none = || same("operators", all().len(), 0);
    wait::within(Duration::from_mins(1), none).unwrap();
    let why = ns.refused(&[&serving("t", &[clique("w", 1, &[sh("sleep 1")])])]);
    has("the refusal", &why, &["webhook", "grove-operator"]).unwrap();
    ns.kubectl(&["scale", "pclq/s-0-w", "--replicas=2"]);
    ns.kubectl(&[
        "delete",
        "pod",
        "-l",
        "grove.io/podclique=s-0-w",
        "--wait=false",
    ]);
    system(
        ns.site,
        &["scale", "deployment/grove-operator", "--replicas=2"],
    );
    ns.until("the deleted pod is replaced", |seen| {
        let new = |pod: &&Value| is_ready(pod) && !load.pods.contains(&uid(pod));
        let up = seen.pods_of("s-0-w").into_iter().filter(new).count();
        same("new pods that are Ready", up, 2)
    });
    judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
}

/// The chart is removed, its definitions stay, workloads run on; due work is done afterwards.
fn reinstalled(ns: &Namespace) {
    let load = Load::start(ns);
    release::helm(&ns.site.cluster, &["uninstall", release::NAME, "--wait"]).unwrap();
    same("the pods", uids(&ns.look().unwrap()), load.pods.clone()).unwrap();
    site::install(&ns.site.cluster, &[]).unwrap();
    load.expect_untouched(ns);
}

/// R6: one operator on each node, even after rollouts that began with both on one node.
fn one_on_each_node(ns: &Namespace) {
    let site = ns.site;
    spread(site);
    move_to(site, NODES[0]);
    roll(site);
    until_on(site, NODES);
    roll(site);
    until_on(site, NODES);
}

/// R6: one of two operators is lost with its node: sets cannot be created for a limited time.
fn lost_with_one_of_two(ns: &Namespace) {
    spread(ns.site);
    let refused = refused_while_lost(ns, NODES[1]);
    eprintln!("one operator of two lost: creates were refused for {refused:?}");
    assert!(
        refused < Duration::from_mins(1),
        "creates were refused for {refused:?}"
    );
}

/// R6: both are on the lost node: they tolerate that for 15 s, not for 300.
fn both_lost_with_their_node(ns: &Namespace) {
    move_to(ns.site, NODES[1]);
    let refused = refused_while_lost(ns, NODES[1]);
    eprintln!("both operators lost: creates were refused for {refused:?}");
    assert!(
        refused < Duration::from_mins(2),
        "creates were refused for {refused:?}"
    );
}

/// The time without creations of sets while that node has no power.
fn refused_while_lost(ns: &Namespace, node: &str) -> Duration {
    let attempts = Attempts::start(ns);
    ns.site.cluster.cut_power(node).unwrap();
    let other = NODES.into_iter().find(|name| *name != node).unwrap();
    let replaced = wait::within(Duration::from_mins(3), || on(ns.site, [other, other]));
    let load = replaced.map(|()| Load::start(ns));
    ns.site.cluster.power_on(node).unwrap();
    load.unwrap();
    attempts.stop()
}

/// Puts both operators onto one node, as a drain of the other does.
fn move_to(site: &Site, node: &str) {
    for other in NODES.into_iter().filter(|other| *other != node) {
        cordon(site, other);
        let of_other = format!("--field-selector=spec.nodeName={other}");
        system(
            site,
            &[
                "delete",
                "pods",
                &of_other,
                "-l",
                "app.kubernetes.io/name=grove-operator",
            ],
        );
        let moved = wait::within(Duration::from_mins(1), || on(site, [node, node]));
        uncordon(site, other);
        moved.unwrap();
    }
}

/// Puts one operator onto each node.
fn spread(site: &Site) {
    if on(site, NODES).is_err() {
        roll(site);
    }
    until_on(site, NODES);
}

fn cordon(site: &Site, node: &str) {
    system(site, &["cordon", node]);
}

fn uncordon(site: &Site, node: &str) {
    system(site, &["uncordon", node]);
}

fn roll(site: &Site) {
    system(site, &["rollout", "restart", "deployment/grove-operator"]);
    system(
        site,
        &[
            "rollout",
            "status",
            "deployment/grove-operator",
            "--timeout=90s",
        ],
    );
}

fn until_on(site: &Site, nodes: [&str; 2]) {
    wait::within(Duration::from_secs(20), || on(site, nodes)).unwrap();
}

/// Fails unless two operators are ready, on these nodes.
fn on(site: &Site, nodes: [&str; 2]) -> Result<(), String> {
    let operators = operators(site);
    let mut is: Vec<_> = operators
        .iter()
        .map(|pod| text(&pod["spec"]["nodeName"]))
        .collect();
    is.sort_unstable();
    same("the operators' nodes", is, nodes.to_vec())
}
