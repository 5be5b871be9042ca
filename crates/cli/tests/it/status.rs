//! `status`: the checks of an installation.

use cli::exit::Exit;
use cli::operator_presence::{OperatorLease, find_absence};
use cli::status::{
    InstallationStatus, Observed, ObservedLease, ObservedWebhook, Verdict, WebhookAnswer,
    check_all, choose_namespace, draw_status, interpret_answer, latest_end,
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
        webhooks: Ok(vec![
            webhook("pcs.defaulting.webhooks.grove.io", &[]),
            webhook("pcs.validating.webhooks.grove.io", &[]),
        ]),
        asked_namespace: "ml".to_owned(),
        answer: WebhookAnswer::Accepted,
        server: Ok("v1.37.1".to_owned()),
    }
}

fn webhook(name: &str, namespaces: &[&str]) -> ObservedWebhook {
    ObservedWebhook {
        name: name.to_owned(),
        bundle: CA.to_vec(),
        namespaces: namespaces.iter().map(|n| (*n).to_owned()).collect(),
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
        "webhook      ok       2 webhooks are registered; a set was accepted as a dry",
        "certificate  ok       only the CA is read, and it is valid until",
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
#[case::a_kind("definitions", |o: &mut Observed| { o.served.as_mut().unwrap().pop(); }, "podgangs.scheduler.grove.io `helm upgrade` with crds.install=true, or `kubectl apply --server-side -f config/crd`")]
#[case::no_operator("operator", |o: &mut Observed| o.deployments = Ok(Vec::new()), "helm list")]
#[case::pods_down("operator", |o: &mut Observed| o.deployments = Ok(vec![deployment(2, 1)]), "kubectl -n grove-system logs deployment/grove-operator")]
#[case::scaled_to_zero("operator", |o: &mut Observed| o.deployments = Ok(vec![deployment(0, 0)]), "scale deployment/grove-operator --replicas=1")]
#[case::lapsed("leader", |o: &mut Observed| o.leases[0].lease = Ok(Some(renewed(100))), "kubectl -n grove-system logs deployment/grove-operator")]
#[case::nobody("leader", |o: &mut Observed| o.leases[0].lease = Ok(Some(lease(&json!({"holderIdentity": ""})))), "nobody leads")]
#[case::webhook("webhook", |o: &mut Observed| o.answer = WebhookAnswer::Failed("failed calling webhook: refused".into()), "failed calling webhook")]
#[case::no_bundle("certificate", |o: &mut Observed| o.webhooks.as_mut().unwrap()[0].bundle.clear(), "read the operator's log")]
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

/// Each of several operators has its Deployment and its Lease.
#[test]
fn each_operator_has_its_lines() {
    let mut observed = healthy();
    let mut other = deployment(2, 1);
    other.metadata.namespace = Some("team".to_owned());
    observed.deployments = Ok(vec![deployment(2, 2), other]);
    observed.leases.push(ObservedLease {
        name: "team/grove-operator-leader-election".to_owned(),
        lease: Ok(None),
    });
    let status = check_all(&observed, now());
    let of_each = status.checks.iter();
    let of_each = of_each.filter(|c| ["operator", "leader"].contains(&c.check));
    let found: Vec<_> = of_each.map(|c| (c.verdict, &*c.details)).collect();
    let none = "there is no Lease team/grove-operator-leader-election: leader election is off, or \
                this operator has never led";
    let leads = "pod-a renewed grove-system/grove-operator-leader-election 3s ago";
    let works = "grove-system/grove-operator: 2/2 pods ready, beside other operators";
    let expected = [
        (Verdict::Unknown, works),
        (Verdict::Wrong, "team/grove-operator: 1/2 pods ready"),
        (Verdict::Ok, leads),
        (Verdict::Unknown, none),
    ];
    assert_eq!(found, expected);
}

/// Nobody leads: the pods say what they wait for.
#[test]
fn without_a_leader_the_answers_of_the_pods_are_named() {
    let mut observed = healthy();
    observed.leases[0].lease = Ok(Some(lease(&json!({"holderIdentity": ""}))));
    let status = check_all(&observed, now());
    let leader = status.checks.iter().find(|c| c.check == "leader").unwrap();
    let words = "nobody leads by Lease grove-system/grove-operator-leader-election";
    assert_eq!(leader.details, words);
    let remedy = leader.remedy.as_deref().unwrap_or_default();
    let command = "`kubectl -n grove-system describe pods -l app.kubernetes.io/name=grove-operator` \
                   shows what /readyz of each pod misses";
    assert!(remedy.starts_with(command), "{remedy}");
}

/// Helm 4 refuses an upgrade after `kubectl scale`.
#[test]
fn an_operator_of_a_release_is_started_by_helm() {
    let mut observed = healthy();
    let mut stopped = deployment(0, 0);
    let release = (
        "meta.helm.sh/release-name".to_owned(),
        "inference".to_owned(),
    );
    stopped.metadata.annotations = Some([release].into());
    observed.deployments = Ok(vec![stopped]);
    let status = check_all(&observed, now());
    let operator = status
        .checks
        .iter()
        .find(|c| c.check == "operator")
        .unwrap();
    let remedy = "`helm upgrade inference charts/grove -n grove-system --reset-then-reuse-values --set \
                  replicaCount=1`, with the chart of the installed version";
    assert_eq!(operator.remedy.as_deref(), Some(remedy));
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
#[case::no_webhook("webhook", |o: &mut Observed| o.webhooks = Ok(Vec::new()))]
#[case::maybe_no_webhook("webhook", |o: &mut Observed| o.webhooks = Err("no".into()))]
#[case::no_webhook_of_sets("webhook", |o: &mut Observed| o.webhooks = Ok(vec![webhook("authorizer.webhooks.grove.io", &[])]))]
#[case::another_namespace("webhook", |o: &mut Observed| o.webhooks = Ok(vec![webhook("pcs.defaulting.webhooks.grove.io", &["prod"])]))]
#[case::not_asked("webhook", |o: &mut Observed| o.answer = WebhookAnswer::NotAsked("no".into()))]
#[case::bundles("certificate", |o: &mut Observed| o.webhooks = Err("no".into()))]
fn a_part_that_is_unknown(#[case] name: &str, #[case] change: Change) {
    let mut observed = healthy();
    change(&mut observed);
    let status = check_all(&observed, now());
    assert_eq!(verdict(&status, name), Verdict::Unknown, "{status:?}");
    assert_eq!(status.exit(), Exit::Ok);
}

/// An accepted set proves nothing without the configurations, a refusal by the webhook does.
#[test]
fn without_the_right_to_list_webhooks_the_right_is_named() {
    let mut observed = healthy();
    observed.webhooks = Err("forbidden".to_owned());
    let text = plain(&draw_status(&check_all(&observed, now())));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let details = "a set was accepted as a dry run in namespace ml, as it is without a webhook too: \
                   forbidden ask for verb list on mutatingwebhookconfigurations";
    assert!(flat.contains(details), "{text}");
    observed.answer = WebhookAnswer::Refused;
    assert_eq!(
        verdict(&check_all(&observed, now()), "webhook"),
        Verdict::Ok
    );
}

/// A webhook is asked about the sets of watched namespaces only.
#[rstest]
#[case::all(Ok(vec![webhook("pcs.validating.webhooks.grove.io", &[])]), "mine")]
#[case::mine_too(Ok(vec![webhook("pcs.validating.webhooks.grove.io", &["a", "mine"])]), "mine")]
#[case::others(Ok(vec![webhook("pcs.validating.webhooks.grove.io", &["a", "b"])]), "a")]
#[case::of_other_kinds(Ok(vec![webhook("pclq.validating.webhooks.grove.io", &["a"])]), "mine")]
#[case::unknown(Err("no".to_owned()), "mine")]
fn a_set_is_sent_to_a_watched_namespace(
    #[case] webhooks: Result<Vec<ObservedWebhook>, String>,
    #[case] expected: &str,
) {
    assert_eq!(choose_namespace(&webhooks, "mine"), expected);
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
    "Refused"
)]
#[case(
    400,
    "admission webhook \"policy.example.com\" denied the request: no",
    "NotAsked"
)]
#[case(
    500,
    "failed calling webhook \"policy.example.com\": refused",
    "NotAsked"
)]
#[case(409, "exists", "Accepted")]
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
