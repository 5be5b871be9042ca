//! A cluster that equals the file.

use cli::plan::{Change, Planned, StoredWorkload, Surroundings, plan_change};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;

use super::cluster::Cluster;
use super::examples::example;
use super::{clique, group, rules, set};

/// The changes that applying the file makes.
pub fn change(file: &Value, found: &StoredWorkload) -> Change {
    change_in(file, found, &Surroundings::default())
}

/// In a cluster with these bindings and nodes.
pub fn change_in(file: &Value, found: &StoredWorkload, around: &Surroundings) -> Change {
    match plan_change(file, "default", Some(found), &rules(), around, after(0)).unwrap() {
        Planned::Changed(change) => *change,
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case(example("autoscaling.yaml"))]
#[case(example("disaggregated.yaml"))]
#[case(example("start-order.yaml"))]
#[case(example("training-pytorch.yaml"))]
#[case(example("schedulers/kai-scheduler.yaml"))]
#[case(example("schedulers/kubernetes.yaml"))]
#[case(set(&[clique("a", 0), clique("b", 2)], &[group("a", 0, 1)]))]
fn nothing_happens_where_all_is_as_in_the_file(#[case] file: Value) {
    let change = change(&file, &Cluster::of(&file).found());
    assert!(!change.is_changed, "{:?}", change.differences);
    assert_eq!(change.steps, []);
    assert_eq!(change.remains, [""; 0]);
}

#[test]
fn defaults_that_the_webhook_has_filled_in_are_no_difference() {
    let file = set(&[clique("a", 2)], &[]);
    let cluster = Cluster::of(&file).edit("PodCliqueSet", "svc", |set| {
        set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeAnyOrder");
        set["spec"]["template"]["cliques"][0]["spec"]["minAvailable"] = json!(2);
        set["spec"]["workloadType"] = json!("Inference");
    });
    let change = change(&file, &cluster.found());
    assert!(!change.is_changed, "{:?}", change.differences);
}

#[test]
fn work_that_the_operator_does_anyway_is_no_difference() {
    let file = set(&[clique("a", 2)], &[]);
    let cluster = Cluster::of(&file).edit("Pod", "svc-0-a-p1", |pod| {
        pod["status"]["phase"] = json!("Failed");
    });
    let change = change(&file, &cluster.found());
    assert!(!change.is_changed);
    let steps: Vec<_> = change
        .steps
        .iter()
        .map(|s| (&*s.kind, &*s.name, s.is_under_way))
        .collect();
    assert_eq!(steps, [("Pod", "svc-0-a-p1", true)]);
}

/// A pod that ended again and again is replaced later: the plan waits for that.
#[test]
fn time_passes_where_a_pod_waits_for_its_successor() {
    let file = set(&[clique("a", 2)], &[]);
    let cluster = Cluster::of(&file).edit("Pod", "svc-0-a-p1", |pod| {
        pod["metadata"]["annotations"] = json!({"grove.io/pod-failure-count": "3"});
        pod["status"]["phase"] = json!("Failed");
        pod["status"]["containerStatuses"][0]["state"] = json!({"terminated": {
            "exitCode": 1, "finishedAt": "2025-12-31T23:59:55Z",
        }});
    });
    let change = change(&file, &cluster.found());
    let steps: Vec<_> = change.steps.iter().map(|step| &*step.name).collect();
    assert_eq!(steps, ["svc-0-a-p1"]);
}

#[test]
fn all_of_a_set_that_is_not_there_is_created() {
    let file = set(&[clique("a", 2)], &[]);
    let around = Surroundings::default();
    let planned = plan_change(&file, "default", None, &rules(), &around, after(0)).unwrap();
    let Planned::Changed(change) = &planned else {
        panic!("{planned:?}");
    };
    assert!(change.is_new && change.is_changed);
    assert_eq!(change.after.pods(), 2);
    insta::assert_snapshot!("new", super::text(planned));
}
