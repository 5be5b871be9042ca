//! Containers that never become ready, and the report about each: the cause, and a remedy that can
//! work.

mod cases;

use std::time::Duration;

use super::judge::{has, lacks};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{message, state};
use super::sets::serving;
use cases::CASES;

/// A broken set of one pod, and the expected report.
struct Case {
    name: &'static str,
    finding: &'static str,
    /// The clique `w` of the set `a`.
    clique: fn() -> serde_json::Value,
    /// The reason of `Ready`; empty if there are several possible ones.
    reason: &'static str,
    /// Texts in the message of `Ready`.
    said: &'static [&'static str],
    /// Further texts in `explain`.
    explained: &'static [&'static str],
    /// Texts that neither contains.
    not_said: &'static [&'static str],
    in_soak_only: bool,
}

/// Kubelets check a volume repeatedly before they report that it is missing.
const LIMIT: Duration = Duration::from_mins(8);

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    let of = |case: &'static Case| {
        let name = format!("causes::{}", case.name);
        let row = row(&name, case.finding, move |ns| is_said(ns, case));
        if case.in_soak_only {
            row.of_soak()
        } else {
            row
        }
    };
    CASES.iter().map(of).collect()
}

/// Findings 8, R7 and R8: the kubelet's own reason is the cause, and the remedy matches it.
fn is_said(ns: &Namespace, case: &Case) {
    ns.apply(&[&serving("a", &[(case.clique)()])]);
    ns.within(LIMIT, "the cause is named", |seen| {
        let set = seen.set("a")?;
        let (ready, said) = (state(set, "Ready"), message(set, "Ready"));
        has("Ready", &ready, &[&format!("False/{}", case.reason)])
            .map_err(|error| format!("{error}: {said}"))?;
        has("the message of Ready", said, case.said)?;
        lacks("the message of Ready", said, case.not_said)
    });
    let explained = ns.explain("a");
    has("explain", &explained, case.said).unwrap();
    has("explain", &explained, case.explained).unwrap();
    lacks("explain", &explained, case.not_said).unwrap();
}
