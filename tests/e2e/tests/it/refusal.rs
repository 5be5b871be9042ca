//! Specs that the operator does not act on, and its report.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same};

#[test]
fn an_invalid_set_is_explained_disturbs_no_other_and_recovers_when_it_is_fixed() {
    let ns = Namespace::new("invalid");
    let mut wrong = clique("worker", 2);
    wrong["spec"]["minAvailable"] = json!(3);
    ns.apply(&set("broken", &[wrong], &[]));
    let message = "spec.template.cliques[0].spec.minAvailable: 3: must not be greater than \
                   replicas (2); lower minAvailable or raise replicas";
    ns.until("the error is in the status", |seen| {
        nothing_but_the_set(seen, "broken")?;
        expect_error(seen, "broken", "ERR_INVALID_SPEC", message)
    });
    expect_warning(&ns, "broken", "InvalidSpec", message);

    ns.apply(&set("neighbour", &[clique("worker", 2)], &[]));
    ns.until("the neighbour runs", |seen| {
        is_available(seen, "neighbour")?;
        nothing_but_the_set(seen, "broken")
    });

    ns.apply(&set("broken", &[clique("worker", 3)], &[]));
    ns.until("it runs too, and the error is gone", |seen| {
        is_available(seen, "broken")?;
        let set = seen.one("PodCliqueSet", "broken")?;
        same("lastErrors", &set["status"]["lastErrors"], &Value::Null)
    });
}

#[test]
fn an_edit_that_makes_a_set_invalid_changes_nothing_that_runs() {
    let ns = Namespace::new("invalid-edit");
    ns.apply(&set("svc", &[clique("worker", 2)], &[]));
    let uids = ns.until("it runs", |seen| {
        is_available(seen, "svc").map(|()| uids(seen))
    });

    let group_of_nobody = group("workers", "nobody", 1, 1);
    ns.apply(&set("svc", &[clique("worker", 2)], &[group_of_nobody]));
    ns.until("the error is in the status", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        let path = "spec.template.podCliqueScalingGroups[0].cliqueNames[0]: \"nobody\": ";
        let message = set["status"]["lastErrors"][0]["description"]
            .as_str()
            .unwrap_or_default();
        if !message.starts_with(path) {
            return Err(format!("{message:?} does not start with {path:?}"));
        }
        same("objects", &self::uids(seen), &uids)?;
        same(
            "stalled",
            &condition(set, "Stalled").as_str(),
            &"True/InvalidSpec",
        )?;
        // Neither the field that Dynamo takes for ready nor the one that kstatus waits for.
        let observed = &set["status"]["observedGeneration"];
        same("observed", observed, &Value::Null)?;
        seen.expect_ready_pods(2)
    });
    ns.apply(&set("svc", &[clique("worker", 2)], &[]));
    ns.until("nothing is left of it", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        same("stalled", &condition(set, "Stalled").as_str(), &"")?;
        let observed = &set["status"]["observedGeneration"];
        same("observed", observed, &set["metadata"]["generation"])
    });
}

/// Refused by the definition, without a webhook.
#[test]
fn an_impossible_budget_is_refused() {
    let ns = Namespace::new("budgets");
    let good = || {
        let cliques = [clique("web", 2), clique("worker", 1)];
        set("svc", &cliques, &[group("workers", "worker", 2, 1)])
    };
    let (web, workers) = ("cliques", "podCliqueScalingGroups");
    let at_least = "maxUnavailable must be at least 1 where maxSurge is 0: set maxSurge, or omit it for the default";
    let at_most =
        "maxUnavailable must not be greater than replicas: lower maxUnavailable or raise replicas";
    let cases = [
        (web, json!({"maxUnavailable": 0}), at_least),
        (web, json!({"maxUnavailable": 3}), at_most),
        (workers, json!({"maxUnavailable": 0}), at_least),
        (workers, json!({"maxUnavailable": 3}), at_most),
        (web, json!({"progressDeadline": "-5m"}), "progressDeadline"),
        (
            workers,
            json!({"progressDeadline": "0h0.0s"}),
            "progressDeadline",
        ),
    ];
    for (list, rolling, expected) in cases {
        let mut wrong = good();
        wrong["spec"]["template"][list][0]["rollingUpdate"] = rolling;
        expect_refused(&ns, &wrong, expected);
    }
    let mut wrong = good();
    wrong["spec"]["template"]["cliques"][0]["rollingUpdate"] = json!({"maxUnavailable": 1});
    wrong["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    let no_effect = "rollingUpdate has no effect with updateStrategy OnDelete: remove it";
    expect_refused(&ns, &wrong, no_effect);
    let mut unknown = good();
    unknown["spec"]["updateStrategy"] = json!({"type": "Sideways"});
    expect_refused(&ns, &unknown, "\"Sideways\"");
}

fn expect_refused(ns: &Namespace<'_>, manifest: &Value, words: &str) {
    let refused = ns.feed(&["apply", "-f", "-"], manifest);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains(words),
        "{words}: {said}"
    );
}

/// The definition refuses what it can check; the operator reports the rest.
#[test]
fn a_start_order_that_never_starts_is_refused() {
    let ns = Namespace::new("circle");
    let after = |set: &mut Value, clique: usize, names: &[&str]| {
        set["spec"]["template"]["cliques"][clique]["spec"]["startsAfter"] = json!(names);
    };
    let mut circle = set("circle", &[clique("first", 1), clique("second", 1)], &[]);
    circle["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeExplicit");
    let mut own = circle.clone();
    own["metadata"]["name"] = json!("own");
    after(&mut own, 1, &["second"]);
    let refused = ns.feed(&["apply", "-f", "-"], &own);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    let expected = "spec.template.cliques: Invalid value";
    assert!(words.contains(expected), "{words}");
    let remedy = "a clique cannot start after itself: remove its own name from startsAfter";
    assert!(words.contains(remedy), "{words}");

    after(&mut circle, 0, &["second"]);
    after(&mut circle, 1, &["first"]);
    ns.apply(&circle);
    let message = "spec.template.cliques: \"first -> second -> first\": circular dependencies: these \
                   cliques wait for each other and would never start; remove \"first\" from the startsAfter of \
                   \"second\", for example";
    ns.until("the error is in the status", |seen| {
        nothing_but_the_set(seen, "circle")?;
        expect_error(seen, "circle", "ERR_INVALID_SPEC", message)
    });

    after(&mut circle, 0, &[]);
    ns.apply(&circle);
    ns.until("without the circle it runs", |seen| {
        is_available(seen, "circle")?;
        let set = seen.one("PodCliqueSet", "circle")?;
        same("lastErrors", &set["status"]["lastErrors"], &Value::Null)
    });
}

/// Only the set itself has its name.
fn nothing_but_the_set(seen: &Seen, set: &str) -> Result<(), String> {
    let mut made = seen.everything();
    made.retain(|o| o["metadata"]["labels"]["app.kubernetes.io/part-of"] == set);
    same("objects of the set", &made, &vec![])
}

fn expect_error(seen: &Seen, set: &str, code: &str, message: &str) -> Result<(), String> {
    let errors = &seen.one("PodCliqueSet", set)?["status"]["lastErrors"];
    let is: Vec<_> = errors
        .as_array()
        .into_iter()
        .flatten()
        .map(|e| (&e["code"], &e["description"]))
        .collect();
    same("lastErrors", &is, &vec![(&json!(code), &json!(message))])
}

/// Waits for the Warning on the set.
fn expect_warning(ns: &Namespace<'_>, set: &str, reason: &str, message: &str) {
    let on = format!("involvedObject.kind=PodCliqueSet,involvedObject.name={set},type=Warning");
    let get = ["get", "events", "--field-selector", &on, "--output=json"];
    ns.until("the warning is posted", |_| {
        let events: Value = serde_json::from_str(&ns.kubectl(&get)).unwrap();
        let events = events["items"].as_array().unwrap();
        let warnings: Vec<_> = events
            .iter()
            .map(|e| (&e["reason"], &e["message"]))
            .collect();
        same(
            "warnings",
            &warnings,
            &vec![(&json!(reason), &json!(message))],
        )
    });
}

fn is_available(seen: &Seen, set: &str) -> Result<(), String> {
    let status = &seen.one("PodCliqueSet", set)?["status"];
    same("availableReplicas", &status["availableReplicas"], &json!(1))
}

fn uids(seen: &Seen) -> Vec<Value> {
    let all = seen.everything().into_iter();
    all.map(|object| object["metadata"]["uid"].clone())
        .collect()
}

/// In labels and annotations of templates; other keys of users stay allowed.
#[test]
fn keys_of_the_operator_are_refused() {
    let ns = Namespace::new("reserved");
    let with = |field: &str, key: &str| {
        let mut worker = clique("worker", 1);
        worker[field] = json!({key: "none"});
        let mut workers = group("workers", "worker", 1, 1);
        if field == "annotations" {
            workers[field] = worker[field].clone();
        }
        set("svc", &[worker], &[workers])
    };
    for field in ["labels", "annotations"] {
        let refused = ns.feed(&["create", "-f", "-"], &with(field, "grove.io/attempt"));
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success(), "accepted");
        let path = format!("spec.template.cliques[0].{field}: Forbidden: {field} that begin with");
        assert!(message.contains(&path), "{message}");
        assert!(message.contains("remove or rename them"), "{message}");
        let allowed = with(field, "nvidia.com/dynamo-graph-deployment-name");
        accepts(&ns, &allowed);
    }
    accepts(&ns, &with("annotations", "grove.io/mnnvl-group"));
    accepts(&ns, &with("annotations", "grove.io/topology-name"));
}

fn accepts(ns: &Namespace<'_>, manifest: &Value) {
    let answer = ns.feed(&["create", "--dry-run=server", "-f", "-"], manifest);
    let message = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.success(), "{message}");
}
