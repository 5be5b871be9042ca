//! The only operator is killed, and its Lease ends: `tree` and `explain` say so before they show
//! states that it wrote last.

use jiff::Timestamp;
use serde_json::Value;

use super::pair::{LEASE, soon, start_operator, take_turn};
use super::writers::now;
use crate::harness::client::send;
use crate::harness::installation::SYSTEM;
use crate::harness::manifest::{clique, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, condition, same, site, wait};

const PURPOSE: &str = "operator-away";

const COMMANDS: [&str; 2] = ["tree", "explain"];

/// Seconds by which clocks may differ, for kubectl-grove.
const SKEW: i64 = 30;

#[test]
fn tree_and_explain_begin_with_the_absence_of_the_operator_until_it_is_back() {
    let _turn = take_turn();
    let operator = start_operator(PURPOSE, "only", &soon());
    operator.wait_until_leads();
    let ns = Namespace::on(&site::lanes().control_plane, &operator, PURPOSE);
    ns.apply(&set("svc", &[clique("web", 2)], &[]));
    let pod = ns.until("the set is Ready", |seen| {
        runs(seen)?;
        Ok(name(seen.pods("svc-0-web")[0]).to_owned())
    });
    is_not_missed(&ns).unwrap();

    operator.kill();
    wait::until(|| has_ended(&ns)).unwrap();
    ns.kubectl(&["delete", "pod", &pod]);
    let absence = format!("the operator is away: nobody has renewed Lease {SYSTEM}/{LEASE} for ");
    let [tree, _] = COMMANDS.map(|command| {
        let (code, text) = answer(&ns, command);
        assert_eq!(code, Some(1), "{command}: {text}");
        assert!(text.starts_with(&absence), "{command}: {text}");
        text
    });
    let marked = "status says 2 ready pods; 1 pod is ready now";
    assert!(tree.contains(marked), "{tree}");

    operator.start_again().unwrap();
    ns.until("it is back, and the set is Ready", |seen| {
        runs(seen)?;
        is_not_missed(&ns)
    });
}

fn runs(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(2)?;
    let podclique = seen.one("PodClique", "svc-0-web")?;
    let ready = &podclique["status"]["readyReplicas"];
    same("readyReplicas", ready, &2.into())?;
    let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
    same("Ready", &found, &"True/AllReady".to_owned())
}

/// The Lease has ended, by so much that no clock can be the reason.
fn has_ended(ns: &Namespace<'_>) -> Result<(), String> {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/{LEASE}");
    let lease = send(&ns.control_plane.kubeconfig, "GET", &path, &Value::Null).body;
    let spec = &lease["spec"];
    let renewed: Timestamp = spec["renewTime"].as_str().unwrap().parse().unwrap();
    let lasts = spec["leaseDurationSeconds"].as_i64().unwrap() + SKEW;
    let passed = now().duration_since(renewed).as_secs();
    (passed > lasts)
        .then_some(())
        .ok_or_else(|| format!("{passed} of {lasts} seconds have passed"))
}

/// Both commands end with 0, and say nothing about the operator.
fn is_not_missed(ns: &Namespace<'_>) -> Result<(), String> {
    for command in COMMANDS {
        let (code, text) = answer(ns, command);
        let is_missed = text.contains("the operator is away");
        same(&text, &(code, is_missed), &(Some(0), false))?;
    }
    Ok(())
}

/// The exit code and the output, in one line, of this command about the set.
fn answer(ns: &Namespace<'_>, command: &str) -> (Option<i32>, String) {
    let output = ns.grove_command(&[command, "svc"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<_> = text.split_whitespace().collect();
    (output.status.code(), words.join(" "))
}
