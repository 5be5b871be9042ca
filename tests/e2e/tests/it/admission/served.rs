//! The webhook's certificate, and requests without the webhook.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use admission::authorizer::ALWAYS_EXEMPT;
use serde_json::{Value, json};

use crate::harness::address::free_address;
use crate::harness::client::send;
use crate::harness::control_plane::{ControlPlane, folder};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, site, wait};

const REPLACEMENTS: usize = 3;

/// The API server's message about a webhook that did not answer in time.
const LATE: [&str; 2] = ["context deadline exceeded", "no answer within"];
/// Between two requests: short enough that at most one certificate is replaced meanwhile.
const PAUSE: Duration = Duration::from_millis(50);
/// Fewer than the number of certificates.
const MOST_LATE: usize = 2;

/// An account that the configuration exempts from the authorizer.
const REPAIR: &str = "system:serviceaccount:tools:repair";

#[test]
fn its_certificate_is_replaced_under_calls_of_which_none_fails_and_without_it_nothing_hangs() {
    let control_plane = site::private();
    let operator = start(&control_plane);
    let ns = Namespace::on(&control_plane, &operator, "served");
    ns.apply(&set("svc", &[clique("a", 2)], &[]));
    ns.until("it runs", |seen| seen.expect_ready_pods(2));

    let answers = ask_while(&ns, || wait_for_replacements(&operator));
    let all = answers.len();
    assert!(all > 100, "{all} calls");
    let failed = answers.iter().filter(|(status, _)| *status != 201);
    let (late, failed): (Vec<_>, Vec<_>) = failed.partition(|answer| is_late(answer));
    let first = failed.first();
    assert!(failed.is_empty(), "{} of {all}: {first:#?}", failed.len());
    assert!(late.len() <= MOST_LATE, "{} of {all} too late", late.len());

    assert_eq!(operator.terminate().code(), Some(0));
    reports_that_nobody_answers(&ns);
    goes_on_without_asking(&ns);
    // Autoscaling and deletion do not wait for the webhook.
    ns.kubectl(&["scale", "pclq/svc-0-a", "--replicas=3"]);
    ns.kubectl(&["scale", "pcs/svc", "--replicas=2"]);
    ns.kubectl(&["delete", "pcs/svc", "--wait=false"]);
    operator.start_again().unwrap();
    ns.until_nothing_is_left();
    // The next test starts without a webhook, and this operator has no rights any more.
    operator.terminate();
    Installation::on(&control_plane, &[]);
}

fn start(control_plane: &ControlPlane) -> Operator {
    let port = free_address().unwrap().port();
    let values = [
        "webhooks.enabled=true,webhooks.certificates.lifetime=60s".to_owned(),
        format!("webhooks.url=https://127.0.0.1:{port},config.server.webhooks.port={port}"),
        "config.authorizer.enabled=true".to_owned(),
        format!("config.authorizer.exemptServiceAccountUserNames={{{REPAIR}}}"),
    ];
    let installation = Installation::on(control_plane, &values.each_ref().map(|v| &**v));
    let operator = Operator::start(&installation, &folder("served-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    // The API server reads the certificate through its own watch.
    let asked = wait::until(|| match create(control_plane, "default") {
        (201, _) => Ok(()),
        other => Err(format!("{other:?}")),
    });
    asked.unwrap();
    operator
}

/// Status and message of a creation that stores nothing.
fn create(control_plane: &ControlPlane, namespace: &str) -> (u16, Value) {
    let path = format!("/apis/grove.io/v1alpha1/namespaces/{namespace}/podcliquesets?dryRun=All");
    let good = set("asked", &[clique("a", 1)], &[]);
    let mut answer = send(&control_plane.kubeconfig, "POST", &path, &good);
    (answer.status, answer.body["message"].take())
}

/// Whether the answer came too late, which on a busy machine does not concern the certificate.
fn is_late((_, message): &(u16, Value)) -> bool {
    let said = message.as_str().unwrap_or_default();
    LATE.iter().any(|words| said.contains(words))
}

/// All answers to consecutive creations while `goes_on` runs.
fn ask_while(ns: &Namespace<'_>, goes_on: impl FnOnce()) -> Vec<(u16, Value)> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut answers = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                answers.push(create(ns.control_plane, &ns.name));
                thread::sleep(PAUSE);
            }
            answers
        });
        goes_on();
        is_over.store(true, Ordering::SeqCst);
        asking.join().unwrap()
    })
}

fn wait_for_replacements(operator: &Operator) {
    let served = || {
        let log = operator.log_end(&["webhook serves another certificate"]);
        log.lines().count()
    };
    let before = served();
    for enough in before + 1..=before + REPLACEMENTS {
        let replaced = wait::until(|| {
            let now = served();
            (now >= enough)
                .then_some(())
                .ok_or(format!("{now} certificates"))
        });
        replaced.unwrap();
    }
}

fn reports_that_nobody_answers(ns: &Namespace<'_>) {
    let refused = ns.feed(&["apply", "-f", "-"], &set("more", &[clique("a", 1)], &[]));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "it is accepted");
    for words in ["failed calling webhook \"pcs.", "connection refused"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let patch = json!({"metadata": {"labels": {"a": "b"}}}).to_string();
    let patch = ["patch", "pcs/svc", "--type=merge", "--patch", &patch];
    let refused = ns.command(&patch).output().unwrap();
    assert!(!refused.status.success(), "a change is accepted");
}

/// The API server does not call the webhook for requests that the authorizer would allow anyway.
fn goes_on_without_asking(ns: &Namespace<'_>) {
    let always = ALWAYS_EXEMPT.iter().map(|(user, _)| *user);
    for user in always.chain([REPAIR]) {
        assert_eq!(
            label_as(ns, "pclq/svc-0-a", user, "system:authenticated"),
            ""
        );
    }
    let pod = ns.kubectl(&["get", "pods", "--output=name"]);
    let pod = pod.lines().next().unwrap();
    let nodes = "system:nodes";
    assert_eq!(label_as(ns, pod, "system:node:a", nodes), "");
    for (what, user, group) in [
        ("pclq/svc-0-a", "system:node:a", nodes),
        ("pclq/svc-0-a", "system:kube-proxy", "system:authenticated"),
        (
            pod,
            "system:serviceaccount:kube-system:other",
            "system:serviceaccounts",
        ),
    ] {
        let said = label_as(ns, what, user, group);
        let is_asked = said.contains("failed calling webhook \"authorizer.webhooks.grove.io\"");
        assert!(is_asked, "{user} {what}: {said}");
    }
}

/// The refusal of this user's request to label the object, without effect; empty if it is allowed.
fn label_as(ns: &Namespace<'_>, what: &str, user: &str, group: &str) -> String {
    let (user, group) = (format!("--as={user}"), format!("--as-group={group}"));
    // A user with all rights: the test is not about RBAC.
    let mighty = "--as-group=system:masters";
    let label = [
        "label",
        what,
        "a=b",
        "--dry-run=server",
        &user,
        &group,
        mighty,
    ];
    let output = ns.command(&label).output().unwrap();
    String::from_utf8(output.stderr).unwrap()
}
