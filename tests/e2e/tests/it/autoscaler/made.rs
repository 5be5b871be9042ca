//! The autoscalers that the operator creates for `autoScalingConfig` and `scaleConfig`.

use serde_json::{Value, json};
use sim::{Call, Resource, Store};

use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::controlled_by;
use crate::harness::{Namespace, Seen, same, subset};

const KIND: &str = "HorizontalPodAutoscaler";
const GROVE: &str = "grove.io/v1alpha1";

/// Two replicas of a clique that is scaled by two metrics and a group that is scaled by CPU.
fn service(replicas: u32) -> Value {
    let mut set = set(
        "x",
        &[clique("a", 2), clique("b", 1)],
        &[group("g", "b", 1, 1)],
    );
    set["spec"]["replicas"] = replicas.into();
    let template = &mut set["spec"]["template"];
    template["cliques"][0]["spec"]["autoScalingConfig"] =
        json!({"maxReplicas": 6, "metrics": metrics("1500m", "3000m")});
    template["podCliqueScalingGroups"][0]["scaleConfig"] = json!({"maxReplicas": 4});
    set
}

fn metrics(requests: &str, waiting: &str) -> Value {
    json!([
        {"type": "Pods", "pods": {"metric": {"name": "requests"},
            "target": {"type": "AverageValue", "averageValue": requests}}},
        {"type": "External", "external": {
            "metric": {"name": "waiting", "selector": {"matchLabels": {"queue": "x"}}},
            "target": {"type": "Value", "value": waiting}}},
    ])
}

/// The defaults of the API server are written out.
fn cpu() -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": 80});
    json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}])
}

fn spec(kind: &str, name: &str, lowest: u32, highest: u32, metrics: &Value) -> Value {
    json!({
        "scaleTargetRef": {"apiVersion": GROVE, "kind": kind, "name": name},
        "minReplicas": lowest,
        "maxReplicas": highest,
        "metrics": metrics,
    })
}

/// The autoscalers of a replica are right; the API server writes quantities in its own form.
fn are_right(seen: &Seen, replica: u32) -> Result<(), String> {
    let owner = controlled_by(seen.one("PodCliqueSet", "x")?);
    let (a, g) = (format!("x-{replica}-a"), format!("x-{replica}-g"));
    let wanted = [
        (&a, spec("PodClique", &a, 2, 6, &metrics("1500m", "3"))),
        (&g, spec("PodCliqueScalingGroup", &g, 1, 4, &cpu())),
    ];
    for (name, spec) in wanted {
        let found = seen.one(KIND, name)?;
        subset(name, &found["spec"], &spec)?;
        same(name, &found["metadata"]["ownerReferences"], &owner)?;
        let labels = json!({
            "app.kubernetes.io/name": name,
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "x",
            "app.kubernetes.io/component": "pcs-hpa",
        });
        subset(name, &found["metadata"]["labels"], &labels)?;
    }
    Ok(())
}

fn uid(seen: &Seen, name: &str) -> Value {
    let found = seen.one(KIND, name);
    found.map_or(Value::Null, |found| found["metadata"]["uid"].clone())
}

fn patch(ns: &Namespace<'_>, what: &str, patch: &Value) {
    ns.kubectl(&["patch", what, "--type=merge", &format!("--patch={patch}")]);
}

#[test]
fn each_clique_and_group_has_its_autoscaler_while_configured() {
    let ns = Namespace::new("autoscalers");
    ns.apply(&service(2));
    let names = ["x-0-a", "x-0-g", "x-1-a", "x-1-g"];
    let before = ns.until("there are four", |seen| {
        seen.expect_names(KIND, &names)?;
        are_right(seen, 0)?;
        are_right(seen, 1)?;
        seen.expect_ready_pods(6)?;
        let found = seen.one(KIND, "x-0-a")?;
        same("behavior", &found["spec"]["behavior"], &Value::Null)?;
        Ok(uid(seen, "x-0-a"))
    });

    let mut narrower = service(1);
    let template = &mut narrower["spec"]["template"];
    template["cliques"][0]["spec"]["autoScalingConfig"] = json!({"maxReplicas": 5});
    template["podCliqueScalingGroups"][0]
        .as_object_mut()
        .unwrap()
        .remove("scaleConfig");
    ns.apply(&narrower);
    ns.until("one is left, as the template says now", |seen| {
        seen.expect_names(KIND, &["x-0-a"])?;
        let should = spec("PodClique", "x-0-a", 2, 5, &cpu());
        same("spec", &seen.one(KIND, "x-0-a")?["spec"], &should)?;
        same("uid", &uid(seen, "x-0-a"), &before)?;
        seen.expect_ready_pods(3)
    });
    ns.kubectl(&["delete", "pcs/x", "--timeout=180s"]);
    let left = ns.look().unwrap();
    left.expect_names(KIND, &[]).unwrap();
}

#[test]
fn edits_are_reverted_and_additions_of_others_stay() {
    let ns = Namespace::new("autoscalers-changed");
    ns.apply(&service(2));
    let lost = ns.until("there are four", |seen| {
        are_right(seen, 0)?;
        are_right(seen, 1)?;
        Ok(uid(seen, "x-1-g"))
    });
    let added = json!({
        "metadata": {"annotations": {"example.com/note": "kept"}, "labels": {"example.com/mine": "kept"}},
        "spec": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 600}}},
    });
    patch(&ns, "hpa/x-0-a", &added);
    patch(
        &ns,
        "hpa/x-0-a",
        &json!({"spec": {"maxReplicas": 50, "metrics": cpu()}}),
    );
    patch(
        &ns,
        "hpa/x-0-g",
        &json!({"spec": {"metrics": null, "minReplicas": 3}}),
    );
    let stripped = json!({"metadata": {"labels": {"app.kubernetes.io/managed-by": null}}});
    patch(&ns, "hpa/x-1-a", &stripped);
    ns.kubectl(&["delete", "hpa/x-1-g"]);
    ns.until("all is as before, with the additions", |seen| {
        are_right(seen, 0)?;
        are_right(seen, 1)?;
        let found = seen.one(KIND, "x-0-a")?;
        subset("x-0-a", found, &added)?;
        same("another", &(uid(seen, "x-1-g") == lost), &false)
    });
}

#[test]
fn one_of_another_owner_is_left_alone_and_reported() {
    let ns = Namespace::new("autoscalers-taken");
    let theirs = super::autoscaler("PodClique", "x-0-a", 2);
    ns.apply(&theirs);
    ns.apply(&service(1));
    ns.until("it names the owner of the name", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        let errors = set["status"]["lastErrors"].to_string();
        let is_reported = errors.contains("ERR_NAME_CONFLICT") && errors.contains("x-0-a");
        same("the conflict is reported", &is_reported, &true)?;
        seen.expect_ready_pods(3)?;
        let found = seen.one(KIND, "x-0-a")?;
        subset("theirs", &found["spec"], &theirs["spec"])?;
        same("labels", &found["metadata"]["labels"], &Value::Null)
    });
    ns.kubectl(&["delete", "hpa/x-0-a"]);
    ns.until("the set makes its own", |seen| {
        are_right(seen, 0)?;
        let set = seen.one("PodCliqueSet", "x")?;
        same("errors", &set["status"]["lastErrors"], &Value::Null)
    });
}

#[test]
fn those_of_a_set_that_was_orphaned_belong_to_its_successor() {
    let ns = Namespace::new("autoscalers-left");
    ns.apply(&service(1));
    let before = ns.until("there are two", |seen| {
        are_right(seen, 0)?;
        seen.expect_ready_pods(3)?;
        Ok([uid(seen, "x-0-a"), uid(seen, "x-0-g")])
    });
    ns.kubectl(&["delete", "pcs/x", "--cascade=orphan", "--timeout=180s"]);
    ns.apply(&service(1));
    ns.until("they are adopted", |seen| {
        are_right(seen, 0)?;
        same("uids", &[uid(seen, "x-0-a"), uid(seen, "x-0-g")], &before)
    });
}

/// In the simulator, the operator compares with the objects that a real API server would store.
#[test]
fn the_simulated_store_completes_them_as_the_real_api_server_does() {
    let ns = Namespace::new("autoscalers-stored");
    let bare = json!({"scaleTargetRef": {"apiVersion": GROVE, "kind": "PodClique", "name": "x"},
        "maxReplicas": 3});
    let mut measured = bare.clone();
    measured["metrics"] = metrics("2000m", "3");
    for (name, spec) in [("bare", bare), ("measured", measured)] {
        let manifest = json!({"apiVersion": "autoscaling/v2", "kind": KIND,
            "metadata": {"name": name}, "spec": spec});
        ns.apply(&manifest);
        let real = ns.kubectl(&["get", "hpa", name, "--output=json"]);
        let real: Value = serde_json::from_str(&real).unwrap();
        let mut store = Store::new(testkit::builders::after(0));
        let path = Resource::HorizontalPodAutoscaler.path("default");
        let model = store.handle("test", &Call::new("POST", &path, manifest));
        assert_eq!(real["spec"], model.body["spec"]);
    }
    ns.kubectl(&["delete", "hpa", "--all"]);
}
