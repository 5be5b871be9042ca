//! The operator's configuration; a plan reads a part of it.

use std::fs;
use std::path::Path;

use cli::format::Format;
use cli::plan::{PlanArgs, read_rules};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::tempdir;

fn read(text: &str) -> Result<(), String> {
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
    read_rules(&args)
        .map(drop)
        .map_err(|error| error.to_string())
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
