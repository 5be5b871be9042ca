//! Each clique after its named dependencies, in a namespace that requires restricted pods.

use serde_json::{Value, json};

use super::{expect_count, expect_signalled, expect_waiting, get_ready};
use crate::harness::manifest::{clique, held_clique, set};
use crate::harness::seen::name;
use crate::harness::starts::{Starts, has_start_signal, pairs};
use crate::harness::{Namespace, same};

const FRONT: &str = "svc-0-front";
const CACHE: &str = "svc-0-cache";
const DECODE: [&str; 2] = ["svc-0-decode-0-decode", "svc-0-decode-1-decode"];

/// Conforms to the Pod Security Standard `restricted`, with class `Guaranteed`.
fn modest(mut clique: Value) -> Value {
    let container = &mut clique["spec"]["podSpec"]["containers"][0];
    container["securityContext"] = json!({
        "allowPrivilegeEscalation": false, "runAsNonRoot": true, "runAsUser": 1000,
        "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"},
    });
    container["resources"] = json!({"limits": {"cpu": "50m", "memory": "32Mi"}});
    clique
}

fn apply(ns: &Namespace<'_>) {
    let mut front = modest(clique("front", 1));
    front["spec"]["startsAfter"] = json!(["decode", "cache"]);
    let cliques = [
        front,
        modest(held_clique("decode", 1)),
        modest(held_clique("cache", 1)),
    ];
    let group = json!({
        "name": "decode", "cliqueNames": ["decode"], "replicas": 3, "minAvailable": 2,
    });
    let mut svc = set("svc", &cliques, &[group]);
    svc["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeExplicit");
    ns.apply(&svc);
}

#[test]
fn a_clique_starts_after_its_dependencies_except_those_scaled_to_zero() {
    let ns = Namespace::new("explicit");
    let restricted = "pod-security.kubernetes.io/enforce=restricted";
    ns.kubectl(&["label", "namespace", &ns.name, restricted]);
    let mut starts = Starts::of(&ns);
    apply(&ns);
    let all = format!("{}:1,{}:1,{CACHE}:1", DECODE[0], DECODE[1]);
    ns.until("it waits for all of them", |seen| {
        expect_waiting(seen, &[(FRONT, &*all)])?;
        let class = &seen.pods(FRONT)[0]["status"]["qosClass"];
        same("class", class, &json!("Guaranteed"))
    });
    for podclique in [DECODE[0], DECODE[1]] {
        get_ready(&ns, podclique, 0);
    }

    // No pod waits for a clique that is scaled to zero, from now on.
    starts.set_idle(CACHE);
    ns.kubectl(&["scale", "pclq", CACHE, "--replicas=0"]);
    let first = ns.until("it starts", |seen| {
        expect_signalled(seen, &[FRONT])?;
        let pods = seen.pods(FRONT);
        Ok(name(pods.first().ok_or("no pod")?).to_owned())
    });
    ns.kubectl(&["delete", "pod", &first]);
    ns.until("its successor does not even know of it", |seen| {
        let pods = seen.pods(FRONT);
        let pod = pods.first().ok_or("no pod")?;
        same("another", &(name(pod) != first), &true)?;
        let awake = format!("{}:1,{}:1", DECODE[0], DECODE[1]);
        same("waits for", &pairs(pod), &awake.as_str())?;
        same("has the start signal", &has_start_signal(pod), &true)
    });
    expect_count(&mut starts, 2);
}
