//! The operator's configuration; a plan reads a part of it.

use std::fs;
use std::path::Path;

use cli::format::Format;
use cli::plan::{PlanArgs, Planned, Rules, Surroundings, plan_new, read_rules};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::tempdir;
use testkit::builders::after;

use super::{clique, set};

fn read(text: &str) -> Result<(), String> {
    rules_of(text).map(drop)
}

fn rules_of(text: &str) -> Result<Rules, String> {
    let folder = tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    fs::write(&file, text).unwrap();
    let args = PlanArgs {
        file: "set.yaml".into(),
        live: false,
        output: Format::Text,
        operator_config: Some(file),
        init_container_image: "grove-initc:1".into(),
    };
    read_rules(&args).map_err(|error| error.to_string())
}

fn chart_values() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../charts/grove/values.yaml");
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_file_that_the_chart_gives_the_operator_is_read() {
    let mut values: Value = serde_saphyr::from_str(&chart_values()).unwrap();
    let mut config = values["config"].take();
    config["apiVersion"] = "operator.config.grove.io/v1alpha1".into();
    config["kind"] = "OperatorConfiguration".into();
    config["watchNamespaces"] = json!(["ml"]);
    let profile = json!({"name": "kai-scheduler", "gangs": "Tree", "config": {}});
    config["scheduler"] = json!({"profiles": [profile], "defaultProfileName": "kai-scheduler"});
    assert_eq!(read(&config.to_string()), Ok(()));
    assert_eq!(
        read("gangScheduling: {scaledGangsWaitFor: BaseScheduled}"),
        Ok(())
    );
}

#[test]
fn templates_of_other_namespaces_are_refused_if_the_file_says_so() {
    let mut file = set(&[clique("a", 1)], &[]);
    let entry = json!({"name": "pool", "namespace": "shared", "scope": "AllReplicas"});
    file["spec"]["template"]["resourceSharing"] = json!([entry]);
    let is_refused = |config: &str, namespace: &str| {
        let (rules, around) = (rules_of(config).unwrap(), Surroundings::default());
        let planned = plan_new(&file, namespace, &rules, &around, after(0)).unwrap();
        matches!(planned, Planned::Refused(_))
    };
    let deny = "resourceSharing: {templatesOfOtherNamespaces: Deny}";
    assert!(is_refused(deny, "default"));
    assert!(!is_refused(deny, "shared"));
    assert!(!is_refused("{}", "default"));
}

/// A plan by the built-in defaults would look like a plan by this file.
#[rstest]
#[case::of_the_chart(&chart_values(), "unknown field `replicaCount`")]
#[case::the_whole_config_map(
    "kind: ConfigMap\ndata: {config.yaml: 'logLevel: info'}",
    "unknown field `data`"
)]
#[case::a_slip(
    "gangScheduling: {scaledGangsWaitsFor: BaseReady}",
    "unknown field `scaledGangsWaitsFor`"
)]
#[case::of_a_scheduler("scheduler: {profile: []}", "unknown field `profile`")]
fn another_file_is_refused(#[case] text: &str, #[case] words: &str) {
    let refusal = read(text).unwrap_err();
    assert!(refusal.contains(words), "{refusal}");
    assert!(
        refusal.ends_with(
            "; give the file that the operator reads: config.yaml in its ConfigMap, the chart's value `config`"
        ),
        "{refusal}"
    );
}
