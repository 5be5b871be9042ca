//! The operators' own life, while workloads run.

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
    ]
}

/// A server and a job that run on through all of it.
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

    /// No pod was replaced, and the product still looks after them.
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

/// The operators' pods that stay.
fn operators(site: &Site) -> Vec<Value> {
    let pods = site.connection.objects("Pod", NAMESPACE).unwrap();
    pods.into_iter().filter(is_ready).collect()
}

/// `kill -9` of the process that leads: it is started again in its pod, or the other one leads.
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

/// Operators are replaced one by one: workloads run on, and a set can be made nearly all the time.
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

/// Without its webhook no set is made or changed, and that is said; pods and scales go on.
fn webhook_is_away(ns: &Namespace) {
    let load = Load::start(ns);
    system(
        ns.site,
        &["scale", "deployment/grove-operator", "--replicas=0"],
    );
    let none = || same("operators", operators(ns.site).len(), 0);
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
    ns.until("what was deleted is replaced", |seen| {
        let new = |pod: &&Value| is_ready(pod) && !load.pods.contains(&uid(pod));
        let up = seen.pods_of("s-0-w").into_iter().filter(new).count();
        same("new pods that are Ready", up, 2)
    });
    judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
}

/// The chart is removed, its definitions stay, workloads run on; what was due is done afterwards.
fn reinstalled(ns: &Namespace) {
    let load = Load::start(ns);
    release::helm(&ns.site.cluster, &["uninstall", release::NAME, "--wait"]).unwrap();
    same("the pods", uids(&ns.look().unwrap()), load.pods.clone()).unwrap();
    site::install(&ns.site.cluster, &[]).unwrap();
    load.expect_untouched(ns);
}

/// R6: one operator on each node, also after rollouts that began with both on one.
fn one_on_each_node(ns: &Namespace) {
    let site = ns.site;
    until_one_on_each(site);
    let [stays, other] = NODES;
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
    let both = || {
        let nodes: Vec<_> = operators(site)
            .iter()
            .map(|pod| text(&pod["spec"]["nodeName"]).to_owned())
            .collect();
        same("the operators' nodes", nodes, vec![stays.to_owned(); 2])
    };
    let moved = wait::within(Duration::from_mins(1), both);
    uncordon(site, other);
    moved.unwrap();
    roll(site);
    until_one_on_each(site);
    roll(site);
    until_one_on_each(site);
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

fn until_one_on_each(site: &Site) {
    let spread = || {
        let mut nodes: Vec<_> = operators(site)
            .iter()
            .map(|pod| text(&pod["spec"]["nodeName"]).to_owned())
            .collect();
        nodes.sort();
        same(
            "the operators' nodes",
            nodes,
            NODES.map(str::to_owned).to_vec(),
        )
    };
    wait::within(Duration::from_secs(20), spread).unwrap();
}
