//! `/scale`, where the definition refuses nothing.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::site::{self, UNGUARDED};
use crate::harness::{Namespace, same, wait};

fn job(name: &str) -> Value {
    let mut job = set(
        name,
        &[clique("launcher", 1), clique("worker", 1)],
        &[group("workers", "worker", 1, 1)],
    );
    job["spec"]["workloadType"] = json!("Training");
    job
}

fn refused(ns: &Namespace<'_>, what: &str, replicas: u32) -> String {
    let scale = ["scale", what, &format!("--replicas={replicas}")];
    let output = ns.command(&scale).output().unwrap();
    assert!(!output.status.success(), "{what} was scaled");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_job_cannot_be_scaled_at_any_level_and_a_service_can() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-scaled");
    ns.apply(&job("job"));
    ns.apply(&set("svc", &[clique("web", 2)], &[]));
    ns.until("both run", |seen| seen.expect_ready_pods(4));
    for what in ["pcs/job", "pclq/job-0-launcher", "pcsg/job-0-workers"] {
        let said = refused(&ns, what, 3);
        let (_, problem) = said.split_once("spec.replicas: 3: ").unwrap();
        assert!(problem.contains("cannot be changed"), "{said}");
        assert!(said.contains("create another PodCliqueSet"), "{said}");
    }
    let said = ns
        .command(&["scale", "pclq/svc-0-web", "--replicas=1"])
        .output()
        .unwrap();
    let warning = String::from_utf8(said.stderr).unwrap();
    assert!(said.status.success(), "{warning}");
    assert!(warning.starts_with("Warning: spec.replicas: "), "{warning}");
    ns.kubectl(&["scale", "pcs/svc", "--replicas=2"]);
    ns.until("it is scaled", |seen| {
        let set = seen.one("PodCliqueSet", "svc")?;
        same("replicas", &set["status"]["availableReplicas"], &2.into())
    });
}

/// The cliques of the job have no defaults, and may not be changed.
#[test]
fn a_job_stored_without_the_webhook_is_updated_and_deleted() {
    let site = site::guarded();
    let ns = Namespace::on(&site.control_plane, &site.operator, "guarded-stored");
    ns.kubectl(&["label", "namespace", &ns.name, &format!("{UNGUARDED}=true")]);
    let stored = wait::until(|| {
        ns.apply(&job("job"));
        let cliques = "jsonpath={.spec.template.cliques[0].spec.podSpec.restartPolicy}";
        let policy = ns.kubectl(&["get", "pcs/job", "--output", cliques]);
        if policy.is_empty() {
            return Ok(());
        }
        // The API server had not applied the label yet.
        ns.kubectl(&["delete", "pcs/job"]);
        Err(format!("restartPolicy is {policy}"))
    });
    stored.unwrap();
    ns.kubectl(&["label", "namespace", &ns.name, &format!("{UNGUARDED}-")]);
    ns.until("it runs", |seen| seen.expect_ready_pods(2));
    let limit = json!({"spec": {"trainingSpec": {"maxRestarts": 7}}}).to_string();
    ns.kubectl(&["patch", "pcs/job", "--type=merge", "--patch", &limit]);
    let more = json!({"metadata": {"labels": {"team": "a"}}}).to_string();
    ns.kubectl(&["patch", "pcs/job", "--type=merge", "--patch", &more]);
    ns.kubectl(&["delete", "pcs/job", "--timeout=180s"]);
    ns.until_nothing_is_left();
}
