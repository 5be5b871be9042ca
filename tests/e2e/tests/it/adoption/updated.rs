//! A new template for a set of the Go operator.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::adopted::{expect_gangs, expect_kept, uids};
use super::left::Left;
use super::running::fill;
use super::underway::end_again_and_again;
use super::{adopt, patch, runs, stopped};
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::requests::Requests;
use crate::harness::{Seen, condition, same};

/// Pods of the Go operator have no version.
pub const WATCHED: Watched = Watched {
    clique: "router",
    group: "model",
    pods_of_unit: 3,
    old: "",
};

pub const CLIQUES: usize = 3;
const ROUTER: &str = "/spec/template/cliques/0";

/// Gives pods of the first cliques of the template version 2, and a readiness probe, with which a
/// new pod counts as soon as it is Ready.
pub fn version(cliques: usize) -> Vec<Value> {
    let probe = json!({"exec": {"command": ["true"]}});
    (0..cliques)
        .map(|i| format!("/spec/template/cliques/{i}"))
        .flat_map(|at| {
            let version = format!("{at}/annotations/example.com~1version");
            let probed = format!("{at}/spec/podSpec/containers/0/readinessProbe");
            [
                json!({"op": "add", "path": version, "value": "2"}),
                json!({"op": "add", "path": probed, "value": probe}),
            ]
        })
        .collect()
}

/// That many pods run, that many of them with version 2, and the update has ended.
pub fn ended(seen: &Seen, pods: usize, updated: usize) -> Result<(), String> {
    seen.expect_ready_pods(pods)?;
    let all = seen.all("Pod").into_iter();
    let new = all.filter(|pod| pod["metadata"]["annotations"]["example.com/version"] == "2");
    same("pods of version 2", &new.count(), &updated)?;
    let set = &seen.one("PodCliqueSet", "llm")?["status"];
    same("updated", &set["updatedReplicas"], &json!(1))?;
    same("available", &set["availableReplicas"], &json!(1))?;
    let end = &set["updateProgress"]["updateEndedAt"];
    same("whether it ended", &end.is_string(), &true)?;
    expect_gangs(seen, &["llm-0", "llm-0-model-0", "llm-0-model-1"])
}

/// Two routers, one of them required, and three group replicas, one of them required.
#[test]
fn it_is_completed_however_often_the_operator_ends() {
    let lane = stopped("adopt-rolled-killed");
    let ns = lane.namespace();
    adopt(&lane, &ns);
    lane.operator.kill();
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    patch(&ns, &json!(version(CLIQUES)));
    end_again_and_again(&lane, &ns, |seen| ended(seen, 11, 11));
    lane.operator.start_again().unwrap();
    ns.until("version 2 runs", |seen| ended(seen, 11, 11));
    history.catch_up(&ns);
    let course = Course::of(history.moments(), WATCHED);
    assert_eq!(course.going.len(), 11, "each was replaced once");
    assert_eq!((course.fewest, course.fewest_units), (1, 2));
    assert_eq!(history.slots_held_by_more_than(2), BTreeSet::new());
}

#[test]
fn it_takes_five_requests_for_each_pod() {
    const ROUTERS: usize = 100;
    let lane = stopped("adopt-rolled-counted");
    let ns = lane.namespace();
    let left = Left::new(&ns, 3, |set| {
        set["spec"]["template"]["cliques"][0]["spec"]["replicas"] = json!(ROUTERS);
    });
    fill(&left);
    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| runs(seen, 3, 9 + ROUTERS));
    let before = Requests::of(&lane.operator).unwrap();

    let mut operations = version(1);
    let budget = json!({"maxUnavailable": 10});
    operations
        .push(json!({"op": "add", "path": format!("{ROUTER}/rollingUpdate"), "value": budget}));
    patch(&ns, &json!(operations));
    ns.until("version 2 runs", |seen| ended(seen, 9 + ROUTERS, ROUTERS));
    let after = Requests::of(&lane.operator).unwrap();
    let main = after.count_main() - before.count_main();
    let range = 3 * ROUTERS..=51 * ROUTERS / 10;
    assert!(
        range.contains(&main),
        "{main} requests, not {range:?}: {after:?}"
    );
}

#[test]
fn an_unschedulable_update_stops_is_reported_and_recovers() {
    let lane = stopped("adopt-stuck");
    let ns = lane.namespace();
    adopt(&lane, &ns);
    let before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    let selector = format!("{ROUTER}/spec/podSpec/nodeSelector");
    let budget = json!({"maxUnavailable": 1, "progressDeadline": "3s"});
    patch(
        &ns,
        &json!([
            {"op": "add", "path": selector, "value": {"example.com/nowhere": "true"}},
            {"op": "add", "path": format!("{ROUTER}/rollingUpdate"), "value": budget},
        ]),
    );
    ns.until("it is reported", |seen| {
        let router = seen.one("PodClique", "llm-0-router")?;
        same("Ready pods", &router["status"]["readyReplicas"], &1.into())?;
        let update = condition(seen.one("PodCliqueSet", "llm")?, "UpdateInProgress");
        same(
            "update",
            &update.as_str(),
            &"Unknown/ProgressDeadlineExceeded",
        )
    });
    patch(&ns, &json!([{"op": "remove", "path": selector}]));
    ns.until("the old template is back", |seen| ended(seen, 11, 0));
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted().len(), 1, "within the budget");
    let mut kept = before;
    kept.retain(|object, _| !object.starts_with("Pod/llm-0-router"));
    expect_kept(&ns.look().unwrap(), &kept).unwrap();
}
