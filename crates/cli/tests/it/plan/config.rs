//! The operator's configuration; a plan reads a part of it.

use std::fs;
use std::path::Path;

use cli::format::Format;
use cli::plan::{PlanArgs, Planned, Rules, Surroundings, plan_change, plan_new, read_rules};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::tempdir;
use testkit::builders::after;

use super::cluster::Cluster;
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
    let other = json!({
        "name": "kueue",
        "backend": "kubernetes",
        "schedulerName": "default-scheduler",
        "requiresQueue": true,
    });
    let profiles = json!([profile, other]);
    config["scheduler"] = json!({"profiles": profiles, "defaultProfileName": "kai-scheduler"});
    assert_eq!(read(&config.to_string()), Ok(()));
    assert_eq!(
        read("gangScheduling: {scaledGangsWaitFor: BaseScheduled}"),
        Ok(())
    );
}

const DENY: &str = "resourceSharing: {templatesOfOtherNamespaces: Deny}";

/// A set with a claim from a template of namespace `shared`.
fn sharing() -> Value {
    let mut file = set(&[clique("a", 1)], &[]);
    let entry = json!({"name": "pool", "namespace": "shared", "scope": "AllReplicas"});
    file["spec"]["template"]["resourceSharing"] = json!([entry]);
    file
}

#[test]
fn templates_of_other_namespaces_are_refused_if_the_file_says_so() {
    let file = sharing();
    let is_refused = |config: &str, namespace: &str| {
        let (rules, around) = (rules_of(config).unwrap(), Surroundings::default());
        let planned = plan_new(&file, namespace, &rules, &around, after(0)).unwrap();
        matches!(planned, Planned::Refused(_))
    };
    assert!(is_refused(DENY, "default"));
    assert!(!is_refused(DENY, "shared"));
    assert!(!is_refused("{}", "default"));
}

/// The set was stored while they were allowed.
#[rstest]
#[case::denied(DENY, true)]
#[case::allowed("resourceSharing: {templatesOfOtherNamespaces: Allow}", false)]
#[case::by_default("{}", false)]
fn a_stored_set_that_names_a_forbidden_template_is_warned_of_it(
    #[case] config: &str,
    #[case] is_forbidden: bool,
) {
    let file = sharing();
    let (rules, around) = (rules_of(config).unwrap(), Surroundings::default());
    let found = Cluster::of(&file).found();
    let planned = plan_change(&file, "default", Some(&found), &rules, &around, after(0)).unwrap();
    let Planned::Changed(change) = &planned else {
        panic!("{planned:?}");
    };
    let warned = change.warnings.join("\n");
    let assumed = change.after.assumptions.join("\n");
    let words = "ResourceClaimTemplate shared/pool is forbidden: the operator's configuration has \
                 resourceSharing.templatesOfOtherNamespaces: Deny";
    assert_eq!(warned.contains(words), is_forbidden, "{warned}");
    let exists = "ResourceClaimTemplate shared/pool exists";
    assert_eq!(assumed.contains(exists), !is_forbidden, "{assumed}");
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
