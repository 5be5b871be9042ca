//! A refusal is reported at once.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{engine, expect_refused, pod_spec, ready, running};
use crate::harness::seen::applied_at;
use crate::harness::{condition, same};

/// Both times are written in whole seconds: two that are less than a second apart differ by one at
/// most.
const AT_ONCE: i64 = 1;

/// The seconds from the edit until the set reported the refusal. `UpdateInProgress` is False before, too:
/// only `Stalled` has the time of it.
fn delay(set: &Value) -> i64 {
    let mut conditions = set["status"]["conditions"].as_array().unwrap().iter();
    let stalled = conditions.find(|condition| condition["type"] == "Stalled");
    let told = stalled.unwrap()["lastTransitionTime"].as_str().unwrap();
    let told: Timestamp = told.parse().unwrap();
    told.duration_since(applied_at(set)).as_secs()
}

/// Other tests use the processors at the same time, so one of three tries may be slow.
#[test]
fn a_refusal_is_reported_within_a_second() {
    let (ns, pods) = running("checked-in-time");
    let mut delays = Vec::new();
    for limit in ["1Gi", "2Gi", "3Gi"] {
        let mut next = engine();
        pod_spec(&mut next)["containers"][0]["resources"] =
            json!({"requests": {"memory": "8Gi"}, "limits": {"memory": limit}});
        ns.apply(&next);
        let words = format!("must be less than or equal to memory limit of {limit}");
        let refused = ns.until("it is refused", |seen| {
            expect_refused(seen, &words, &pods)?;
            Ok(seen.one("PodCliqueSet", "svc")?.clone())
        });
        delays.push(delay(&refused));
        ns.apply(&engine());
        ns.until("the report is gone", |seen| {
            same("Ready", &ready(seen)?, &"True/AllReady".to_owned())?;
            let stalled = condition(seen.one("PodCliqueSet", "svc")?, "Stalled");
            same("Stalled", &stalled.starts_with("True"), &false)
        });
    }
    let fastest = delays.iter().min().unwrap();
    assert!(*fastest <= AT_ONCE, "{delays:?} seconds");
}
