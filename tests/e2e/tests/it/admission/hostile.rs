//! Sets that a user sends to do harm: each is refused, and slows no other request.

use std::fs;
use std::thread;

use serde_json::{Value, json};

use crate::harness::client::send;
use crate::harness::manifest::{clique, set};
use crate::harness::site;
use crate::harness::{Namespace, wait};

/// Number of requests for each set.
const TIMES: usize = 8;
/// The largest growth of the operator's memory, in KiB: the reserve of its allocator.
const MORE: usize = 64 * 1024;

fn edited(edit: impl FnOnce(&mut Value)) -> Value {
    let mut hostile = set("hostile", &[clique("a", 1)], &[]);
    edit(&mut hostile["spec"]);
    hostile
}

fn cliques(count: usize, name: impl Fn(usize) -> String, after: bool) -> Value {
    edited(|spec| {
        let all = (0..count).map(|i| {
            let mut one = clique(&name(i), 1);
            if after && i > 0 {
                one["spec"]["startsAfter"] = json!([name(i - 1)]);
            }
            one
        });
        spec["template"]["cliques"] = all.collect();
        spec["template"]["cliqueStartupType"] = json!("CliqueStartupTypeExplicit");
    })
}

fn all() -> Vec<(&'static str, Value)> {
    let image = |bytes: usize| {
        edited(|spec| {
            let pod = &mut spec["template"]["cliques"][0]["spec"]["podSpec"];
            pod["containers"][0]["image"] = "x".repeat(bytes).into();
        })
    };
    let replicas = |count: Value| edited(|spec| spec["replicas"] = count);
    let mut nested = json!({});
    for _ in 0..60 {
        nested = json!({"a": nested});
    }
    vec![
        ("a template of 10 MB", image(10_000_000)),
        (
            "a value of 1 MB in a field of names",
            edited(|spec| {
                spec["template"]["cliques"][0]["name"] = "x".repeat(1_000_000).into();
            }),
        ),
        ("5,000 cliques", cliques(5_000, |i| format!("c{i}"), false)),
        (
            "a chain of 5,000",
            cliques(5_000, |i| format!("c{i}"), true),
        ),
        (
            "names of 253 characters",
            cliques(100, |i| format!("{i:0>253}"), false),
        ),
        (
            "names of all scripts",
            cliques(100, |i| format!("ключ-鍵-🔑-{i}"), false),
        ),
        ("a negative number", replicas(json!(-1))),
        ("a huge number", replicas(json!(2_147_483_647))),
        (
            "a number of no size",
            replicas(json!(9_223_372_036_854_775_807_i64)),
        ),
        ("a number with a fraction", replicas(json!(1e300))),
        ("an object for a number", replicas(nested)),
    ]
}

#[test]
fn hostile_sets_are_refused_and_others_are_served_meanwhile() {
    let (site, _turn) = site::guarded_alone();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-hostile");
    let path = format!(
        "/apis/grove.io/v1alpha1/namespaces/{}/podcliquesets?dryRun=All",
        ns.name
    );
    // So many requests at once may exceed the time limit: a repeated request is answered.
    let status = |manifest: &Value| {
        let answer = wait::until(|| {
            let answer = send(&ns.control_plane.kubeconfig, "POST", &path, manifest);
            let message = answer.body["message"].to_string();
            let is_late = message.contains("failed calling webhook");
            if is_late {
                Err(message)
            } else {
                Ok((answer.status, message))
            }
        });
        answer.unwrap()
    };
    // The allocator does not return memory.
    let all = all();
    for (_, hostile) in &all {
        status(hostile);
    }
    let before = memory(&ns);
    thread::scope(|scope| {
        for (name, hostile) in &all {
            scope.spawn(move || {
                for _ in 0..TIMES {
                    let (code, message) = status(hostile);
                    let is_refused = [400, 413, 422].contains(&code);
                    let message: String = message.chars().take(300).collect();
                    assert!(is_refused, "{name}: {code} {message}");
                }
            });
        }
        let good = set("good", &[clique("a", 1)], &[]);
        for _ in 0..TIMES {
            let (code, message) = status(&good);
            assert_eq!(code, 201, "{message}");
        }
    });
    let after = memory(&ns);
    assert!(
        after < before + MORE,
        "{before} KiB before, {after} KiB after"
    );
}

/// The operator's memory, in KiB.
fn memory(ns: &Namespace<'_>) -> usize {
    let status = format!("/proc/{}/status", ns.operator.id().unwrap());
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse().unwrap()
}
