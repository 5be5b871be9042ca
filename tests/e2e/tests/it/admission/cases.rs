//! The table of the rules, sent to a real API server that calls the webhook. Only the objects to be
//! updated are stored, in a namespace that the operator does not watch.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::admission_cases::topology::{LEVELS, TOPOLOGY};
use testkit::admission_cases::{Case, all};

use crate::harness::Namespace;
use crate::harness::client::{Answer, send};
use crate::harness::site::{self, UNGUARDED};
use crate::harness::wait;

const AT_LEAST: usize = 120;

#[test]
fn an_api_server_that_asks_the_webhook_judges_as_the_rules_do() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-cases");
    let cases = all();
    let stored = store(&ns, &cases);
    create_topology(&ns, &cases);
    let mut wrong = Vec::new();
    let (mut accepted, mut refused) = (0, 0);
    for case in &cases {
        let answer = ask(&ns, case, &stored);
        match judge(case, &answer) {
            Ok(By::Nobody) => accepted += 1,
            Ok(By::Webhook) => refused += 1,
            Ok(By::ApiServer) => {}
            Err(why) => wrong.push(format!("{}: {why}", case.name)),
        }
    }
    release(&ns, &stored);
    ns.kubectl(&["delete", "clustertopologybinding", TOPOLOGY]);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!(
        "{accepted} accepted, {refused} refused by the webhook, of {}",
        cases.len()
    );
    assert!(accepted + refused >= AT_LEAST && accepted >= 40 && refused >= 40);
}

/// The party that refused a case.
enum By {
    Nobody,
    Webhook,
    /// The API server has its own rules for metadata.
    ApiServer,
}

fn path(ns: &Namespace<'_>, name: &str) -> String {
    let sets = format!(
        "/apis/grove.io/v1alpha1/namespaces/{}/podcliquesets",
        ns.name
    );
    format!("{sets}{}{name}", if name.is_empty() { "" } else { "/" })
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// Stores the objects to be updated while no webhook is called; returns them by name.
fn store(ns: &Namespace<'_>, cases: &[Case]) -> BTreeMap<String, Value> {
    label(ns, &format!("{UNGUARDED}=true"));
    // Otherwise the first of them may get the webhook's finalizer, which nothing removes here.
    wait_until_judged(ns, 201);
    let kubeconfig = &ns.control_plane.kubeconfig;
    let mut stored = BTreeMap::new();
    for case in cases {
        let Some(before) = &case.before else { continue };
        let mut made = before.clone();
        let is_deleted = made["metadata"]["deletionTimestamp"].is_string();
        made["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("deletionTimestamp");
        let answer = send(kubeconfig, "POST", &path(ns, ""), &made);
        assert_eq!(answer.status, 201, "{}: {answer:?}", case.name);
        let mut now = answer.body;
        if is_deleted {
            now = send(kubeconfig, "DELETE", &path(ns, name(&made)), &Value::Null).body;
        }
        stored.insert(name(&made).to_owned(), now);
    }
    label(ns, &format!("{UNGUARDED}-"));
    wait_until_judged(ns, 422);
    stored
}

/// Creates the topology that the constraints name, and waits until the webhook knows it.
fn create_topology(ns: &Namespace<'_>, cases: &[Case]) {
    let level = |domain: &str| json!({"domain": domain, "key": format!("example.com/{domain}")});
    let levels = LEVELS.map(level).to_vec();
    ns.apply(&json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "ClusterTopologyBinding",
        "metadata": {"name": TOPOLOGY}, "spec": {"levels": levels},
    }));
    let named = cases.iter().find(|case| case.name == "constraint").unwrap();
    let is_known = wait::until(|| {
        let answer = ask_once(ns, named, &BTreeMap::new());
        (answer.status == 201)
            .then_some(())
            .ok_or(format!("{answer:?}"))
    });
    is_known.unwrap();
}

/// Removes the finalizers of objects that are being deleted: nothing else does.
fn release(ns: &Namespace<'_>, stored: &BTreeMap<String, Value>) {
    let finalizers = "[{\"op\": \"remove\", \"path\": \"/metadata/finalizers\"}]";
    for (name, stored) in stored {
        if stored["metadata"]["deletionTimestamp"].is_string() {
            let set = format!("pcs/{name}");
            ns.kubectl(&["patch", &set, "--type=json", "--patch", finalizers]);
        }
    }
}

fn label(ns: &Namespace<'_>, label: &str) {
    ns.kubectl(&["label", "namespace", &ns.name, label]);
}

/// Waits until the API server applies the label, or its removal: the answer to a set that the
/// webhook refuses shows it.
fn wait_until_judged(ns: &Namespace<'_>, status: u16) {
    let wrong = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "wrong"},
        "spec": {"replicas": 1, "template": {"cliques": []}},
    });
    let dry = format!("{}?dryRun=All", path(ns, ""));
    let is_heeded = wait::until(|| {
        let answer = send(&ns.control_plane.kubeconfig, "POST", &dry, &wrong);
        (answer.status == status)
            .then_some(())
            .ok_or(format!("{answer:?}"))
    });
    is_heeded.unwrap();
}

/// The answer to a case. On a busy machine the webhook may be late, whatever the case: the request
/// is repeated.
fn ask(ns: &Namespace<'_>, case: &Case, stored: &BTreeMap<String, Value>) -> Answer {
    let answer = wait::until(|| {
        let answer = ask_once(ns, case, stored);
        let message = answer.body["message"].as_str().unwrap_or_default();
        let is_judged = !message.contains("failed calling webhook");
        if is_judged {
            Ok(answer)
        } else {
            Err(format!("{}: {answer:?}", case.name))
        }
    });
    answer.unwrap()
}

/// Sends the object of the case, without storing it.
fn ask_once(ns: &Namespace<'_>, case: &Case, stored: &BTreeMap<String, Value>) -> Answer {
    let kubeconfig = &ns.control_plane.kubeconfig;
    let mut object = case.object.clone();
    let Some(before) = &case.before else {
        let dry = format!("{}?dryRun=All", path(ns, ""));
        return send(kubeconfig, "POST", &dry, &object);
    };
    let known = &stored[name(before)]["metadata"];
    for field in ["resourceVersion", "uid"] {
        object["metadata"][field] = known[field].clone();
    }
    let dry = format!("{}?dryRun=All", path(ns, name(before)));
    send(kubeconfig, "PUT", &dry, &object)
}

fn judge(case: &Case, answer: &Answer) -> Result<By, String> {
    let message = answer.body["message"].as_str().unwrap_or_default();
    if answer.status < 300 {
        if !case.refused_at.is_empty() {
            return Err(format!("accepted, but wrong at {:?}", case.refused_at));
        }
        return expect_warnings(case, answer).map(|()| By::Nobody);
    }
    if case.refused_at.is_empty() {
        return Err(format!("refused: {message}"));
    }
    let causes = answer.body["details"]["causes"].as_array();
    let fields: Vec<_> = causes
        .into_iter()
        .flatten()
        .map(|c| c["field"].as_str().unwrap())
        .collect();
    if !message.contains("admission webhook \"pcs.validating.webhooks.grove.io\"") {
        let is_same = case
            .refused_at
            .iter()
            // The API server begins some of its paths with a dot.
            .any(|path| {
                fields
                    .iter()
                    .any(|field| field.trim_start_matches('.') == path)
            });
        return is_same
            .then_some(By::ApiServer)
            .ok_or(format!("refused by others: {message}"));
    }
    if fields != case.refused_at {
        return Err(format!("wrong at {fields:?}, not {:?}", case.refused_at));
    }
    Ok(By::Webhook)
}

fn expect_warnings(case: &Case, answer: &Answer) -> Result<(), String> {
    let mut told = answer.warnings.iter();
    for path in &case.warned_at {
        if !told.any(|warning| warning.starts_with(&format!("{path}: "))) {
            return Err(format!("no warning of {path} in {:?}", answer.warnings));
        }
    }
    Ok(())
}
