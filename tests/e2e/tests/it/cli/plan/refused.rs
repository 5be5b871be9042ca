//! Manifests that cannot be planned, with the messages of the API server, and exit codes.

use serde_json::{Value, json};

use super::{plan_live, run_live};
use crate::harness::control_plane::{CHECKOUT, fed};
use crate::harness::manifest::{clique, set};
use crate::harness::plugin::offline;
use crate::harness::{Namespace, condition, same};

#[test]
fn a_job_is_refused_as_the_api_server_refuses_it() {
    let ns = Namespace::new("plan-job");
    let mut job = set("job", &[clique("a", 2)], &[]);
    job["spec"]["workloadType"] = json!("Training");
    ns.apply(&job);
    ns.until("it runs", |seen| {
        let ready = condition(seen.one("PodCliqueSet", "job")?, "Ready");
        same("Ready", &ready, &"True/AllReady".to_owned())
    });
    let container = &mut job["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0];
    container["image"] = json!("registry.k8s.io/pause:3.9");
    let (plan, code) = plan_live(&ns, &job);
    assert_eq!(code, Some(1));
    let refused = &plan["refused"][0];
    assert_eq!(refused["path"], "spec.template.cliques", "{plan}");
    let output = fed(
        &mut ns.command(&["apply", "--dry-run=server", "-f", "-"]),
        &job,
    );
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{told}");
    let problem = refused["problem"].as_str().unwrap();
    assert!(told.contains(problem), "{told} is not {problem}");
}

/// The update would not begin: the plan has the API server's words and no steps.
#[test]
fn a_template_that_the_api_server_refuses_changes_nothing() {
    let ns = Namespace::new("plan-refused");
    let mut svc = set("svc", &[clique("web", 2)], &[]);
    ns.apply(&svc);
    ns.until("it runs", |seen| {
        let ready = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &ready, &"True/AllReady".to_owned())
    });
    let container = |set: &mut Value, key: &str, value: Value| {
        set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0][key] = value;
    };
    let resources = json!({"requests": {"memory": "8Gi"}, "limits": {"memory": "4Gi"}});
    container(&mut svc, "resources", resources);
    let (plan, code) = plan_live(&ns, &svc);
    let check = &plan["checks"][0];
    assert_eq!((&check["clique"], code), (&json!("web"), Some(1)), "{plan}");
    assert_eq!(check["answer"], "refused", "{plan}");
    let words = check["message"].as_str().unwrap();
    assert!(words.contains("memory limit"), "{plan}");
    assert_eq!(plan["steps"], json!([]), "{plan}");
    container(&mut svc, "resources", json!({}));
    container(&mut svc, "image", json!("registry.k8s.io/pause:3.9"));
    svc["spec"]["updateStrategy"] = json!({"paused": true});
    let (plan, _) = plan_live(&ns, &svc);
    assert_eq!(plan["checks"][0]["answer"], "accepted", "{plan}");
    assert_eq!(plan["steps"], json!([]), "{plan}");
    let remains = plan["remains"].to_string();
    assert!(remains.contains("the update is paused"), "{plan}");
}

/// A set that is not in the cluster is created as a whole.
#[test]
fn a_missing_set_is_new() {
    let ns = Namespace::new("plan-new");
    let manifest = set("svc", &[clique("a", 2)], &[]);
    let (plan, code) = plan_live(&ns, &manifest);
    assert_eq!((&plan["isNew"], code), (&json!(true), Some(1)), "{plan}");
    let output = run_live(&ns, &manifest, "text");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("creates all of it"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

/// Exit codes and one line each, without a cluster.
#[test]
fn refusals_name_the_cause() {
    let example = CHECKOUT.join("examples/disaggregated.yaml");
    let chart = CHECKOUT.join("charts/grove/Chart.yaml");
    let cases = [
        (vec!["plan", "/nonexistent"], 2, "cannot use /nonexistent"),
        (
            vec!["plan", chart.to_str().unwrap()],
            2,
            "no PodCliqueSet in",
        ),
        (
            vec!["plan", example.to_str().unwrap(), "--live"],
            3,
            "set KUBECONFIG",
        ),
    ];
    for (args, code, told) in cases {
        let output = offline(&args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(
            error.contains(told) && error.lines().count() == 1,
            "{error}"
        );
    }
    let output = offline(&["plan", example.to_str().unwrap(), "--output=json"]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(plan["sets"][0]["namespace"], "default");
}
