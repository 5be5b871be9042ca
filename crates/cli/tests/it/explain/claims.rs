//! Pods that wait for a resource claim: the claim, and a remedy that can be pasted; and the state of the
//! claims of a pod that has no node.

use api::codes;
use cli::explain::{Evidence, read_claims, search};
use cli::workload::Workload;
use rstest::rstest;
use serde_json::{Value, json};

use super::{draw, explain, explain_pod};
use crate::read::{demo_with, gated, judge, now, on_node};
use crate::server::Server;

/// No pod of `demo` exists, and its PodClique has this error about a claim.
fn waiting(sentence: &str) -> Workload {
    let mut workload = demo_with(&[], &[sentence]);
    let status = workload.podcliques[0].status.as_mut().unwrap();
    codes::CLAIM_MISSING.clone_into(&mut status.last_errors[0].code);
    judge(&mut workload);
    workload
}

#[rstest]
#[case::template_is_missing(
    "claim demo-all-pool does not exist yet: ResourceClaimTemplate shared/pool is missing",
    "`kubectl get resourceclaimtemplates -n shared` lists those that exist; create pool there: claim \
     demo-all-pool and its pods follow by themselves"
)]
#[case::of_a_user(
    "claim demo-all-pool does not exist yet: one of that name belongs to nobody; to free the name: \
     kubectl delete resourceclaim demo-all-pool",
    "if nobody needs it, `kubectl delete resourceclaim demo-all-pool -n default`: the operator creates \
     its own claim, and the pods follow by themselves"
)]
#[case::of_another_owner(
    "claim demo-all-pool does not exist yet: one of that name belongs to PodCliqueSet other",
    "if PodCliqueSet other does not need it, `kubectl delete resourceclaim demo-all-pool -n default`: the \
     operator creates its own claim, and the pods follow by themselves; otherwise apply this set under \
     another name"
)]
#[case::deleted_under_a_pod(
    "claim demo-all-pool is being deleted and held by pod p; end the replica to free it",
    "`kubectl get resourceclaim demo-all-pool -n default -o jsonpath='{.status.reservedFor[*].name}'` \
     lists the pods that hold it; end each of them, the first with `kubectl delete pod p -n default`: the \
     operator then creates the claim again, and the pods follow by themselves"
)]
#[case::an_earlier_one_is_held(
    "claim demo-all-pool does not exist yet: an earlier one is being deleted, held by pod p",
    "`kubectl get resourceclaim demo-all-pool -n default -o jsonpath='{.status.reservedFor[*].name}'` \
     lists the pods that hold it; end each of them, the first with `kubectl delete pod p -n default`: the \
     operator then creates the claim again, and the pods follow by themselves"
)]
#[case::its_pods_hang(
    "claim demo-all-pool is held by pods that do not end, such as p",
    "`kubectl get pod p -n default -o wide` shows the node on which it hangs: repair that, or, if its \
     machine is off, `kubectl delete pod p -n default --force`; new pods use another claim than \
     demo-all-pool once all its pods have outlived `stuckPodTimeout`"
)]
#[case::not_served(
    "resource.k8s.io/v1 is not served: pods that share claims are not made",
    "`kubectl api-versions` has to list resource.k8s.io/v1 (Kubernetes 1.34 or newer); if it does, the \
     operator may not read resourceclaims: upgrade its chart"
)]
#[case::no_template_of_a_domain(
    "ResourceClaimTemplate demo-0-rack is not there yet: the NVIDIA DRA driver makes it from ComputeDomain \
     demo-0-rack",
    "`kubectl describe computedomain demo-0-rack -n default` shows its state, and the log of the driver's \
     controller why it makes no template; the pods follow by themselves once it does"
)]
#[case::domain_is_being_deleted(
    "ComputeDomain demo-0-rack is being deleted: it is made again once no pod uses it; end the replica to \
     free it",
    "`kubectl get podcliquesets -n default -o jsonpath='{.items[*].status.lastErrors[*].description}'` names \
     a pod that uses demo-0-rack: end the pods of its replica; the operator then makes the domain again, and \
     the pods follow by themselves"
)]
#[case::domain_of_another_owner(
    "ComputeDomain demo-0-rack does not exist yet: one of that name belongs to PodCliqueSet other",
    "if PodCliqueSet other does not need it, `kubectl delete computedomain demo-0-rack -n default`: the \
     operator makes its own domain, and the pods follow by themselves; otherwise apply this set under \
     another name"
)]
#[case::of_a_newer_operator(
    "claim demo-all-pool is red",
    "the message names the missing claim or template: create the ResourceClaimTemplate (`kubectl get \
     resourceclaimtemplates -n default` lists those that exist), or end the pod that holds an earlier \
     claim; the pods follow by themselves"
)]
fn the_claim_is_named_with_its_remedy(#[case] sentence: &str, #[case] remedy: &str) {
    let answer = explain(&waiting(sentence), &[]);
    assert_eq!((answer.is_ready, &*answer.reason), (false, "ClaimMissing"));
    assert_eq!(
        answer.cause,
        format!("replica 0: clique worker 0/2 pods created: {sentence}")
    );
    assert_eq!(answer.remedy.as_deref(), Some(remedy));
    let text = draw(&answer);
    let next = "the operator creates the pods once their claims exist";
    assert!(text.contains(next), "{text}");
    assert!(text.contains("ERR_CLAIM_MISSING"), "{text}");
}

/// A pod of `demo` without a node, with this part of a spec beside its claims.
fn with_claims(mut pod: Value) -> Workload {
    pod["spec"]["resourceClaims"] = json!([
        {"name": "a", "resourceClaimName": "demo-all-pool"},
        {"name": "b", "resourceClaimTemplateName": "own"},
    ]);
    pod["status"]["resourceClaimStatuses"] = json!([
        {"name": "b", "resourceClaimName": "demo-0-worker-b-x7"},
    ]);
    demo_with(&[pod.clone(), pod], &[])
}

fn pending() -> Value {
    json!({"spec": {}, "status": {"phase": "Pending"}})
}

#[rstest]
#[case::no_node(pending(), &["demo-0-worker-b-x7", "demo-all-pool"])]
#[case::gated(gated(&["example.com/queue"]), &[])]
#[case::on_a_node(on_node(&json!({"running": {}}), &json!({}), 0), &[])]
fn the_claims_of_a_pod_without_a_node_are_read(#[case] pod: Value, #[case] expected: &[&str]) {
    let workload = with_claims(pod);
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, Some("demo-0-worker-bcdf0"), now());
    assert_eq!(found.unwrap().pending_claims(), expected);
}

const CLAIMS: &str = "/apis/resource.k8s.io/v1/namespaces/ml/resourceclaims";

/// A claim of the API server, with this status, and since when it is being deleted.
fn claim(name: &str, status: &Value, deleted: Option<&str>) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ml", "deletionTimestamp": deleted},
        "spec": {"devices": {}},
        "status": status,
    })
}

fn allocated() -> Value {
    let result = json!({
        "request": "gpu", "driver": "gpu.example.com", "pool": "node-0", "device": "gpu-0",
    });
    json!({
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "uid-p"}],
    })
}

#[rstest]
#[case::missing(None, "does not exist")]
#[case::unallocated(Some(claim("pool", &json!({}), None)), "not allocated")]
#[case::allocated(Some(claim("pool", &allocated(), None)), "allocated from pool node-0, held by p")]
#[case::leaving(
    Some(claim("pool", &allocated(), Some("2026-01-01T00:00:00Z"))),
    "being deleted, allocated from pool node-0, held by p"
)]
#[tokio::test]
async fn the_state_of_each_claim_is_shown(#[case] stored: Option<Value>, #[case] state: &str) {
    let server = Server::default();
    if let Some(stored) = stored {
        server.put(CLAIMS, stored);
    }
    let names = ["pool".to_owned()];
    let claims = read_claims(&server.cluster(), &names).await.unwrap();
    let [Evidence::Claim(claim)] = &*claims else {
        panic!("{claims:?}");
    };
    assert_eq!((&*claim.name, &*claim.state), ("pool", state));
    let mut answer = explain_pod(&with_claims(pending()), "demo-0-worker-bcdf0");
    assert_eq!(answer.reason, "WaitingForScheduler");
    answer.evidence.extend(claims);
    let text = draw(&answer);
    assert!(
        text.contains(&format!("  claim      pool {state}\n")),
        "{text}"
    );
}

#[tokio::test]
async fn claims_that_may_not_be_read_are_a_failure() {
    let server = Server::default();
    server.forbid(&format!("{CLAIMS}/pool"));
    let names = ["pool".to_owned()];
    let failure = read_claims(&server.cluster(), &names).await.unwrap_err();
    assert!(failure.to_string().contains("resourceclaims"), "{failure}");
}

fn held_by(names: &[&str]) -> Value {
    let mut status = allocated();
    let holder =
        |name: &&str| json!({"resource": "pods", "name": name, "uid": format!("uid-{name}")});
    status["reservedFor"] = names.iter().map(holder).collect();
    status
}

async fn state_in(server: &Server) -> String {
    let names = ["pool".to_owned()];
    let claims = read_claims(&server.cluster(), &names).await.unwrap();
    let [Evidence::Claim(claim)] = &*claims else {
        panic!("{claims:?}");
    };
    claim.state.clone()
}

#[rstest]
#[case::nobody(&[], "nobody")]
#[case::three(&["b", "a", "c"], "a, b, c")]
#[case::five(&["e", "d", "c", "b", "a"], "a, b, c and 2 more")]
#[tokio::test]
async fn the_holders_of_a_claim_are_named(#[case] names: &[&str], #[case] expected: &str) {
    let server = Server::default();
    server.put(CLAIMS, claim("pool", &held_by(names), None));
    let expected = format!("allocated from pool node-0, held by {expected}");
    assert_eq!(state_in(&server).await, expected);
}

const EVERYWHERE: &str = "/apis/resource.k8s.io/v1";

/// A slice of a pool with these devices.
fn slice(driver: &str, pool: &str, generation: i64, devices: &[Value]) -> Value {
    json!({
        "metadata": {"name": format!("{driver}-{pool}-{generation}")},
        "spec": {
            "driver": driver, "devices": devices, "nodeName": pool,
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": 1},
        },
    })
}

/// Claim `pool` waits for a GPU; another claim has `gpu-0` of `node-0`, which has three devices, one of them
/// for several claims, and an older slice. A class with this expression; without one there is no class.
fn with_devices(expression: Option<&str>) -> Server {
    let server = Server::default();
    let mut waiting = claim("pool", &json!({}), None);
    let request = json!({"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}});
    waiting["spec"] = json!({"devices": {"requests": [request]}});
    server.put(CLAIMS, waiting);
    let other = claim("other", &allocated(), None);
    server.put(&format!("{EVERYWHERE}/resourceclaims"), other);
    let named = |name: &str| json!({"name": name});
    let shared = json!({"name": "gpu-2", "allowMultipleAllocations": true});
    let (gpu, nic) = ("gpu.example.com", "nic.example.com");
    for slice in [
        slice(gpu, "node-0", 1, &[named("gpu-0"), named("gone")]),
        slice(gpu, "node-0", 2, &[named("gpu-0"), named("gpu-1"), shared]),
        slice(nic, "node-0", 1, &[named("nic-0")]),
    ] {
        server.put(&format!("{EVERYWHERE}/resourceslices"), slice);
    }
    if let Some(expression) = expression {
        let class = json!({
            "metadata": {"name": gpu}, "spec": {"selectors": [{"cel": {"expression": expression}}]},
        });
        server.put(&format!("{EVERYWHERE}/deviceclasses"), class);
    }
    server
}

#[rstest]
#[case::by_driver(
    Some("device.driver == 'gpu.example.com'"),
    "at most 2 of 3 devices free"
)]
#[case::by_more(
    Some("device.driver == \"gpu.example.com\" && device.attributes['a'].b == 'c'"),
    "at most 2 of 3 devices free"
)]
#[case::of_another_driver(Some("device.driver=='nic.example.com'"), "at most 1 of 1 device free")]
#[case::by_anything_else(
    Some("device.driver == 'gpu.example.com' || true"),
    "at most 3 of 4 devices free"
)]
#[tokio::test]
async fn the_free_devices_of_an_unallocated_claim_are_counted(
    #[case] expression: Option<&str>,
    #[case] expected: &str,
) {
    let state = state_in(&with_devices(expression)).await;
    let expected = format!("not allocated; class gpu.example.com: {expected}");
    assert_eq!(state, expected);
}

#[tokio::test]
async fn a_class_that_does_not_exist_is_named() {
    let state = state_in(&with_devices(None)).await;
    assert_eq!(state, "not allocated; class gpu.example.com does not exist");
}

/// Without the claims of other namespaces more devices look free; without the slices nothing is known.
#[tokio::test]
async fn devices_are_counted_as_far_as_they_may_be_read() {
    let server = with_devices(Some("device.driver == 'gpu.example.com'"));
    server.forbid(&format!("{EVERYWHERE}/resourceclaims"));
    let state = state_in(&server).await;
    assert!(state.ends_with("at most 3 of 3 devices free"), "{state}");
    server.forbid(&format!("{EVERYWHERE}/resourceslices"));
    assert_eq!(state_in(&server).await, "not allocated");
}
