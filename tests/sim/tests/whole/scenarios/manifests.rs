//! Sets as users write them.

use serde_json::{Value, json};
use sim::{Resource, actors};
use testkit::builders::{SetBuilder, set};

use super::VERSION;

/// A clique of two pods and a scaling group of two cliques.
pub fn service() -> Value {
    manifest(
        set("svc")
            .clique("a", |c| c.replicas(2).min(1))
            .clique("b", |c| c)
            .clique("c", |c| c)
            .group("g", ["b", "c"], |g| g.replicas(2).min(1)),
    )
}

/// One pod runs; a clique, and a group with two required replicas, are scaled to 0.
pub fn idle() -> Value {
    manifest(
        set("svc")
            .clique("a", |c| c.replicas(0).min(1))
            .clique("front", |c| c)
            .clique("b", |c| c)
            .clique("c", |c| c)
            .group("g", ["b", "c"], |g| g.replicas(0).min(2)),
    )
}

/// Three pods, each after the one before it.
pub fn ordered() -> Value {
    let mut set = manifest(
        set("svc")
            .clique("a", |c| c)
            .clique("b", |c| c)
            .clique("c", |c| c)
            .group("g", ["b", "c"], |g| g.replicas(1).min(1)),
    );
    set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    set
}

/// That many replicas of a clique of one pod and a group of one.
pub fn small(replicas: i32) -> SetBuilder {
    set("svc")
        .replicas(replicas)
        .clique("a", |c| c)
        .clique("b", |c| c)
        .group("g", ["b"], |g| g.replicas(1).min(1))
}

/// A clique of one pod, and a group replica of two cliques.
pub fn pair_of_cliques() -> SetBuilder {
    set("svc")
        .clique("a", |c| c)
        .clique("b", |c| c)
        .clique("c", |c| c)
        .group("g", ["b", "c"], |g| g.replicas(1).min(1))
}

/// With autoscalers of clique and group.
pub fn autoscaled(set: SetBuilder) -> SetBuilder {
    let config = |metrics: Value| {
        let config = json!({"minReplicas": 1, "maxReplicas": 3, "metrics": metrics});
        Some(serde_json::from_value(config).unwrap())
    };
    let pods = json!({"metric": {"name": "requests"},
        "target": {"type": "AverageValue", "averageValue": "2000m"}});
    let metrics = json!([{"type": "Pods", "pods": pods}]);
    set.with(|s| {
        let template = &mut s.spec.template;
        template.cliques[0].spec.auto_scaling_config = config(metrics);
        template.scaling_groups[0].scale_config = config(json!([]));
    })
}

/// A group of two replicas, one of them required.
pub fn pair() -> SetBuilder {
    set("svc")
        .clique("b", |c| c)
        .group("g", ["b"], |g| g.replicas(2).min(1))
}

/// The user's manifest.
pub fn manifest(set: SetBuilder) -> Value {
    let mut manifest = json!(set.build());
    manifest["apiVersion"] = json!(Resource::PodCliqueSet.api_version());
    manifest["kind"] = json!("PodCliqueSet");
    manifest["metadata"] = json!({"name": "svc"});
    manifest
}

pub fn terminated(mut manifest: Value) -> Value {
    manifest["spec"]["template"]["terminationDelay"] = json!("1s");
    manifest
}

/// Writes a version into the template of each clique.
pub fn write_version(set: &mut Value, version: &str) {
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        clique["annotations"] = json!({VERSION: version});
    }
}

/// A job whose pods do not end by themselves.
pub fn job(restarts: u32) -> Value {
    let mut job = manifest(small(1));
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": restarts});
    let cliques = job["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["containers"][0]["command"] = json!(actors::ENDLESS);
    }
    job
}
