//! Sets of all shapes.

use std::sync::Arc;

use cli::plan::{Planned, Surroundings, plan_new};
use domain::scheduling::{Backend, DEFAULT_SCHEDULER, Profiles};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;

use super::{clique, group, outline, planned, rules, set, text, with};

/// Gangs as `name: guaranteed+best effort < base`.
fn gangs(set: &Value) -> Vec<String> {
    let gangs = outline(set).gangs.into_iter();
    let described = gangs.map(|gang| {
        let base = gang
            .waits_for
            .map_or(String::new(), |base| format!(" < {base}"));
        let (guaranteed, rest) = (gang.guaranteed_pods, gang.best_effort_pods);
        format!("{}: {guaranteed}+{rest}{base}", gang.name)
    });
    described.collect()
}

#[rstest]
#[case::standalone(set(&[clique("a", 3)], &[]), &["svc-0: 3+0"])]
#[case::optional_pods(
    with(set(&[clique("a", 3)], &[]), "/spec/template/cliques/0/spec/minAvailable", json!(1)),
    &["svc-0: 1+2"]
)]
#[case::scaled_gangs(
    set(&[clique("a", 2)], &[group("a", 4, 2)]),
    &["svc-0: 4+0", "svc-0-grp-0: 2+0 < svc-0", "svc-0-grp-1: 2+0 < svc-0"]
)]
#[case::replicas(
    with(set(&[clique("a", 1)], &[group("a", 2, 1)]), "/spec/replicas", json!(2)),
    &[
        "svc-0: 1+0", "svc-0-grp-0: 1+0 < svc-0",
        "svc-1: 1+0", "svc-1-grp-0: 1+0 < svc-1",
    ]
)]
#[case::idle_clique(
    set(&[clique("a", 0), clique("b", 2)], &[]), &["svc-0: 2+0"]
)]
#[case::asleep(set(&[clique("a", 0)], &[]), &[])]
#[case::idle_group(
    set(&[clique("a", 2), clique("b", 1)], &[group("a", 0, 1)]), &["svc-0: 1+0"]
)]
#[case::nothing(with(set(&[clique("a", 1)], &[]), "/spec/replicas", json!(0)), &[])]
fn the_gangs_of(#[case] set: Value, #[case] expected: &[&str]) {
    assert_eq!(gangs(&set), expected);
}

/// The default scheduler knows gangs by a profile only, and a single pod is no part of anything.
#[rstest]
#[case::two_pods(2, None, true)]
#[case::a_single_pod(1, None, false)]
#[case::with_a_profile(2, Some(Backend::Kubernetes), false)]
fn plans_say_that_a_gang_may_start_in_part(
    #[case] pods: u32,
    #[case] backend: Option<Backend>,
    #[case] expected: bool,
) {
    let mut rules = rules();
    if let Some(backend) = backend {
        let profile = (DEFAULT_SCHEDULER.to_owned(), backend);
        let profiles = Arc::new(Profiles::of([profile]));
        rules.sets.profiles = profiles.clone();
        rules.cliques.profiles = profiles.clone();
        rules.gangs.profiles = profiles;
    }
    let (set, around) = (set(&[clique("a", pods)], &[]), Surroundings::default());
    let planned = plan_new(&set, "default", &rules, &around, after(0)).unwrap();
    let text = text(planned);
    assert_eq!(text.contains("places pods one by one"), expected, "{text}");
}

#[test]
fn idle_cliques_exist_without_pods() {
    let outline = outline(&set(&[clique("a", 0), clique("b", 1)], &[]));
    let cliques = outline.podcliques.iter();
    let described: Vec<_> = cliques
        .map(|c| (&*c.name, c.hostnames.len(), c.gang.is_some()))
        .collect();
    assert_eq!(described, [("svc-0-a", 0, false), ("svc-0-b", 1, true)]);
}

#[test]
fn pods_start_in_the_order_of_the_file() {
    let cliques = [clique("a", 2), clique("b", 1), clique("c", 1)];
    let mut set = set(&cliques, &[]);
    set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    let outline = outline(&set);
    let order = outline.podcliques.iter().map(|clique| {
        let pairs = clique.starts_after.iter();
        let pairs: Vec<String> = pairs
            .map(|p| format!("{}:{}", p.podclique, p.pods))
            .collect();
        format!("{} after {}", clique.name, pairs.join(","))
    });
    assert_eq!(
        order.collect::<Vec<_>>(),
        [
            "svc-0-a after ",
            "svc-0-b after svc-0-a:2",
            "svc-0-c after svc-0-b:1"
        ]
    );
}

#[test]
fn a_job_has_its_own_defaults() {
    let mut set = set(&[clique("a", 2)], &[]);
    set["spec"]["workloadType"] = json!("Training");
    let outline = outline(&set);
    assert_eq!(outline.workload_type, "Training");
    let pod = outline.objects.iter().find(|o| o["kind"] == "Pod").unwrap();
    assert_eq!(pod["spec"]["restartPolicy"], json!("Never"));
}

/// One line each says what no gang shows.
#[test]
fn settings_of_jobs_and_updates_are_shown() {
    let mut job = set(&[clique("a", 2)], &[]);
    job["spec"]["workloadType"] = json!("Training");
    let said = text(planned(&job));
    let line = "\njob: maxRestarts 0, no maxRuntime, no ttlAfterFinished\n";
    assert!(said.contains(line), "{said}");
    let mut service = set(&[clique("a", 2)], &[]);
    assert!(!text(planned(&service)).contains("update:"));
    service["spec"]["updateStrategy"] =
        json!({"type": "RollingRecreate", "partition": 1, "paused": true});
    service["spec"]["template"]["cliques"][0]["rollingUpdate"] =
        json!({"maxSurge": 1, "maxUnavailable": 0, "minReadySeconds": 9});
    let said = text(planned(&service));
    let lines = "\nupdate: RollingRecreate, partition 1, paused; a: maxSurge 1, \
                 maxUnavailable 0,\n        minReadySeconds 9\n";
    assert!(said.contains(lines), "{said}");
}

#[test]
fn a_refused_set_has_path_and_remedy() {
    let mut set = set(&[clique("a", 2)], &[group("b", 1, 1)]);
    set["spec"]["template"]["cliques"][0]["spec"]["minAvailable"] = json!(3);
    insta::assert_snapshot!("refused", text(planned(&set)));
}

#[test]
fn fields_that_do_not_exist_are_warned_of() {
    let mut set = set(&[clique("a", 1)], &[]);
    set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0]["imagee"] =
        json!("x");
    set["spec"]["gangs"] = json!(true);
    let warnings = outline(&set).warnings;
    let paths: Vec<&str> = warnings
        .iter()
        .filter_map(|w| w.split(": ").next())
        .collect();
    let container = "spec.template.cliques[0].spec.podSpec.containers[0].imagee";
    assert_eq!(paths, ["spec.gangs", container]);
}

/// Nothing in a file is a bug of the plan: pods that the API server refuses are a warning.
#[rstest]
#[case::no_image(json!({"name": "main"}), "image: not set: container main needs an image")]
#[case::a_name(json!({"name": "Main", "image": "a:1"}), "name: \"Main\": must be a DNS label")]
fn pods_that_would_be_refused_are_warned_of(#[case] container: Value, #[case] words: &str) {
    let mut set = set(&[clique("a", 1)], &[]);
    set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"] = json!([container]);
    let outline = outline(&set);
    let at = "spec.template.cliques[0].spec.podSpec.containers[0].";
    let is_it = |warning: &String| warning.starts_with(&format!("{at}{words}"));
    assert!(outline.warnings.iter().any(is_it), "{:?}", outline.warnings);
    assert_eq!(outline.pods(), 1);
}

#[test]
fn a_set_without_replicas_is_warned_of() {
    let set = with(set(&[clique("a", 1)], &[]), "/spec/replicas", Value::Null);
    let warnings = outline(&set).warnings;
    assert!(
        warnings[0].starts_with("spec.replicas: is 0"),
        "{warnings:?}"
    );
}

#[rstest]
#[case::wrong_type("/spec/replicas", json!("two"), "spec.replicas")]
#[case::no_name("/metadata/name", Value::Null, "metadata.name")]
fn other_objects_cannot_be_used(#[case] at: &str, #[case] value: Value, #[case] told: &str) {
    let set = with(set(&[clique("a", 1)], &[]), at, value);
    let around = Surroundings::default();
    let failure = plan_new(&set, "default", &rules(), &around, after(0)).unwrap_err();
    assert!(failure.to_string().contains(told), "{failure}");
    assert_eq!(failure.exit() as u8, 2);
}

#[test]
fn a_large_set_is_planned() {
    let mut set = set(&[clique("a", 4)], &[group("a", 20, 1)]);
    set["spec"]["replicas"] = json!(5);
    let Planned::New(outline) = planned(&set) else {
        panic!("refused");
    };
    assert_eq!((outline.gangs.len(), outline.pods()), (100, 400));
}
