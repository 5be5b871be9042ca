//! The messages that a user reads.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, set};
use crate::harness::site;
use crate::harness::{Namespace, wait};

fn said(ns: &Namespace<'_>, args: &[&str], manifest: &Value) -> String {
    let output = ns.feed(args, manifest);
    assert!(!output.status.success(), "{manifest} is accepted");
    String::from_utf8(output.stderr).unwrap()
}

/// The webhook's refusal. On a busy machine the webhook may be late, whatever the set.
pub(super) fn refusal(ns: &Namespace<'_>, wrong: &Value) -> String {
    let said = wait::until(|| {
        let said = said(ns, &["apply", "-f", "-"], wrong);
        let is_judged = !said.contains("failed calling webhook");
        if is_judged { Ok(said) } else { Err(said) }
    });
    said.unwrap()
}

#[test]
fn all_errors_are_listed_at_once_with_path_value_and_remedy() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-words");
    let mut wrong = set("wrong", &[clique("web", 2), clique("web", 1)], &[]);
    wrong["spec"]["template"]["cliques"][0]["spec"]["minAvailable"] = json!(3);
    let said = refusal(&ns, &wrong);
    for line in [
        "* spec.template.cliques[0].spec.minAvailable: 3: must not be greater than replicas (2); \
         lower minAvailable or raise replicas",
        "* spec.template.cliques[1].name: \"web\": duplicate: is the name of \
         spec.template.cliques[0] too; give each its own name",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
}

/// This set's scheduler has no PodGroups of Kubernetes, so each pod would be a user of the claim.
#[test]
fn a_set_with_more_pods_than_a_claim_takes_is_refused_with_their_number() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-claim");
    let mut worker = clique("worker", 300);
    worker["resourceSharing"] = json!([{"name": "pool", "scope": "AllReplicas"}]);
    let said = refusal(&ns, &set("wide", &[worker], &[]));
    // kubectl lists errors with bullets only if there are several.
    let line = "spec.template.cliques[0].resourceSharing[0]: \"pool\": 300 pods would share one \
                claim, and Kubernetes lets 256; use scope PerReplica, or a filter";
    assert!(said.contains(line), "{line}\n{said}");
}

#[test]
fn objects_of_the_operator_are_changed_by_no_other_user() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-managed");
    ns.apply(&set("svc", &[clique("web", 1)], &[]));
    ns.until("it runs", |seen| seen.expect_ready_pods(1));
    let refused = |args: &[&str]| {
        let told = wait::until(|| {
            let output = ns.command(args).output().unwrap();
            assert!(!output.status.success(), "{args:?} was carried out");
            let said = String::from_utf8(output.stderr).unwrap();
            let words = "is managed by grove-operator for PodCliqueSet \"svc\"";
            said.contains(words).then_some(()).ok_or(said)
        });
        told.unwrap();
    };
    refused(&["delete", "pclq/svc-0-web"]);
    refused(&["label", "pclq/svc-0-web", "team=a"]);
    refused(&["delete", "pg/svc-0"]);
    ns.kubectl(&["scale", "pclq/svc-0-web", "--replicas=2"]);
    ns.kubectl(&["delete", "pods", "--all", "--wait=false"]);
    ns.until("autoscalers and evictions go on", |seen| {
        seen.expect_ready_pods(2)
    });
    let open = "grove.io/disable-managed-resource-protection=true";
    ns.kubectl(&["annotate", "pcs/svc", open]);
    let deleted = wait::until(|| {
        let output = ns.command(&["delete", "pclq/svc-0-web"]).output().unwrap();
        // Until the operator has seen the annotation.
        output
            .status
            .success()
            .then_some(())
            .ok_or(format!("{output:?}"))
    });
    deleted.unwrap();
}
