//! Delays of gang termination, budgets and deadlines of updates.

use super::{Case, create, edits};
use crate::good_set::{FRONTEND, GROUP, LEADER, WORKER, at};

pub(super) fn cases() -> Vec<Case> {
    let budgets = [budgets(), coherent_budgets()].concat();
    let deadlines = [deadlines(), deadlines_without_probes()].concat();
    [delays(), of_groups(), budgets, deadlines].concat()
}

const DELAY: &str = "/spec/template/terminationDelay";
const TOLD: &str = "spec.template.terminationDelay";

fn delays() -> Vec<Case> {
    vec![
        create("delay", edits! {DELAY => "4h"}),
        create("no-delay", edits! {DELAY => "0s"}).refused([TOLD]),
        create("negative-delay", edits! {DELAY => "-1h"}).refused([TOLD]),
        create("unreadable-delay", edits! {DELAY => "4 hours"}).refused([TOLD]),
        create("delay-of-less-than-a-second", edits! {DELAY => "900ms"}).refused([TOLD]),
        create("endless-delay", edits! {DELAY => "9999999h"}).refused([TOLD]),
    ]
}

fn of_groups() -> Vec<Case> {
    const OF_GROUP: &str = "spec.template.podCliqueScalingGroups[0].terminationDelay";
    let own = at(GROUP, "terminationDelay");
    vec![
        create("group-delay", edits! {DELAY => "4h", own => "1h30m"}),
        create("group-delay-alone", edits! {own => "1h"}).refused([OF_GROUP]),
        create("no-group-delay", edits! {DELAY => "4h", own => "0s"}).refused([OF_GROUP]),
        create("no-group-delay-alone", edits! {own => "0s"}).refused([OF_GROUP, OF_GROUP]),
    ]
}

fn coherent_budgets() -> Vec<Case> {
    let clique = at(FRONTEND, "rollingUpdate");
    let group = at(GROUP, "rollingUpdate");
    let strategy = "/spec/updateStrategy";
    vec![
        create(
            "coherent-budgets",
            edits! {
                strategy => {"type": "Coherent"},
                clique => {"maxUnavailable": 2, "maxSurge": 2, "partition": 1},
                group => {"maxUnavailable": 2, "maxSurge": 2},
            },
        ),
        create(
            "coherent-budget-of-less-than-a-version",
            edits! {strategy => {"type": "Coherent"}, clique => {"maxUnavailable": 1}},
        )
        .refused(["spec.template.cliques[0].rollingUpdate.maxUnavailable"]),
        create(
            "coherent-surge-of-one",
            edits! {
                strategy => {"type": "Coherent"},
                group => {"maxUnavailable": 0, "maxSurge": 1},
            },
        )
        .refused(["spec.template.podCliqueScalingGroups[0].rollingUpdate.maxUnavailable"]),
        create(
            "partition-of-no-pod",
            edits! {clique => {"partition": (-1)}},
        )
        .refused(["spec.template.cliques[0].rollingUpdate.partition"]),
    ]
}

fn budgets() -> Vec<Case> {
    let clique = at(FRONTEND, "rollingUpdate");
    let group = at(GROUP, "rollingUpdate");
    let strategy = "/spec/updateStrategy";
    vec![
        create(
            "budgets",
            edits! {clique => {"maxUnavailable": 1}, group => {"maxUnavailable": 2}},
        ),
        create(
            "surge-and-no-budget",
            edits! {
                clique => {"maxUnavailable": 0, "maxSurge": 1},
                group => {"maxUnavailable": 0, "maxSurge": 1},
            },
        ),
        create("budget-of-none", edits! {clique => {"maxUnavailable": 0}})
            .refused(["spec.template.cliques[0].rollingUpdate.maxUnavailable"]),
        create(
            "budget-of-more-than-all",
            edits! {clique => {"maxUnavailable": 3}},
        )
        .refused(["spec.template.cliques[0].rollingUpdate.maxUnavailable"]),
        create(
            "group-budget-of-more-than-all",
            edits! {group => {"maxUnavailable": 3}},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].rollingUpdate.maxUnavailable"]),
        create(
            "budget-of-what-is-idle",
            edits! {at(FRONTEND, "spec/replicas") => 0, clique => {"maxUnavailable": 9}},
        ),
        create(
            "budget-of-a-member",
            edits! {"/spec/template/cliques/1/rollingUpdate" => {"maxUnavailable": 1}},
        )
        .refused(["spec.template.cliques[1].rollingUpdate"]),
        create(
            "budget-without-updates",
            edits! {strategy => {"type": "OnDelete"}, clique => {"maxUnavailable": 1}},
        )
        .refused(["spec.template.cliques[0].rollingUpdate"]),
        create(
            "no-budget-without-updates",
            edits! {strategy => {"type": "OnDelete"}},
        ),
    ]
}

fn deadlines() -> Vec<Case> {
    const TOLD: &str = "spec.template.cliques[0].rollingUpdate.progressDeadline";
    let clique = at(FRONTEND, "rollingUpdate");
    vec![
        create("deadline", edits! {clique => {"progressDeadline": "90s"}}),
        create(
            "unreadable-deadline",
            edits! {clique => {"progressDeadline": "soon"}},
        )
        .refused([TOLD]),
        create("no-time", edits! {clique => {"progressDeadline": "0s"}}).refused([TOLD]),
    ]
}

/// Without a readiness probe a new pod counts 10 s after it is Ready.
fn deadlines_without_probes() -> Vec<Case> {
    const TOLD: &str = "spec.template.cliques[0].rollingUpdate.progressDeadline";
    const OF_GROUP: &str = "spec.template.podCliqueScalingGroups[0].rollingUpdate.progressDeadline";
    let (clique, group) = (at(FRONTEND, "rollingUpdate"), at(GROUP, "rollingUpdate"));
    let [front, leader, worker] =
        [FRONTEND, LEADER, WORKER].map(|of| at(of, "spec/podSpec/containers/0/readinessProbe"));
    vec![
        create(
            "deadline-before-a-pod-counts",
            edits! {
                clique => {"progressDeadline": "5s"},
                group => {"progressDeadline": "10s"},
            },
        )
        .warned([TOLD, OF_GROUP]),
        create(
            "deadline-after-a-pod-counts",
            edits! {clique => {"progressDeadline": "11s"}},
        ),
        create(
            "short-deadline-with-probes",
            edits! {
                clique => {"progressDeadline": "5s"},
                group => {"progressDeadline": "5s"},
                front => {"exec": {"command": ["true"]}},
                leader => {"exec": {"command": ["true"]}},
                worker => {"exec": {"command": ["true"]}},
            },
        ),
        create(
            "short-deadline-with-a-probe-of-one-member",
            edits! {
                group => {"progressDeadline": "5s"},
                leader => {"exec": {"command": ["true"]}},
            },
        )
        .warned([OF_GROUP]),
        create(
            "short-deadline-of-pods-that-count-at-once",
            edits! {clique => {"progressDeadline": "5s", "minReadySeconds": 0}},
        ),
        create(
            "short-deadline-of-a-job",
            edits! {"/spec/workloadType" => "Training", clique => {"progressDeadline": "5s"}},
        )
        .warned(["spec.template.cliques[0].rollingUpdate"]),
    ]
}
