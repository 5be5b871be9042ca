//! All objects go with the set.

use std::collections::BTreeSet;

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, same};

#[test]
fn deleting_a_set_waits_until_nothing_of_it_is_left() {
    let ns = Namespace::new("delete");
    ns.apply_file("examples/disaggregated.yaml");
    ns.until("it runs", |seen| seen.expect_ready_pods(11));
    ns.kubectl(&[
        "delete",
        "pcs",
        "disaggregated",
        "--wait=true",
        "--timeout=180s",
    ]);
    ns.look().unwrap().expect_nothing().unwrap();
}

#[test]
fn a_set_can_be_deleted_while_it_is_being_created() {
    let ns = Namespace::new("delete-early");
    ns.apply(&set(
        "svc",
        &[clique("a", 20), clique("b", 20)],
        &[group("bs", "b", 2, 1)],
    ));
    ns.until("the first pods exist", |seen| {
        (!seen.all("Pod").is_empty())
            .then_some(())
            .ok_or_else(|| "no pods".to_owned())
    });
    ns.kubectl(&["delete", "pcs", "svc", "--wait=true", "--timeout=180s"]);
    ns.look().unwrap().expect_nothing().unwrap();
}

#[test]
fn a_set_that_is_deleted_and_created_again_at_once_becomes_available() {
    let ns = Namespace::new("again");
    let pcs = set("svc", &[clique("a", 4)], &[]);
    ns.apply(&pcs);
    let before = ns.until("it runs", |seen| {
        seen.expect_ready_pods(4)?;
        Ok(seen
            .names("Pod")
            .into_iter()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>())
    });
    ns.kubectl(&["delete", "pcs", "svc", "--wait=true", "--timeout=180s"]);
    ns.apply(&pcs);
    ns.until("new pods run", |seen| {
        seen.expect_ready_pods(4)?;
        let kept = seen
            .names("Pod")
            .into_iter()
            .filter(|name| before.contains(*name))
            .count();
        same("pods that have an old name", &kept, &0)
    });
}

#[test]
fn a_namespace_with_a_set_in_it_can_be_deleted() {
    let ns = Namespace::new("namespace");
    ns.apply(&set(
        "svc",
        &[clique("a", 2), clique("b", 2)],
        &[group("bs", "b", 2, 1)],
    ));
    ns.until("it runs", |seen| seen.expect_ready_pods(6));
    ns.delete();
}
