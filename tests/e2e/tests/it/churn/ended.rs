//! The set or its namespace is deleted in the middle of the changes.

use std::thread;

use super::{C, G, X, begins, scale, service};
use crate::harness::Namespace;

/// Scale-outs from the state of [`service`].
const OUT: [(&str, u32); 3] = [(X, 3), (G, 5), (C, 4)];

#[test]
fn deleted_while_it_is_scaled_it_leaves_nothing() {
    let ns = Namespace::new("churn-delete");
    ns.apply(&service());
    ns.until("it begins", begins);
    for (what, replicas) in OUT {
        scale(&ns, what, replicas);
    }
    ns.kubectl(&["delete", "pcs", "x", "--wait=false"]);
    for (what, replicas) in [(C, 1), (X, 1), (G, 1), (C, 4), (X, 3)] {
        // It may be gone already.
        let replicas = format!("--replicas={replicas}");
        let _ = ns.command(&["scale", what, &replicas]).output().unwrap();
    }
    ns.until_nothing_is_left();
}

#[test]
fn deleted_in_the_middle_of_any_scale_out_it_leaves_nothing() {
    let ns = Namespace::new("churn-middle");
    for out in OUT {
        scale_until_the_first_pod(&ns, out);
        ns.kubectl(&["delete", "pcs", "x", "--wait=false"]);
        ns.until_nothing_is_left();
    }
}

#[test]
fn a_namespace_can_be_deleted_while_its_sets_are_scaled() {
    let ns = Namespace::new("churn-namespace");
    ns.apply(&service());
    ns.until("it begins", begins);
    for (what, replicas) in [(X, 3), (G, 5), (C, 4), (X, 1), (G, 2)] {
        scale(&ns, what, replicas);
    }
    ns.delete();
}

#[test]
fn a_namespace_can_be_deleted_in_the_middle_of_any_scale_out() {
    // Kubernetes takes some seconds for each.
    thread::scope(|scope| {
        for (i, out) in OUT.into_iter().enumerate() {
            scope.spawn(move || {
                let ns = Namespace::new(&format!("churn-namespace-{i}"));
                scale_until_the_first_pod(&ns, out);
                ns.delete();
            });
        }
    });
}

/// Creates the service and scales it; returns when the first of the new pods exists.
fn scale_until_the_first_pod(ns: &Namespace<'_>, (what, replicas): (&str, u32)) {
    const PODS: usize = 4;
    ns.apply(&service());
    ns.until("it runs", |seen| seen.expect_ready_pods(PODS));
    scale(ns, what, replicas);
    ns.until("a new pod", |seen| {
        let pods = seen.all("Pod").len();
        (pods > PODS)
            .then_some(())
            .ok_or_else(|| format!("{pods} pods"))
    });
}
