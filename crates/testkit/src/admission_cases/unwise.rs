//! Sets that are accepted with a warning, and similar ones without a warning.

use super::{Case, create, edits, update, update_of};
use crate::good_set::{FRONTEND, GROUP, LEADER, WORKER, at};

const DELAY: &str = "/spec/template/terminationDelay";

pub(super) fn cases() -> Vec<Case> {
    [
        start_order(),
        delays(),
        pods(),
        jobs(),
        autoscaled(),
        resized(),
    ]
    .concat()
}

/// Pods that run keep their rank.
fn resized() -> Vec<Case> {
    let more = at(WORKER, "spec/replicas");
    let image = at(LEADER, "spec/podSpec/containers/0/image");
    vec![
        update("clique-of-a-group-grows", edits! {more => 4})
            .warned(["spec.template.cliques[2].spec.replicas"]),
        update(
            "clique-of-a-group-grows-and-another-is-replaced",
            edits! {more => 4, image => "llm:2"},
        ),
    ]
}

fn start_order() -> Vec<Case> {
    const TOLD: &str = "spec.template.cliques[0].spec.startsAfter";
    let type_ = "/spec/template/cliqueStartupType";
    let after = at(FRONTEND, "spec/startsAfter");
    vec![
        create("start-order-without-effect", edits! {after => ["leader"]}).warned([TOLD]),
        create(
            "start-order-beside-that-of-the-list",
            edits! {type_ => "CliqueStartupTypeInOrder", after => ["leader"]},
        )
        .warned([TOLD]),
    ]
}

fn delays() -> Vec<Case> {
    let group = at(GROUP, "terminationDelay");
    vec![
        create("short-delay", edits! {DELAY => "9s"}).warned(["spec.template.terminationDelay"]),
        create("shortest-delay-without-a-warning", edits! {DELAY => "10s"}),
        create(
            "short-delay-of-a-group",
            edits! {DELAY => "1h", group => "2s"},
        )
        .warned(["spec.template.podCliqueScalingGroups[0].terminationDelay"]),
        update("delay-is-shortened", edits! {DELAY => "1s"})
            .warned(["spec.template.terminationDelay"]),
    ]
}

fn pods() -> Vec<Case> {
    const POLICY: &str = "spec.template.cliques[0].spec.podSpec.restartPolicy";
    let policy = at(FRONTEND, "spec/podSpec/restartPolicy");
    let class = at(FRONTEND, "spec/podSpec/priorityClassName");
    let of_set = "/spec/template/priorityClassName";
    vec![
        create("pods-that-end", edits! {policy => "Never"}).warned([POLICY]),
        create("pods-that-end-well", edits! {policy => "OnFailure"}).warned([POLICY]),
        create("pods-that-do-not-end", edits! {policy => "Always"}),
        create(
            "priority-that-is-replaced",
            edits! {of_set => "high", class => "low"},
        )
        .warned(["spec.template.cliques[0].spec.podSpec.priorityClassName"]),
        create(
            "one-priority-twice",
            edits! {of_set => "high", class => "high"},
        ),
        create("priority-of-a-clique", edits! {class => "low"}),
    ]
}

fn jobs() -> Vec<Case> {
    let job = "/spec/workloadType";
    vec![
        create(
            "job-with-a-strategy",
            edits! {job => "Training", "/spec/updateStrategy" => {"type": "OnDelete"}},
        )
        .warned(["spec.updateStrategy"]),
        create(
            "job-with-a-short-delay",
            edits! {job => "Training", DELAY => "2s"},
        ),
    ]
}

/// The autoscaler decides these counts, not the template.
fn autoscaled() -> Vec<Case> {
    let clique = at(FRONTEND, "spec/autoScalingConfig");
    let group = at(GROUP, "scaleConfig");
    let before = |at: &str| {
        [(
            at.to_owned(),
            serde_json::json!({"minReplicas": 2, "maxReplicas": 5}),
        )]
    };
    let scaled = |name, scaling: &str, replicas: &str| {
        let before = before(scaling);
        let before = before
            .each_ref()
            .map(|(at, value)| (at.as_str(), value.clone()));
        update_of(name, &before, edits! {replicas => 4})
    };
    vec![
        scaled(
            "autoscaled-clique-is-scaled",
            &clique,
            &at(FRONTEND, "spec/replicas"),
        )
        .warned(["spec.template.cliques[0].spec.replicas"]),
        scaled("autoscaled-group-is-scaled", &group, &at(GROUP, "replicas"))
            .warned(["spec.template.podCliqueScalingGroups[0].replicas"]),
        scaled(
            "set-of-an-autoscaled-clique-is-scaled",
            &clique,
            "/spec/replicas",
        ),
    ]
}
