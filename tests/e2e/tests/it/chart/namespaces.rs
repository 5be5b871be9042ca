//! An operator of some namespaces.

use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, namespace, site};

#[test]
fn only_the_listed_namespaces_are_looked_after() {
    let control_plane = site::private();
    let purposes = ["watched-a", "watched-b", "unwatched"];
    let names = purposes.map(|purpose| namespace::make(&control_plane, purpose));
    let list = format!("watchNamespaces={{{},{}}}", names[0], names[1]);
    let installation = Installation::on(&control_plane, &[&list]);
    let everywhere = ["get", "clusterrole", "grove:system:grove-operator"];
    let role = control_plane.kubectl([&everywhere[..], &["--ignore-not-found"]].concat());
    assert_eq!(role, "", "it has rights everywhere");

    let operator = Operator::start(&installation, &folder("namespaced-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let [a, b, other] = names.map(|name| Namespace::existing(name, &control_plane, &operator));
    let workload = set(
        "svc",
        &[clique("a", 1), clique("b", 1)],
        &[group("bs", "b", 2, 1)],
    );
    // First of all, so that it would be seen first.
    other.apply(&workload);
    for ns in [&a, &b] {
        ns.apply(&workload);
        ns.until("it runs", |seen| seen.expect_ready_pods(3));
        ns.kubectl(&["scale", "pcsg", "svc-0-bs", "--replicas=1"]);
        ns.until("it is scaled", |seen| seen.expect_ready_pods(2));
    }
    let seen = other.look().unwrap();
    let left_alone = seen.one("PodCliqueSet", "svc").unwrap();
    assert_eq!(seen.0.len(), 1, "{:?}", seen.0);
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
    // What came before it is there.
    super::helm(&ns, &["uninstall", &ns.name, "--wait"]);
    let named = "namespaces \"no-such-place\" not found";
    assert!(refusal.contains(named), "{refusal}");
}
