//! Defaults of Inference and Training workloads.

use admission::defaults::{DefaultsConfig, apply, apply_on_update};
use api::{GoDuration, PodCliqueSet};
use rstest::rstest;
use serde_json::{Value, json};

fn bare(workload_type: &Value) -> PodCliqueSet {
    serde_json::from_value(json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "llm"},
        "spec": {
            "workloadType": workload_type,
            "template": {
                "cliques": [
                    {"name": "a", "spec": {
                        "roleName": "a", "replicas": 0, "podSpec": {"containers": []},
                        "autoScalingConfig": {"maxReplicas": 5}
                    }},
                    {"name": "b", "spec": {
                        "roleName": "b", "replicas": 3, "podSpec": {"containers": []}
                    }}
                ],
                "podCliqueScalingGroups": [
                    {"name": "g", "cliqueNames": ["b"], "scaleConfig": {"maxReplicas": 5}}
                ]
            }
        }
    }))
    .unwrap()
}

fn configured() -> DefaultsConfig {
    DefaultsConfig {
        termination_delay: Some(GoDuration("4h".into())),
    }
}

#[test]
fn an_inference_workload() {
    let pcs = apply(&bare(&Value::Null), &DefaultsConfig::default());
    insta::assert_json_snapshot!(pcs.spec);
}

#[test]
fn a_training_job() {
    let pcs = apply(&bare(&json!("Training")), &configured());
    insta::assert_json_snapshot!(pcs.spec);
}

#[rstest]
#[case::unset(None, None, None)]
#[case::configured(None, Some("4h"), Some("4h"))]
#[case::own(Some("10s"), Some("4h"), Some("10s"))]
fn the_configured_delay_fills_in(
    #[case] own: Option<&str>,
    #[case] config: Option<&str>,
    #[case] expected: Option<&str>,
) {
    let delay = |text: Option<&str>| text.map(|text| GoDuration(text.into()));
    let mut pcs = bare(&Value::Null);
    pcs.spec.template.termination_delay = delay(own);
    let config = DefaultsConfig {
        termination_delay: delay(config),
    };
    assert_eq!(
        apply(&pcs, &config).spec.template.termination_delay,
        delay(expected)
    );
}

#[rstest]
#[case(json!("Inference"))]
#[case(json!("Training"))]
fn twice_is_once(#[case] workload_type: Value) {
    let once = apply(&bare(&workload_type), &configured());
    assert_eq!(apply(&once, &configured()), once);
}

#[test]
fn written_values_stay() {
    let mut pcs = apply(&bare(&json!("Training")), &configured());
    pcs.spec.template.termination_delay = Some(GoDuration("5m".into()));
    pcs.spec.template.cliques[0].spec.pod_spec.restart_policy = Some("OnFailure".into());
    pcs.spec.template.cliques[1].spec.min_available = Some(2);
    pcs.spec.template.scaling_groups[0].replicas = Some(7);
    assert_eq!(apply(&pcs, &configured()), pcs);
}

#[rstest]
#[case::inference(json!("Inference"), false, true)]
#[case::training_stored_bare(json!("Training"), false, false)]
#[case::training_stored_with_defaults(json!("Training"), true, true)]
fn an_update_leaves_immutable_cliques_as_sent(
    #[case] workload_type: Value,
    #[case] stored_with_defaults: bool,
    #[case] filled_in: bool,
) {
    let mut stored = bare(&workload_type);
    let mut sent = stored.clone();
    if stored_with_defaults {
        stored = apply(&stored, &configured());
    }
    apply_on_update(&stored, &mut sent, &configured());
    let clique = &sent.spec.template.cliques[0].spec;
    assert_eq!(clique.min_available == Some(1), filled_in);
    assert_eq!(clique.pod_spec.restart_policy.is_some(), filled_in);
    assert!(sent.spec.template.termination_delay.is_some());
}
