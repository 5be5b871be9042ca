//! Training jobs.

use super::{Case, create, edits, update_of};
use crate::good_set::{FRONTEND, GROUP, at};

const TYPE: &str = "/spec/workloadType";
const LIMITS: &str = "/spec/trainingSpec";

pub(super) fn cases() -> Vec<Case> {
    [kinds(), sizes(), limits(), changes(), allowed_changes()].concat()
}

fn kinds() -> Vec<Case> {
    let policy = at(FRONTEND, "spec/podSpec/restartPolicy");
    vec![
        create("job", edits! {TYPE => "Training"}),
        create("inference-by-name", edits! {TYPE => "Inference"}),
        create(
            "job-restarted-by-the-kubelet",
            edits! {TYPE => "Training", policy => "Always"},
        )
        .refused(["spec.template.cliques[0].spec.podSpec.restartPolicy"]),
        create(
            "job-restarted-on-failure",
            edits! {TYPE => "Training", policy => "OnFailure"},
        ),
        create("limits-of-no-job", edits! {LIMITS => {"maxRestarts": 1}})
            .refused(["spec.trainingSpec"]),
    ]
}

fn sizes() -> Vec<Case> {
    let own = at(FRONTEND, "spec/autoScalingConfig");
    let group = at(GROUP, "scaleConfig");
    vec![
        create(
            "job-of-no-replicas",
            edits! {TYPE => "Training", "/spec/replicas" => 0},
        )
        .refused(["spec.replicas"]),
        create(
            "job-with-idle-parts",
            edits! {
                TYPE => "Training",
                at(FRONTEND, "spec/replicas") => 0,
                at(GROUP, "replicas") => 0,
            },
        )
        .refused([
            "spec.template.cliques[0].spec.replicas",
            "spec.template.podCliqueScalingGroups[0].replicas",
        ]),
        create(
            "job-with-autoscalers",
            edits! {TYPE => "Training", own => {"maxReplicas": 3}, group => {"maxReplicas": 3}},
        )
        .refused([
            "spec.template.cliques[0].spec.autoScalingConfig",
            "spec.template.podCliqueScalingGroups[0].scaleConfig",
        ]),
    ]
}

fn limits() -> Vec<Case> {
    let delay = "/spec/template/terminationDelay";
    vec![
        create(
            "job-with-limits",
            edits! {TYPE => "Training", LIMITS => {"maxRestarts": 3, "maxRuntime": "72h"}},
        ),
        create(
            "job-of-no-time",
            edits! {TYPE => "Training", LIMITS => {"maxRuntime": "0s"}},
        )
        .refused(["spec.trainingSpec.maxRuntime"]),
        create(
            "job-of-days",
            edits! {TYPE => "Training", LIMITS => {"maxRuntime": "3 days"}},
        )
        .refused(["spec.trainingSpec.maxRuntime"]),
        create(
            "job-that-is-kept-for-an-hour",
            edits! {TYPE => "Training", LIMITS => {"ttlAfterFinished": "1h"}},
        ),
        create(
            "job-that-is-deleted-at-once",
            edits! {TYPE => "Training", LIMITS => {"ttlAfterFinished": "0s"}},
        ),
        create(
            "job-that-is-kept-for-less-than-nothing",
            edits! {TYPE => "Training", LIMITS => {"ttlAfterFinished": "-1s"}},
        )
        .refused(["spec.trainingSpec.ttlAfterFinished"]),
        create(
            "job-that-is-kept-for-days",
            edits! {TYPE => "Training", LIMITS => {"ttlAfterFinished": "3 days"}},
        )
        .refused(["spec.trainingSpec.ttlAfterFinished"]),
        create(
            "job-of-negative-restarts",
            edits! {TYPE => "Training", LIMITS => {"maxRestarts": (-1)}},
        )
        .refused(["spec.trainingSpec.maxRestarts"]),
        create(
            "job-without-delay",
            edits! {TYPE => "Training", delay => "0s"},
        ),
        create(
            "job-with-a-delay-of-a-group-alone",
            edits! {TYPE => "Training", at(GROUP, "terminationDelay") => "5m"},
        ),
    ]
}

fn changes() -> Vec<Case> {
    let job = |name, edits| update_of(name, edits! {TYPE => "Training"}, edits);
    let image = at(FRONTEND, "spec/podSpec/containers/0/image");
    let cliques = ["spec.template.cliques"];
    vec![
        job("job-is-scaled", edits! {"/spec/replicas" => 2}).refused(["spec.replicas"]),
        job(
            "group-of-a-job-is-scaled",
            edits! {at(GROUP, "replicas") => 3},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].replicas"]),
        job(
            "minimum-of-a-group-of-a-job-is-changed",
            edits! {at(GROUP, "minAvailable") => 2},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].minAvailable"]),
        job("image-of-a-job-is-changed", edits! {image => "llm:2"}).refused(cliques),
        job(
            "labels-of-a-job-are-changed",
            edits! {at(FRONTEND, "labels") => {"a": "b"}},
        )
        .refused(cliques),
        job(
            "priority-of-a-job-is-changed",
            edits! {"/spec/template/priorityClassName" => "high"},
        )
        .refused(["spec.template.priorityClassName"]),
        job("job-becomes-inference", edits! {TYPE => "Inference"}).refused(["spec.workloadType"]),
    ]
}

fn allowed_changes() -> Vec<Case> {
    let job = |name, edits| update_of(name, edits! {TYPE => "Training"}, edits);
    vec![
        job(
            "job-gets-more-restarts",
            edits! {LIMITS => {"maxRestarts": 5}},
        ),
        job(
            "job-gets-more-time",
            edits! {LIMITS => {"maxRuntime": "100h"}},
        ),
        job(
            "job-gets-a-time-to-be-kept",
            edits! {LIMITS => {"ttlAfterFinished": "1h"}},
        ),
        job("job-is-suspended", edits! {"/spec/suspend" => true}),
        job(
            "job-gets-a-delay",
            edits! {"/spec/template/terminationDelay" => "5m"},
        ),
        job(
            "job-loses-a-finalizer",
            edits! {"/metadata/finalizers" => []},
        ),
    ]
}
