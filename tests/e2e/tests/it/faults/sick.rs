//! One set cannot be served; its neighbour does not notice.

use std::time::Instant;

use serde_json::{Value, json};

use crate::faults::{runs, service};
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault};
use crate::harness::seen::name;
use crate::harness::{Namespace, same};

#[test]
fn pods_that_are_refused_for_one_set_hold_no_other_up() {
    let lane = Lane::start("sick");
    let ns = lane.namespace();
    let is_sick = |asked: &Asked| asked.is("create", "pods") && asked.name.starts_with("sick-");
    for (code, error) in [(403, "ERR_CREATE_POD"), (500, "ERR_API_UNAVAILABLE")] {
        let refused = lane.proxy.count(is_sick);
        let since = Instant::now();
        lane.proxy
            .disturb(move |asked| Fault::Answer(code).when(is_sick(asked)));
        ns.apply(&service("sick"));
        ns.apply(&service("good"));
        ns.until("the neighbour runs and the sick one says why not", |seen| {
            runs(seen, "good", 3, 2)?;
            for podclique in ["sick-0-a", "sick-0-g-0-b", "sick-0-g-1-b"] {
                says(seen.one("PodClique", podclique)?, error, "says the proxy")?;
            }
            Ok(())
        });
        // 50 ms, doubling up to 5 s: for each of the three cliques.
        let refused = lane.proxy.count(is_sick) - refused;
        let most = 3 * (8 + since.elapsed().as_secs() / 5);
        assert!(
            refused <= usize::try_from(most).unwrap(),
            "{refused} attempts"
        );
        let tried = lane.proxy.count(is_sick);
        lane.proxy.disturb_no_more();
        // A write that was refused repeatedly is tried once a minute, which is as long as a wait.
        ns.until("it is tried again", |_| {
            let is_tried = lane.proxy.count(is_sick) > tried;
            same("tried", &is_tried, &true)
        });
        ns.until("both run", |seen| {
            runs(seen, "good", 3, 2)?;
            runs(seen, "sick", 3, 2)
        });
        lane.expect_alive();
        ns.kubectl(&["delete", "pcs", "--all", "--timeout=180s"]);
    }
}

#[test]
fn a_template_that_is_too_large_is_an_error_of_its_own_set() {
    let lane = Lane::start("huge");
    let ns = lane.namespace();
    // A PodCliqueSet may have a template of that size, a PodClique no such annotation.
    let mut annotated = service("annotated");
    annotated["spec"]["template"]["cliques"][0]["annotations"] =
        json!({"example.com/x": "x".repeat(300 << 10)});
    create(&ns, &annotated);
    let mut long = service("long");
    long["spec"]["template"]["cliques"][1]["spec"]["podSpec"]["containers"][0]["env"] =
        json!([{"name": "X", "value": "x".repeat(1 << 20)}]);
    create(&ns, &long);
    ns.apply(&service("good"));
    ns.until("one names the too large part, the others run", |seen| {
        runs(seen, "good", 3, 2)?;
        runs(seen, "long", 3, 2)?;
        let set = seen.one("PodCliqueSet", "annotated")?;
        says(set, "ERR_CREATE_PODCLIQUE", "annotated-0-a")?;
        says(set, "ERR_CREATE_PODCLIQUE", "annotations: Too long")?;
        // Objects that do not depend on it exist.
        seen.one("PodClique", "annotated-0-g-1-b").map(|_| ())
    });
    let less = json!([{"op": "remove", "path": "/spec/template/cliques/0/annotations"}]);
    let patch = format!("--patch={less}");
    ns.kubectl(&["patch", "pcs", "annotated", "--type=json", &patch]);
    ns.until("all run", |seen| {
        let errors = &seen.one("PodCliqueSet", "annotated")?["status"]["lastErrors"];
        same("errors", errors, &Value::Null)?;
        ["annotated", "good", "long"]
            .iter()
            .try_for_each(|set| runs(seen, set, 3, 2))
    });
    lane.expect_alive();
}

/// `kubectl apply` would copy the whole manifest into an annotation.
fn create(ns: &Namespace<'_>, manifest: &Value) {
    let created = ns.feed(&["create", "-f", "-"], manifest);
    let error = String::from_utf8_lossy(&created.stderr);
    assert!(
        created.status.success(),
        "{}",
        &error[error.len().saturating_sub(500)..]
    );
}

/// Whether the object's status holds this error.
fn says(object: &Value, code: &str, words: &str) -> Result<(), String> {
    let errors = &object["status"]["lastErrors"];
    let mut all = errors.as_array().into_iter().flatten();
    let says = all.any(|error| {
        let description = error["description"].as_str().unwrap();
        error["code"] == code && description.contains(words)
    });
    says.then_some(())
        .ok_or_else(|| format!("{} says {errors}", name(object)))
}
