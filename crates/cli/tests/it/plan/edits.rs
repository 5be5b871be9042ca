//! Edits of a running set.

use cli::plan::{Action, Planned, StoredWorkload, Surroundings, plan_change};
use rstest::{Context, rstest};
use serde_json::{Value, json};
use testkit::builders::after;

use super::cluster::{Cluster, set_ready};
use super::examples::example;
use super::live::change;
use super::{clique, group, rules, set, text, with};

const IMAGE: &str = "/spec/template/cliques/0/spec/podSpec/containers/0/image";

/// Three replicas of a clique `web` of 4 pods, 2 of which may be down, and a group of 3 replicas.
fn service() -> Value {
    let mut web = clique("web", 4);
    web["spec"]["minAvailable"] = json!(2);
    web["rollingUpdate"] = json!({"maxUnavailable": 2});
    let mut set = set(&[web, clique("work", 2)], &[group("work", 3, 1)]);
    set["spec"]["replicas"] = json!(2);
    set
}

fn plan(file: &Value, found: &StoredWorkload) -> Planned {
    let around = Surroundings::default();
    plan_change(file, "default", Some(found), &rules(), &around, after(0)).unwrap()
}

fn told(file: &Value, cluster: &Cluster) -> String {
    let text = text(plan(file, &cluster.found()));
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    text
}

#[rstest]
#[case::image(IMAGE, json!("example/main:2"))]
#[case::image_of_a_group(
    "/spec/template/cliques/1/spec/podSpec/containers/0/image", json!("example/main:2"),
)]
#[case::pods_out("/spec/template/cliques/0/spec/replicas", json!(6))]
#[case::pods_in("/spec/template/cliques/0/spec/replicas", json!(3))]
#[case::group_out("/spec/template/podCliqueScalingGroups/0/replicas", json!(5))]
#[case::group_in("/spec/template/podCliqueScalingGroups/0/replicas", json!(2))]
#[case::group_asleep("/spec/template/podCliqueScalingGroups/0/replicas", json!(0))]
#[case::replicas_out("/spec/replicas", json!(3))]
#[case::replicas_in("/spec/replicas", json!(1))]
#[case::delay("/spec/template/terminationDelay", json!("10m"))]
#[case::label("/metadata/labels", json!({"team": "nlp"}))]
#[case::priority("/spec/template/priorityClassName", json!("high"))]
fn an_edit(#[context] context: Context, #[case] at: &str, #[case] value: Value) {
    let file = service();
    let cluster = Cluster::of(&file);
    let name = context.description.unwrap_or_default().to_owned();
    let text = told(&with(file, at, value), &cluster);
    insta::assert_snapshot!(name, text);
}

#[test]
fn surge_comes_first_and_goes_last() {
    let mut file = service();
    file["spec"]["replicas"] = json!(1);
    let template = &mut file["spec"]["template"];
    template["cliques"][0]["rollingUpdate"] = json!({"maxSurge": 1, "maxUnavailable": 0});
    template["podCliqueScalingGroups"][0]["rollingUpdate"] = json!({"maxSurge": 1});
    let cluster = Cluster::of(&file);
    let mut next = with(file, IMAGE, json!("example/main:2"));
    let of_group = "/spec/template/cliques/1/spec/podSpec/containers/0/image";
    next = with(next, of_group, json!("example/main:2"));
    insta::assert_snapshot!(told(&next, &cluster));
}

#[test]
fn on_delete_restarts_nothing() {
    let mut file = service();
    file["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    let clique = file["spec"]["template"]["cliques"][0].as_object_mut();
    clique.unwrap().remove("rollingUpdate");
    let cluster = Cluster::of(&file);
    let text = told(&with(file, IMAGE, json!("example/main:2")), &cluster);
    insta::assert_snapshot!("on_delete", text);
}

#[test]
fn pods_that_are_not_ready_restart_first() {
    let file = service();
    let cluster = Cluster::of(&file)
        .edit("Pod", "svc-0-web-p2", |pod| set_ready(pod, false))
        .edit("Pod", "svc-1-web-p3", |pod| set_ready(pod, false));
    let edited = with(file, IMAGE, json!("example/main:2"));
    let change = change(&edited, &cluster.found());
    let restarts: Vec<_> = change
        .steps
        .iter()
        .filter(|s| s.action == Action::Restart)
        .collect();
    let pods: Vec<String> = restarts.iter().map(|step| step.pods.join(" ")).collect();
    let pods: Vec<String> = pods
        .iter()
        .map(|pods| pods.replace("svc-", "").replace("-web", ""))
        .collect();
    assert_eq!(pods, ["0-p2 0-p3 0-p1 0-p0", "1-p3 1-p2 1-p1 1-p0"]);
    assert_eq!(restarts[0].not_ready, ["svc-0-web-p2"]);
    assert!(
        restarts.iter().all(|step| step.at_once == Some(2)),
        "{restarts:?}"
    );
}

#[test]
fn an_update_does_not_wait_for_a_group_that_it_does_not_change() {
    let file = service();
    let cluster =
        Cluster::of(&file).edit("Pod", "svc-0-grp-0-work-p0", |pod| set_ready(pod, false));
    let edited = with(file, IMAGE, json!("example/main:2"));
    let change = change(&edited, &cluster.found());
    assert_eq!(change.remains, Vec::<String>::new());
    let restarts = change.steps.iter().filter(|s| s.action == Action::Restart);
    assert_eq!(restarts.count(), 2);
}

#[test]
fn fields_that_left_the_applied_file_are_removed() {
    let file = with(service(), "/spec/template/terminationDelay", json!("10m"));
    let cluster = Cluster::of(&file).edit("PodCliqueSet", "svc", |set| {
        set["metadata"]["labels"] = json!({"by": "somebody"});
    });
    let change = change(&service(), &cluster.found());
    let differences: Vec<_> = change
        .differences
        .iter()
        .map(|d| (&*d.path, &d.after))
        .collect();
    assert_eq!(
        differences,
        [("spec.template.terminationDelay", &Value::Null)]
    );
}

#[test]
fn scaled_replicas_stay_where_the_file_has_none() {
    let mut file = set(&[clique("a", 1)], &[]);
    let cluster = Cluster::of(&file);
    file["spec"].as_object_mut().unwrap().remove("replicas");
    let cluster = cluster.edit("PodCliqueSet", "svc", |set| {
        set["metadata"]["annotations"] = json!({});
    });
    assert!(!change(&file, &cluster.found()).is_changed);
}

#[test]
fn a_job_cannot_be_changed() {
    let file = example("training-pytorch.yaml");
    let cluster = Cluster::of(&file);
    let edited = with(file, "/spec/template/cliques/1/spec/replicas", json!(3));
    insta::assert_snapshot!("job", told(&edited, &cluster));
}

#[test]
fn a_set_on_its_way_out_cannot_be_planned() {
    let file = service();
    let cluster = Cluster::of(&file).edit("PodCliqueSet", "svc", |set| {
        set["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    });
    let (found, around) = (cluster.found(), Surroundings::default());
    let planned = plan_change(&file, "default", Some(&found), &rules(), &around, after(0));
    let failure = planned.unwrap_err();
    assert!(
        failure.to_string().contains("is being deleted"),
        "{failure}"
    );
}

#[test]
fn two_plans_of_an_edit_are_equal() {
    let file = service();
    let found = Cluster::of(&file).found();
    let edited = with(
        with(file, IMAGE, json!("example/main:2")),
        "/spec/replicas",
        json!(3),
    );
    assert_eq!(change(&edited, &found), change(&edited, &found));
}

#[test]
fn a_refused_file_has_no_steps() {
    let file = service();
    let edited = with(
        file.clone(),
        "/spec/template/cliques/0/name",
        json!("other"),
    );
    let planned = plan(&edited, &Cluster::of(&file).found());
    assert!(matches!(planned, Planned::Refused(_)), "{planned:?}");
}
