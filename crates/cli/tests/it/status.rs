//! `status`: the checks of an installation.

use cli::exit::Exit;
use cli::operator_presence::{OperatorLease, find_absence};
use cli::status::{
    InstallationStatus, Observed, ObservedLease, Verdict, WebhookAnswer, check_all, draw_status,
    interpret_answer, latest_end,
};
use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;

use crate::read::plain;

/// A CA that is valid until 2056.
const CA: &[u8] = include_bytes!("status/ca.pem");

fn deployment(wanted: i32, ready: i32) -> Deployment {
    let version = env!("CARGO_PKG_VERSION");
    let object = json!({
        "metadata": {"name": "grove-operator", "namespace": "grove-system",
            "labels": {"app.kubernetes.io/version": version}},
        "spec": {"replicas": wanted, "selector": {}, "template": {}},
        "status": {"readyReplicas": ready},
    });
    serde_json::from_value(object).unwrap()
}

fn lease(spec: &Value) -> Lease {
    serde_json::from_value(json!({"spec": spec})).unwrap()
}

/// A Lease that was renewed that many seconds after the epoch of these tests.
fn renewed(second: i64) -> Lease {
    let micros = format!("{:.6}", after(second));
    lease(&json!({
        "holderIdentity": "pod-a", "leaseDurationSeconds": 15, "renewTime": micros,
    }))
}

fn now() -> Timestamp {
    after(300)
}

/// An installation that works.
fn healthy() -> Observed {
    let kinds = [
        "podcliquesets.grove.io",
        "podcliquescalinggroups.grove.io",
        "podcliques.grove.io",
        "clustertopologybindings.grove.io",
        "podgangs.scheduler.grove.io",
    ];
    Observed {
        served: Ok(kinds.map(str::to_owned).to_vec()),
        deployments: Ok(vec![deployment(2, 2)]),
        leases: vec![ObservedLease {
            name: "grove-system/grove-operator-leader-election".to_owned(),
            lease: Ok(Some(renewed(297))),
        }],
        bundles: Ok(vec![CA.to_vec(), CA.to_vec()]),
        answer: WebhookAnswer::Answered,
        server: Ok("v1.37.1".to_owned()),
    }
}

fn verdict(status: &InstallationStatus, name: &str) -> Verdict {
    let mut checks = status.checks.iter();
    checks.find(|check| check.check == name).unwrap().verdict
}

#[test]
fn an_installation_that_works() {
    let status = check_all(&healthy(), now());
    assert_eq!(status.exit(), Exit::Ok);
    let words = status.checks.iter().map(|check| check.verdict);
    assert!(
        words.clone().all(|verdict| verdict == Verdict::Ok),
        "{status:?}"
    );
    assert_eq!(words.count(), 6);
    let text = plain(&draw_status(&status));
    let begins = [
        "definitions  ok       5 kinds are served",
        "operator     ok       grove-system/grove-operator: 2/2 pods ready",
        "leader       ok       pod-a renewed grove-system/grove-operator-leader-election",
        "webhook      ok       a set was accepted as a dry run; 2 webhooks are registered",
        "certificate  ok       its CA is valid until 2056-",
        "versions     ok       plugin ",
    ];
    let has = |begin: &&str| text.lines().any(|line| line.starts_with(*begin));
    assert!(begins.iter().all(has), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

type Change = fn(&mut Observed);

/// One part that is wrong gives exit code 1 and a command to paste.
#[rstest]
#[case::a_kind("definitions", |o: &mut Observed| { o.served.as_mut().unwrap().pop(); }, "podgangs.scheduler.grove.io")]
#[case::no_operator("operator", |o: &mut Observed| o.deployments = Ok(Vec::new()), "helm list")]
#[case::pods_down("operator", |o: &mut Observed| o.deployments = Ok(vec![deployment(2, 1)]), "kubectl -n grove-system logs deployment/grove-operator")]
#[case::scaled_to_zero("operator", |o: &mut Observed| o.deployments = Ok(vec![deployment(0, 0)]), "scale deployment/grove-operator --replicas=1")]
#[case::lapsed("leader", |o: &mut Observed| o.leases[0].lease = Ok(Some(renewed(100))), "kubectl -n grove-system logs deployment/grove-operator")]
#[case::nobody("leader", |o: &mut Observed| o.leases[0].lease = Ok(Some(lease(&json!({"holderIdentity": ""})))), "nobody leads")]
#[case::webhook("webhook", |o: &mut Observed| o.answer = WebhookAnswer::Failed("failed calling webhook: refused".into()), "failed calling webhook")]
#[case::no_bundle("certificate", |o: &mut Observed| o.bundles = Ok(vec![Vec::new()]), "read the operator's log")]
fn a_part_that_is_wrong(#[case] name: &str, #[case] change: Change, #[case] words: &str) {
    let mut observed = healthy();
    change(&mut observed);
    let status = check_all(&observed, now());
    assert_eq!(verdict(&status, name), Verdict::Wrong, "{status:?}");
    assert_eq!(status.exit(), Exit::Finding);
    let text = plain(&draw_status(&status));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(words), "{text}");
}

/// `tree` and `explain` say that the operator is away exactly when `status` misses its leader.
#[rstest]
#[case::just_renewed(300, true)]
#[case::at_the_end_of_its_time(255, true)]
#[case::a_second_later(254, false)]
#[case::by_a_clock_that_is_ahead(400, true)]
fn all_commands_judge_a_lease_alike(#[case] second: i64, #[case] is_there: bool) {
    let mut observed = healthy();
    observed.leases[0].lease = Ok(Some(renewed(second)));
    let leader = verdict(&check_all(&observed, now()), "leader");
    assert_eq!(leader == Verdict::Ok, is_there);
    let lease = OperatorLease {
        namespace: "grove-system".to_owned(),
        lease: renewed(second),
    };
    assert_eq!(find_absence(&[lease], now()).is_none(), is_there);
}

#[test]
fn an_expired_certificate_is_wrong() {
    let late: Timestamp = "2057-01-01T00:00:00Z".parse().unwrap();
    let status = check_all(&healthy(), late);
    assert_eq!(verdict(&status, "certificate"), Verdict::Wrong);
}

/// A part that may not be read, or is off, is not wrong.
#[rstest]
#[case::kinds("definitions", |o: &mut Observed| o.served = Err("no".into()))]
#[case::deployments("operator", |o: &mut Observed| o.deployments = Err("no".into()))]
#[case::two_releases("operator", |o: &mut Observed| o.deployments = Ok(vec![deployment(1, 1), deployment(1, 1)]))]
#[case::no_election("leader", |o: &mut Observed| o.leases[0].lease = Ok(None))]
#[case::lease("leader", |o: &mut Observed| o.leases[0].lease = Err("no".into()))]
#[case::no_webhook("webhook", |o: &mut Observed| o.bundles = Ok(Vec::new()))]
#[case::not_asked("webhook", |o: &mut Observed| o.answer = WebhookAnswer::NotAsked("no".into()))]
#[case::bundles("certificate", |o: &mut Observed| o.bundles = Err("no".into()))]
fn a_part_that_is_unknown(#[case] name: &str, #[case] change: Change) {
    let mut observed = healthy();
    change(&mut observed);
    let status = check_all(&observed, now());
    assert_eq!(verdict(&status, name), Verdict::Unknown, "{status:?}");
    assert_eq!(status.exit(), Exit::Ok);
}

#[rstest]
#[case(
    500,
    "failed calling webhook \"pcs.defaulting.webhooks.grove.io\": refused",
    "Failed"
)]
#[case(403, "User \"u\" cannot create resource \"podcliquesets\"", "NotAsked")]
#[case(
    400,
    "admission webhook \"pcs.validating.webhooks.grove.io\" denied the request: no",
    "Answered"
)]
#[case(409, "exists", "Answered")]
#[case(404, "not found", "NotAsked")]
fn the_answer_to_a_set(#[case] code: u16, #[case] message: &str, #[case] expected: &str) {
    let answer = format!("{:?}", interpret_answer(code, message));
    assert!(answer.starts_with(expected), "{answer}");
}

/// While a certificate is replaced a bundle has two CAs.
#[test]
fn the_last_ca_of_a_bundle_counts() {
    let end = latest_end(CA).unwrap();
    assert_eq!(latest_end(&[CA, CA].concat()), Some(end));
    assert_eq!(latest_end(b"nothing"), None);
}
