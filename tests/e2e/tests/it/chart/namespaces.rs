//! An operator of some namespaces.

use e2e::rights::WITHOUT_ROLE;

use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, namespace, site};

#[test]
fn only_the_listed_namespaces_are_looked_after() {
    let control_plane = site::private();
    let purposes = ["watched-a", "watched-b", "unwatched", WITHOUT_ROLE];
    let [a, b, outside, lost] = purposes.map(|purpose| namespace::make(&control_plane, purpose));
    let watched = format!("watchNamespaces={{{a},{b},{lost}}}");
    let installation = Installation::on(&control_plane, &[&watched]);
    let everywhere = ["get", "clusterrole", "grove:system:grove-operator"];
    let role = control_plane.kubectl([&everywhere[..], &["--ignore-not-found"]].concat());
    assert_eq!(role, "", "it has rights everywhere");
    // The role goes with its namespace, which any tenant who owns it may delete.
    let role = ["role/grove:system:grove-operator", "--namespace", &lost];
    control_plane.kubectl([&["delete"], &role[..]].concat());

    let operator = Operator::start(&installation, &folder("namespaced-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let (_, said) = operator.get("/readyz").unwrap();
    let remedy = format!("or take {lost} off watchNamespaces");
    assert!(said.contains(&remedy), "{said}");
    let found = |name| Namespace::existing(name, &control_plane, &operator);
    let [a, b, outside, _lost] = [a, b, outside, lost].map(found);
    let workload = set(
        "svc",
        &[clique("a", 1), clique("b", 1)],
        &[group("bs", "b", 2, 1)],
    );
    // Created first, so that the operator would see it first.
    outside.apply(&workload);
    for ns in [&a, &b] {
        ns.apply(&workload);
        ns.until("it runs", |seen| seen.expect_ready_pods(3));
        ns.kubectl(&["scale", "pcsg", "svc-0-bs", "--replicas=1"]);
        ns.until("it is scaled", |seen| seen.expect_ready_pods(2));
    }
    let seen = outside.look().unwrap();
    let left_alone = seen.one("PodCliqueSet", "svc").unwrap();
    assert_eq!(seen.everything().len(), 1, "{seen:?}");
    assert!(
        left_alone["metadata"]["finalizers"].is_null(),
        "{left_alone}"
    );
    assert!(left_alone["status"].is_null(), "{left_alone}");
}

#[test]
fn a_namespace_that_does_not_exist_is_refused_by_name() {
    let ns = Namespace::new("chart-nowhere");
    let list = format!("watchNamespaces={{{},no-such-place}}", ns.name);
    let refusal = super::refused(&ns, &[&list]);
    // The objects created before the uninstall exist.
    super::helm(&ns, &["uninstall", &ns.name, "--wait"]);
    let named = "namespaces \"no-such-place\" not found";
    assert!(refusal.contains(named), "{refusal}");
}
