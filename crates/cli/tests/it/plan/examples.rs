//! The examples.

use std::path::Path;

use cli::manifest::read_manifest;
use cli::plan::Surroundings;
use rstest::rstest;
use serde_json::{Value, json};

use super::{outline, planned, planned_in, text};

/// The set of an example.
pub fn example(name: &str) -> Value {
    let mut objects = objects_of(name).into_iter();
    objects.find(|o| o["kind"] == "PodCliqueSet").unwrap()
}

/// All objects of an example.
pub fn objects_of(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    read_manifest(&folder.join(name)).unwrap()
}

#[rstest]
#[case("autoscaling")]
#[case("coherent")]
#[case("devices")]
#[case("disaggregated")]
#[case("hpa-and-keda")]
#[case("jax")]
#[case("kai-queue")]
#[case("kueue-gate")]
#[case("mnnvl")]
#[case("prefill-decode")]
#[case("queue")]
#[case("quickstart")]
#[case("sglang-multinode")]
#[case("start-order")]
#[case("suspend-and-ttl")]
#[case("tensorrt-llm-mpi")]
#[case("topology")]
#[case("torchrun-elastic")]
#[case("train-and-resume")]
#[case("training-pytorch")]
#[case("vllm-multinode")]
#[case("schedulers/kai-scheduler")]
#[case("schedulers/kubernetes")]
#[case("schedulers/volcano")]
fn each_example_is_planned(#[case] name: &str) {
    let file = format!("{name}.yaml");
    let around = Surroundings::of_file(&objects_of(&file)).unwrap();
    let text = text(planned_in(&example(&file), &around));
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(name.replace('/', "-"), text);
}

#[rstest]
#[case("autoscaling")]
#[case("disaggregated")]
#[case("start-order")]
#[case("training-pytorch")]
fn two_plans_of_an_example_are_equal(#[case] name: &str) {
    let set = example(&format!("{name}.yaml"));
    assert_eq!(planned(&set), planned(&set));
}

#[test]
fn objects_are_complete_except_unknown_fields() {
    let set = example("start-order.yaml");
    let objects = outline(&set).objects;
    let of = |kind: &str, name: &str| {
        let is_it = |o: &&Value| o["kind"] == kind && o["metadata"]["name"] == name;
        objects.iter().find(is_it).unwrap().clone()
    };
    let pod = of("Pod", "start-order-0-model-0-worker-?????");
    insta::assert_json_snapshot!("pod", pod);
    insta::assert_json_snapshot!("podclique", of("PodClique", "start-order-0-model-0-worker"));
    insta::assert_json_snapshot!("podgang", of("PodGang", "start-order-0"));
    insta::assert_json_snapshot!("service", of("Service", "start-order-0"));
    let kinds = |kind: &str| objects.iter().filter(|o| o["kind"] == kind).count();
    let counts = [
        "PodCliqueScalingGroup",
        "PodClique",
        "PodGang",
        "Service",
        "Pod",
    ]
    .map(kinds);
    assert_eq!(counts, [1, 7, 2, 1, 11]);
}

#[test]
fn a_suspended_set_is_planned_as_if_it_were_resumed() {
    let mut set = example("quickstart.yaml");
    let pods = outline(&set).pods();
    set["spec"]["suspend"] = json!(true);
    let suspended = outline(&set);
    assert_eq!(suspended.pods(), pods);
    let assumed = suspended.assumptions.join("\n");
    assert!(assumed.contains("spec.suspend"), "{assumed}");
}
