//! ComputeDomains of GPU pods that share NVLink over nodes. The test makes the templates, as NVIDIA's
//! driver does; no node here has a GPU, so pods stay without one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::address::free_address;
use crate::harness::audit::Record;
use crate::harness::control_plane::{ControlPlane, folder};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::Operator;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, condition, same, site, wait};

pub const DEFINITION: &str = "tests/it/manifests/computedomains.yaml";
pub const FINALIZER: &str = "grove.io/computedomain-finalizer";
/// The webhook's answer to a new set where the operator makes no domains.
const REFUSAL: &str = "metadata.annotations[grove.io/mnnvl-group]: \"rack\": MNNVL is not enabled in the \
                       operator configuration; set network.autoMNNVLEnabled, or remove the \
                       grove.io/mnnvl-group annotation";

/// An operator that makes ComputeDomains.
pub fn enabled(control_plane: &ControlPlane) -> Operator {
    started(control_plane, &["config.network.autoMNNVLEnabled=true"])
}

fn started(control_plane: &ControlPlane, values: &[&str]) -> Operator {
    let installation = Installation::on(control_plane, values);
    let operator = Operator::start(&installation, &folder("mnnvl-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// Two replicas of a router and of workers with GPUs.
fn rack() -> Value {
    let mut worker = clique("worker", 2);
    let main = &mut worker["spec"]["podSpec"]["containers"][0];
    main["resources"]["limits"] = json!({"nvidia.com/gpu": "8"});
    let mut rack = set("svc", &[clique("router", 1), worker], &[]);
    rack["spec"]["replicas"] = json!(2);
    rack["metadata"]["annotations"] = json!({"grove.io/mnnvl-group": "rack"});
    rack
}

/// The same with one replica.
pub fn single_rack() -> Value {
    let mut single = rack();
    single["spec"]["replicas"] = json!(1);
    single
}

/// The ComputeDomains in the namespace; an error without the definition.
pub fn domains(ns: &Namespace<'_>) -> Result<Vec<Value>, String> {
    let list = ns
        .command(&["get", "computedomains", "--output=json"])
        .output();
    let list = list.map_err(|error| error.to_string())?;
    let list: Value = serde_json::from_slice(&list.stdout).map_err(|error| error.to_string())?;
    Ok(list["items"].as_array().cloned().unwrap_or_default())
}

pub fn expect_domains(ns: &Namespace<'_>, expected: &[&str]) -> Result<(), String> {
    let domains = domains(ns)?;
    let found: BTreeSet<&str> = domains.iter().map(name).collect();
    same("domains", &found, &expected.iter().copied().collect())?;
    for domain in &domains {
        let template = &domain["spec"]["channel"]["resourceClaimTemplate"]["name"];
        same("template", template, &domain["metadata"]["name"])?;
        let finalizers = &domain["metadata"]["finalizers"];
        same("finalizers", finalizers, &json!([FINALIZER]))?;
    }
    Ok(())
}

/// As the driver does.
pub fn make_template(ns: &Namespace<'_>, domain: &str) {
    let request = json!({"name": "channel", "exactly": {"deviceClassName": "channel.example.com"}});
    ns.apply(&json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": domain},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }));
}

fn expect_reason(seen: &Seen, type_: &str, expected: &str) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    same(type_, &condition(set, type_).as_str(), &expected)
}

/// So many workers exist in each of both replicas.
fn expect_workers(seen: &Seen, counts: [usize; 2]) -> Result<(), String> {
    let found = ["svc-0-worker", "svc-1-worker"].map(|podclique| seen.pods(podclique).len());
    same("workers", &found, &counts)
}

/// The workers of the first replica join its domain, and its router does not.
fn expect_claims(seen: &Seen) -> Result<(), String> {
    expect_workers(seen, [2, 2])?;
    for pod in seen.pods("svc-0-worker") {
        let claims = json!([{"name": "mnnvl-claim", "resourceClaimTemplateName": "svc-0-rack"}]);
        same("claims", &pod["spec"]["resourceClaims"], &claims)?;
        let used = &pod["spec"]["containers"][0]["resources"]["claims"];
        same("used", used, &json!([{"name": "mnnvl-claim"}]))?;
    }
    let router = seen.pods("svc-0-router");
    same("routers", &router.len(), &1)?;
    same("claims", &router[0]["spec"]["resourceClaims"], &Value::Null)
}

/// The set says that nobody makes domains, and its pods do without.
fn expect_disabled(seen: &Seen) -> Result<(), String> {
    let off = "True/ComputeDomainsOff";
    expect_reason(seen, "SchedulingFeatureUnsupported", off)?;
    let workers = seen.pods("svc-0-worker");
    same("workers", &workers.len(), &2)?;
    same(
        "claims",
        &workers[0]["spec"]["resourceClaims"],
        &Value::Null,
    )
}

#[test]
fn domains_come_before_the_pods_of_each_replica_and_go_after_them() {
    let control_plane = site::private();
    let operator = enabled(&control_plane);
    let ns = Namespace::on(&control_plane, &operator, "mnnvl");
    ns.apply(&rack());
    ns.until("the driver is missing", |seen| {
        expect_reason(
            seen,
            "SchedulingFeatureUnsupported",
            "True/ComputeDomainsMissing",
        )?;
        expect_reason(seen, "Ready", "False/ComputeDomainsMissing")?;
        expect_workers(seen, [0, 0])
    });
    operator.wait_until_ready().unwrap();

    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let both = ["svc-0-rack", "svc-1-rack"];
    ns.until(
        "the domains are there, and their templates are not",
        |seen| {
            expect_domains(&ns, &both)?;
            expect_reason(seen, "SchedulingFeatureUnsupported", "")?;
            expect_reason(seen, "Ready", "False/ClaimMissing")?;
            expect_workers(seen, [0, 0])
        },
    );
    make_template(&ns, "svc-1-rack");
    ns.until("the pods of one replica follow", |seen| {
        expect_workers(seen, [0, 2])
    });
    make_template(&ns, "svc-0-rack");
    ns.until("the others follow", expect_claims);

    ns.kubectl(&["scale", "pcs", "svc", "--replicas=1"]);
    ns.until("the domain goes after its pods", |seen| {
        expect_workers(seen, [2, 0])?;
        expect_domains(&ns, &both[..1])
    });
    ns.kubectl(&["delete", "computedomain", "svc-0-rack", "--wait=false"]);
    ns.until("a deleted one is held by its pods", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        let code = &set["status"]["lastErrors"][0]["code"];
        same("code", code, &json!("ERR_COMPUTE_DOMAIN_DELETED"))?;
        expect_domains(&ns, &both[..1])
    });
    ns.kubectl(&["scale", "pcs", "svc", "--replicas=0"]);
    ns.until("the last one goes, too", |seen| {
        same("pods", &seen.all("Pod").len(), &0)?;
        expect_domains(&ns, &[])
    });
    ns.kubectl(&["scale", "pcs", "svc", "--replicas=1"]);
    ns.until("it comes back", |seen| {
        expect_workers(seen, [2, 0])?;
        expect_domains(&ns, &both[..1])
    });
    ns.kubectl(&["delete", "pcs", "svc", "--wait=false"]);
    let gone = wait::until(|| expect_domains(&ns, &[]));
    gone.unwrap();
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}

/// A set that was stored while they were enabled runs on without domains.
#[test]
fn where_they_are_disabled_a_set_says_so_and_runs() {
    let ns = Namespace::new("mnnvl-off");
    ns.apply(&single_rack());
    ns.until("its pods are made without claims", expect_disabled);
}

/// The same where the driver is installed: the operator does not even ask for domains.
#[test]
fn where_they_are_disabled_and_served_a_set_gets_none() {
    let control_plane = site::private();
    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let operator = started(&control_plane, &[]);
    operator.kill();
    let record = Record::begin(&control_plane).unwrap();
    operator.start_again().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "mnnvl-served");
    ns.apply(&single_rack());
    ns.until("its pods are made without claims and domains", |seen| {
        expect_disabled(seen)?;
        expect_domains(&ns, &[])
    });
    assert_eq!(record.lists("computedomains"), 0);
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}

#[test]
fn where_they_are_disabled_a_new_set_with_a_group_is_refused() {
    let control_plane = site::private();
    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let port = free_address().unwrap().port();
    let values = [
        "webhooks.enabled=true".to_owned(),
        format!("webhooks.url=https://127.0.0.1:{port},config.server.webhooks.port={port}"),
    ];
    let operator = started(&control_plane, &values.each_ref().map(|value| &**value));
    let ns = Namespace::on(&control_plane, &operator, "mnnvl-refused");
    let refused = wait::until(|| {
        // Until the API server calls the webhook, it would store the set.
        let output = ns.feed(&["apply", "--dry-run=server", "-f", "-"], &rack());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.contains(REFUSAL).then_some(()).ok_or(said)
    });
    refused.unwrap();
    ns.delete();
    // The next test starts without a webhook.
    operator.terminate();
    Installation::on(&control_plane, &[]);
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}
