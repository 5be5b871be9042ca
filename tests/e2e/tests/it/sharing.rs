//! Pods that share resource claims, with devices that the stock scheduler allocates.

mod levels;
mod scaled;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::harness::audit::Record;
use crate::harness::client::send;
use crate::harness::manifest::{clique, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, condition, same};

/// The device class of the tests.
pub const CLASS: &str = "e2e.example.com";

/// Of two that apply the same new object at once, one fails.
static INSTALLING: Mutex<()> = Mutex::new(());

/// A device class with devices that every node may use.
pub fn install_devices(ns: &Namespace<'_>, driver: &str) {
    let _turn = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let devices: Vec<Value> = (0..64)
        .map(|i| json!({"name": format!("gpu-{i}")}))
        .collect();
    ns.apply(&json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": driver},
        "spec": {"selectors": [{"cel": {"expression": format!("device.driver == '{driver}'")}}]},
    }));
    ns.apply(&json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": driver},
        "spec": {
            "driver": driver,
            "pool": {"name": "all", "generation": 1, "resourceSliceCount": 1},
            "allNodes": true,
            "devices": devices,
        },
    }));
}

/// The device class that the example names.
const OF_EXAMPLE: &str = "gpu.example.com";

/// A template of the set's own, for one device.
pub fn template(name: &str) -> Value {
    let request = json!({"name": "gpu", "exactly": {"deviceClassName": CLASS}});
    json!({"name": name, "templateSpec": {"spec": {"devices": {"requests": [request]}}}})
}

/// The claims in the namespace.
pub fn claims(ns: &Namespace<'_>) -> Result<Vec<Value>, String> {
    let path = format!(
        "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims",
        ns.name
    );
    let answer = send(&ns.control_plane.kubeconfig, "GET", &path, &Value::Null);
    same("answer", &answer.status, &200)?;
    let items = answer.body["items"].as_array();
    Ok(items.cloned().unwrap_or_default())
}

/// Fails unless these are the claims in the namespace.
pub fn expect_claims(ns: &Namespace<'_>, expected: &[&str]) -> Result<(), String> {
    let claims = claims(ns)?;
    let found: BTreeSet<&str> = claims.iter().map(name).collect();
    same("claims", &found, &expected.iter().copied().collect())
}

/// A router whose pods share a claim of all replicas and have one each; instances of a worker with a
/// pool for each.
fn shared() -> Value {
    let mut router = clique("router", 1);
    router["resourceSharing"] = json!([{"name": "own", "scope": "PerReplica"}]);
    let instance = json!({
        "name": "instance", "cliqueNames": ["worker"], "replicas": 2, "minAvailable": 1,
        "resourceSharing": [{"name": "pool", "scope": "PerReplica"}],
    });
    let mut pcs = set("svc", &[router, clique("worker", 1)], &[instance]);
    let template_spec = &mut pcs["spec"]["template"];
    template_spec["resourceClaimTemplates"] =
        json!([template("own"), template("pool"), template("net")]);
    template_spec["resourceSharing"] = json!([{"name": "net", "scope": "AllReplicas"}]);
    pcs
}

/// Fails unless the set is Ready with that many pods.
pub fn is_ready(seen: &Seen, pods: usize) -> Result<(), String> {
    seen.expect_ready_pods(pods)?;
    let set = seen.one("PodCliqueSet", "svc")?;
    same(
        "Ready",
        &condition(set, "Ready"),
        &"True/AllReady".to_owned(),
    )
}

/// The claims that the pods of a PodClique name, pod by pod.
fn named_by<'a>(seen: &'a Seen, podclique: &str) -> BTreeSet<Vec<&'a str>> {
    let pods = seen.all("Pod").into_iter();
    let pods = pods.filter(|pod| pod["metadata"]["labels"]["grove.io/podclique"] == podclique);
    let claims = |pod: &'a Value| {
        let claims = pod["spec"]["resourceClaims"]
            .as_array()
            .into_iter()
            .flatten();
        claims
            .filter_map(|claim| claim["resourceClaimName"].as_str())
            .collect()
    };
    pods.map(claims).collect()
}

/// Fails unless each pod of the PodClique names these claims.
pub fn expect_named(seen: &Seen, podclique: &str, claims: &[&str]) -> Result<(), String> {
    let expected = BTreeSet::from([claims.to_vec()]);
    same(podclique, &named_by(seen, podclique), &expected)
}

#[test]
fn claims_follow_the_counts_of_set_groups_and_cliques() {
    let ns = Namespace::new("claims");
    install_devices(&ns, CLASS);
    ns.apply(&shared());
    let first = [
        "svc-0-instance-0-pool",
        "svc-0-instance-1-pool",
        "svc-0-router-0-own",
        "svc-all-net",
    ];
    ns.until("its pods run with their claims", |seen| {
        is_ready(seen, 3)?;
        expect_claims(&ns, &first)?;
        let router = [vec!["svc-all-net", "svc-0-router-0-own"]].into();
        same("router", &named_by(seen, "svc-0-router"), &router)?;
        let worker = [vec!["svc-all-net", "svc-0-instance-1-pool"]].into();
        same(
            "worker",
            &named_by(seen, "svc-0-instance-1-worker"),
            &worker,
        )
    });
    for claim in claims(&ns).unwrap() {
        let is_allocated = claim["status"]["allocation"].is_object();
        assert!(is_allocated, "{claim}");
    }

    ns.kubectl(&["scale", "pcsg", "svc-0-instance", "--replicas=1"]);
    ns.kubectl(&["scale", "pclq", "svc-0-router", "--replicas=2"]);
    ns.until("the claims follow", |seen| {
        is_ready(seen, 3)?;
        let claims = [
            "svc-0-instance-0-pool",
            "svc-0-router-0-own",
            "svc-0-router-1-own",
            "svc-all-net",
        ];
        expect_claims(&ns, &claims)
    });
    ns.kubectl(&["scale", "pcsg", "svc-0-instance", "--replicas=2"]);
    ns.kubectl(&["scale", "pclq", "svc-0-router", "--replicas=1"]);
    ns.until("the claims follow again", |seen| {
        is_ready(seen, 3)?;
        let routers = named_by(seen, "svc-0-router");
        let own = routers
            .iter()
            .flatten()
            .find(|claim| claim.ends_with("-own"));
        // The pod that stays may be either of them, and the first index has a claim in any case.
        let mut expected = first.to_vec();
        expected.extend(own);
        let expected: BTreeSet<&str> = expected.into_iter().collect();
        expect_claims(&ns, &expected.into_iter().collect::<Vec<_>>())?;
        // Kubernetes notes pods that are gone a moment later.
        let claims = claims(&ns)?;
        let users = claims
            .iter()
            .filter_map(|claim| claim["status"]["reservedFor"].as_array());
        same("users", &users.map(Vec::len).sum::<usize>(), &6)
    });
    expect_rest(&ns);
    ns.kubectl(&["delete", "pcs", "svc", "--wait=false"]);
    ns.until_nothing_is_left();
    ns.until("no claim is left", |_| expect_claims(&ns, &[]));
}

/// Decisions of all owners write nothing to claims that are right: each owner gets a replica more,
/// and its new claim is the only one that it writes.
fn expect_rest(ns: &Namespace<'_>) {
    let record = Record::begin(ns.control_plane);
    let before = claims(ns).unwrap();
    ns.kubectl(&["scale", "pclq", "svc-0-router", "--replicas=2"]);
    ns.kubectl(&["scale", "pcsg", "svc-0-instance", "--replicas=3"]);
    ns.kubectl(&["scale", "pcs", "svc", "--replicas=2"]);
    let further = [
        "svc-0-instance-2-pool",
        "svc-0-router-0-own",
        "svc-0-router-1-own",
        "svc-1-instance-0-pool",
        "svc-1-instance-1-pool",
        "svc-1-router-0-own",
    ];
    let is_there = |claims: &[Value], meant: &str| claims.iter().any(|c| name(c) == meant);
    let after = ns.until("the new replicas run with their claims", |seen| {
        is_ready(seen, 8)?;
        let claims = claims(ns)?;
        let missing = further.iter().filter(|meant| !is_there(&claims, meant));
        same("missing", &missing.collect::<Vec<_>>(), &Vec::new())?;
        Ok(claims)
    });
    let of_before = |claim: &&Value| {
        before
            .iter()
            .any(|c| c["metadata"]["uid"] == claim["metadata"]["uid"])
    };
    assert_eq!(after.iter().filter(of_before).count(), before.len());
    if let Some(record) = record {
        let new = after.len() - before.len();
        let writes = record.writes(&ns.name, "resourceclaims");
        assert_eq!(writes, vec!["create"; new]);
    }
}

/// The owners of the claims, and those that belong to others, decide.
#[test]
fn claims_of_others_are_in_the_way_and_claims_of_nobody_are_adopted() {
    let ns = Namespace::new("claim-owners");
    install_devices(&ns, CLASS);
    let mut foreign = template("net")["templateSpec"].clone();
    foreign["apiVersion"] = json!("resource.k8s.io/v1");
    foreign["kind"] = json!("ResourceClaim");
    foreign["metadata"] = json!({"name": "svc-all-net"});
    ns.apply(&foreign);
    ns.apply(&shared());
    ns.until("the name is taken", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        same(
            "Ready",
            &condition(set, "Ready"),
            &"False/NameTaken".to_owned(),
        )?;
        same("pods", &seen.all("Pod").len(), &0)
    });
    ns.kubectl(&["delete", "resourceclaim", "svc-all-net"]);
    ns.until("it runs", |seen| is_ready(seen, 3));

    let owners = |seen: &Seen| -> Result<bool, String> {
        let set = seen.one("PodCliqueSet", "svc")?;
        let claims = claims(&ns)?;
        let net = claims.iter().find(|claim| name(claim) == "svc-all-net");
        let net = net.ok_or("the claim is gone")?;
        let owner = &net["metadata"]["ownerReferences"][0];
        Ok(owner["uid"] == set["metadata"]["uid"])
    };
    let pods: BTreeSet<String> = uids(&ns.look().unwrap());
    ns.kubectl(&["delete", "pcs", "svc", "--cascade=orphan"]);
    ns.apply(&shared());
    ns.until("the next set has its claims and pods", |seen| {
        is_ready(seen, 3)?;
        same("owner", &owners(seen)?, &true)?;
        same("pods", &uids(seen), &pods)
    });
}

fn uids(seen: &Seen) -> BTreeSet<String> {
    let pods = seen.all("Pod").into_iter();
    pods.map(|pod| pod["metadata"]["uid"].to_string()).collect()
}

/// The claims of a PodClique go with it, and those of its successor have the same names.
#[test]
fn a_terminated_replica_comes_back_with_claims_of_its_own() {
    let ns = Namespace::new("claims-terminated");
    install_devices(&ns, CLASS);
    let mut pcs = shared();
    pcs["spec"]["template"]["terminationDelay"] = json!("1s");
    ns.apply(&pcs);
    ns.until("it runs", |seen| is_ready(seen, 3));
    let own = || -> Result<String, String> {
        let claims = claims(&ns)?;
        let own = claims
            .iter()
            .find(|claim| name(claim) == "svc-0-router-0-own");
        Ok(own.ok_or("the claim is gone")?["metadata"]["uid"].to_string())
    };
    let before = own().unwrap();
    ns.break_pods("svc-0-router");
    ns.until("it runs again, with another claim", |seen| {
        is_ready(seen, 3)?;
        let now = own()?;
        same("is another one", &(now != before), &true)
    });
}

#[test]
fn the_example_runs() {
    let ns = Namespace::new("claims-of-example");
    install_devices(&ns, OF_EXAMPLE);
    ns.apply_file("examples/devices.yaml");
    ns.until("it is Ready with its claims", |seen| {
        seen.expect_ready_pods(6)?;
        let set = seen.one("PodCliqueSet", "devices")?;
        same(
            "Ready",
            &condition(set, "Ready"),
            &"True/AllReady".to_owned(),
        )?;
        let claims = [
            "devices-0-instance-0-pool",
            "devices-0-instance-1-pool",
            "devices-0-metrics-all-single",
        ];
        expect_claims(&ns, &claims)
    });
}
