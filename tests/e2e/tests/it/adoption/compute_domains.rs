//! ComputeDomains of the Go operator, and the pods that join them.

use serde_json::{Value, json};

use super::adopted::{expect_gangs, expect_kept, expect_podcliques, uids};
use super::any_set::set_defaults;
use super::left::Left;
use super::meta::controlled;
use super::{podcliques, statuses};
use crate::harness::control_plane::ControlPlane;
use crate::harness::seen::name;
use crate::harness::{Namespace, client, same, site, wait};
use crate::nvlink::{
    DEFINITION, FINALIZER, domains, enabled, expect_domains, make_template, single_rack,
};

/// The domain, and its ResourceClaimTemplate.
const DOMAIN: &str = "svc-0-rack";
const WORKERS: &str = "svc-0-worker";
/// A router and two workers.
const PODS: usize = 3;

/// The claim by which the workers join the domain.
fn claims() -> Value {
    json!([{"name": "mnnvl-claim", "resourceClaimTemplateName": DOMAIN}])
}

/// The set, whose workers run with the domain of their replica, in the state that the Go operator left.
fn leave(ns: &Namespace<'_>) {
    let mut set = single_rack();
    set_defaults(&mut set);
    set["metadata"]["finalizers"] = json!(["grove.io/podcliqueset.grove.io"]);
    let stored = client::create(&ns.control_plane.kubeconfig, &ns.name, &set);
    let left = Left::of(ns, stored.unwrap());
    left.service(0);
    leave_domain(&left);
    let node = first_node(ns.control_plane);
    let parts = ["router", "worker"].map(|clique| leave_podclique(&left, clique, &node));
    let listed = parts.each_ref().map(|(part, pods)| (part, pods.clone()));
    left.gang("svc-0", &listed);
    for (podclique, _) in &parts {
        let status = statuses::podclique(podclique);
        left.report("PodClique", name(podclique), &status);
    }
    left.report("PodCliqueSet", "svc", &statuses::set("svc", 1));
    ns.until("KWOK runs the pods", |seen| seen.expect_ready_pods(PODS));
}

/// The domain of the replica, and the template that NVIDIA's driver makes from it.
fn leave_domain(left: &Left<'_>) {
    let mut meta = controlled(&left.set, DOMAIN, DOMAIN, "pcs-computedomain");
    meta["labels"]["grove.io/podcliqueset-replica-index"] = json!("0");
    meta["labels"]["grove.io/mnnvl-group"] = json!("rack");
    meta["finalizers"] = json!([FINALIZER]);
    let domain = json!({
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": meta,
        "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": DOMAIN}}},
    });
    let (kubeconfig, namespace) = (&left.ns.control_plane.kubeconfig, &left.ns.name);
    // The API server serves a new kind a moment after its definition is stored.
    wait::until(|| client::create(kubeconfig, namespace, &domain)).unwrap();
    make_template(left.ns, DOMAIN);
}

/// A PodClique and the names of its pods. They are on a node from the start: none here has GPUs for them.
fn leave_podclique(left: &Left<'_>, clique: &str, node: &str) -> (Value, Vec<String>) {
    let mut made = podcliques::standalone(&left.set, 0, clique);
    let spec = &mut made["spec"]["podSpec"];
    if clique == "worker" {
        spec["resourceClaims"] = claims();
        spec["containers"][0]["resources"]["claims"] = json!([{"name": "mnnvl-claim"}]);
    }
    let podclique = left.create(&made);
    let replicas = podclique["spec"]["replicas"].as_u64().unwrap();
    let indexes = 0..u32::try_from(replicas).unwrap();
    let pods = indexes.map(|k| {
        let mut pod = podcliques::pod(&podclique, k, false);
        pod["spec"]["nodeName"] = json!(node);
        name(&left.create(&pod)).to_owned()
    });
    let pods = pods.collect();
    (podclique, pods)
}

fn first_node(control_plane: &ControlPlane) -> String {
    let path = "--output=jsonpath={.items[0].metadata.name}";
    control_plane.kubectl(["get", "nodes", path])
}

/// Nothing is written to a domain with all that ours have. A new pod joins it, and it goes after the last
/// one.
#[test]
fn a_domain_of_running_pods_stays_as_it_is() {
    let control_plane = site::private();
    let operator = enabled(&control_plane);
    operator.kill();
    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let ns = Namespace::on(&control_plane, &operator, "adopt-domains");
    leave(&ns);
    let (objects, before) = (uids(&ns.look().unwrap()), domains(&ns).unwrap());
    assert_eq!(before.len(), 1, "{before:?}");

    operator.start_again().unwrap();
    ns.until("all is adopted", |seen| {
        seen.expect_ready_pods(PODS)?;
        expect_podcliques(seen)?;
        expect_gangs(seen, &["svc-0"])?;
        expect_kept(seen, &objects)?;
        same("domains", &domains(&ns)?, &before)
    });

    let lost = name(ns.look().unwrap().pods(WORKERS)[1]).to_owned();
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("its replacement joins the same domain", |seen| {
        let workers = seen.pods(WORKERS);
        same("workers", &workers.len(), &2)?;
        same("is another", &(name(workers[1]) != lost), &true)?;
        let joined = &workers[1]["spec"]["resourceClaims"];
        same("claims", joined, &claims())?;
        same("domains", &domains(&ns)?, &before)
    });

    ns.kubectl(&["scale", "pcs", "svc", "--replicas=0"]);
    ns.until("the domain goes after its pods", |seen| {
        same("pods", &seen.all("Pod").len(), &0)?;
        expect_domains(&ns, &[])
    });
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}
