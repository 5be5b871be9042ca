//! The operator's own life: before it can work, killed at work, stopped.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::harness::control_plane::{definitions, folder};
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::seen::{index, name};
use crate::harness::{Namespace, Seen, same, site, wait};

#[test]
fn it_waits_for_its_definitions_and_names_those_that_are_missing() {
    let control_plane = site::private();
    control_plane.remove_definitions();
    let operator = Operator::start(&control_plane.kubeconfig, &folder("waiting-operator")).unwrap();
    let missing = [
        "podcliquesets.grove.io",
        "podcliques.grove.io",
        "podcliquescalinggroups.grove.io",
        "podgangs.scheduler.grove.io",
    ];
    let said = wait::until(|| match operator.get("/readyz") {
        Ok((503, said)) if missing.iter().all(|crd| said.contains(crd)) => Ok(said),
        other => Err(format!("{other:?}")),
    });
    assert!(said.unwrap().contains("make install"));
    assert_eq!(operator.get("/healthz").unwrap(), (200, "ok\n".to_owned()));

    control_plane.kubectl(["apply", "-f", &definitions()]);
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "definitions");
    ns.apply(&set("svc", &[clique("worker", 2)], &[]));
    ns.until("it works", |seen| seen.expect_ready_pods(2));
    drop(ns);
    // It would be another process if it had ended in between.
    assert_eq!(operator.terminate().code(), Some(0));
}

#[test]
fn killed_while_it_creates_pods_it_goes_on_where_it_was() {
    const ROUNDS: usize = 5;
    let control_plane = site::private();
    control_plane.install_definitions();
    let operator = Operator::start(&control_plane.kubeconfig, &folder("killed-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "killed");
    let mut cut_short = false;
    for round in 0..ROUNDS {
        let set = format!("svc{round}");
        let before = kill_while_pods_are_created(&ns, &set);
        operator.start_again().unwrap();
        operator.wait_until_ready().unwrap();
        ns.until("each pod once, and none made anew", |seen| {
            each_pod_once(seen, &set)?;
            let lost: Vec<_> = before.difference(&uids(seen)).cloned().collect();
            same("pods lost", &lost, &vec![])
        });
        cut_short = before.len() < 40;
        if cut_short {
            break;
        }
        ns.kubectl(&["delete", "pcs", &set, "--wait=true", "--timeout=60s"]);
    }
    assert!(
        cut_short,
        "all pods were there before the kill, {ROUNDS} times"
    );
}

#[test]
fn what_happened_while_it_was_down_is_made_up_for() {
    let control_plane = site::private();
    control_plane.install_definitions();
    let operator = Operator::start(&control_plane.kubeconfig, &folder("absent-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "absent");
    for name in ["deleted", "scaled", "robbed"] {
        ns.apply(&set(name, &[clique("a", 2)], &[]));
    }
    ns.until("three sets run", |seen| seen.expect_ready_pods(6));

    operator.kill();
    ns.kubectl(&["delete", "pcs", "deleted", "--wait=false"]);
    ns.kubectl(&["scale", "pclq", "scaled-0-a", "--replicas=3"]);
    let of_robbed = "--selector=app.kubernetes.io/part-of=robbed";
    ns.kubectl(&["delete", "pods,services,pg", of_robbed, "--timeout=60s"]);
    ns.apply(&set("new", &[clique("a", 4)], &[]));
    operator.start_again().unwrap();
    ns.until("all is as it should be", |seen| {
        seen.expect_names("PodCliqueSet", &["new", "robbed", "scaled"])?;
        let podcliques = ["new-0-a", "robbed-0-a", "scaled-0-a"];
        seen.expect_names("PodClique", &podcliques)?;
        seen.expect_names("Service", &["new-0", "robbed-0", "scaled-0"])?;
        seen.expect_names("PodGang", &["new-0", "robbed-0", "scaled-0"])?;
        let pods = podcliques.map(|podclique| seen.pods(podclique).len());
        same("pods", &pods, &[4, 2, 3])?;
        seen.expect_ready_pods(9)
    });
}

/// Creates a set of 40 pods and kills the operator when a few of them exist; returns which.
fn kill_while_pods_are_created(ns: &Namespace<'_>, set: &str) -> BTreeSet<String> {
    let watch = ["get", "pods", "--watch", "--output=name"];
    let mut watch = ns.command(&watch).stdout(Stdio::piped()).spawn().unwrap();
    let mut shown = BufReader::new(watch.stdout.take().unwrap()).lines();
    ns.apply(&forty_pods(set));
    assert!(shown.next().is_some(), "a pod is shown");
    ns.operator.kill();
    watch.kill().unwrap();
    watch.wait().unwrap();
    uids(&ns.look().unwrap())
}

fn forty_pods(name: &str) -> Value {
    let cliques = [clique("a", 10), clique("b", 10), clique("c", 10)];
    set(name, &cliques, &[group("cs", "c", 2, 1)])
}

fn each_pod_once(seen: &Seen, set: &str) -> Result<(), String> {
    seen.expect_ready_pods(40)?;
    for end in ["a", "b", "cs-0-c", "cs-1-c"] {
        let podclique = format!("{set}-0-{end}");
        let indices: Vec<_> = seen.pods(&podclique).into_iter().map(index).collect();
        same(&podclique, &indices, &(0..10).collect())?;
    }
    Ok(())
}

fn uids(seen: &Seen) -> BTreeSet<String> {
    let uid = |pod: &&Value| format!("{} {}", name(pod), pod["metadata"]["uid"]);
    seen.all("Pod").iter().map(uid).collect()
}
