//! Pod Security Standards.

use serde_json::json;

use super::judge::{has, ready};
use super::namespace::Namespace;
use super::row::{Row, row_with_labels};
use super::seen::message;
use super::sets::{clique, in_order, serving, sh, with, with_pod};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    let labels = || json!({"pod-security.kubernetes.io/enforce": "restricted"});
    vec![
        row_with_labels("restricted::start_order", "-", labels(), start_order),
        row_with_labels(
            "restricted::refusal_is_the_cause",
            "-",
            labels(),
            refusal_is_the_cause,
        ),
    ]
}

/// Pods that the standard allows, grove-initc included.
fn start_order(ns: &Namespace) {
    let context = json!({"securityContext": {
        "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]},
    }});
    let pod = json!({"securityContext": {
        "runAsNonRoot": true, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"},
    }});
    let allowed = |name: &str| {
        with_pod(
            clique(name, 1, &[with(sh("exec sleep 1000"), &context)]),
            &pod,
        )
    };
    ns.apply(&[&in_order(serving("r", &[allowed("a"), allowed("b")]))]);
    ns.until("all is Ready", |seen| ready(seen, "r", "AllReady"));
}

/// Pods that it refuses: the set names the necessary change.
fn refusal_is_the_cause(ns: &Namespace) {
    ns.apply(&[&serving("r", &[clique("a", 1, &[sh("exec sleep 1000")])])]);
    ns.until("the refusal is named", |seen| {
        let said = message(seen.set("r")?, "Ready");
        has("Ready", said, &["restricted", "allowPrivilegeEscalation"])
    });
}
