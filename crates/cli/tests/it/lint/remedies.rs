//! Remedies that depend on the part of the set.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{FRONTEND, GROUP, at, edited};

use super::rules::remarks;
use super::{lint, said};

/// With the probe of its leader a worker would never be Ready.
#[test]
fn a_worker_needs_no_probe() {
    let resources = at(FRONTEND, "spec/podSpec/containers/0/resources");
    let gpu = json!({"limits": {"nvidia.com/gpu": "1"}});
    assert_eq!(
        remarks("gpu-without-readiness-probe", &[(&resources, gpu)]),
        [
            "spec.template.cliques[0].spec.podSpec.containers[0].readinessProbe: container main has GPUs and \
             no readiness probe, so it is Ready as soon as it runs; if it serves requests, add a probe of the \
             port on which it does; a worker that serves none needs no probe (--ignore \
             gpu-without-readiness-probe)"
        ]
    );
}

/// `minAvailable` has a default that nobody wrote, and `minReplicas` holds the count as well.
#[test]
fn an_autoscaler_scales_in_with_the_remedy() {
    let (autoscaler, minimum) = (
        at(FRONTEND, "spec/autoScalingConfig"),
        at(FRONTEND, "spec/minAvailable"),
    );
    let config = json!({"minReplicas": 2, "maxReplicas": 5});
    assert_eq!(
        remarks("autoscaler-cannot-scale-in", &[(&autoscaler, config)]),
        [
            "spec.template.cliques[0].spec.minAvailable: 2: is all of replicas (the default), so the autoscaler \
             never goes below 2; write minAvailable: 1 and autoScalingConfig.minReplicas: 1 (now 2), or the \
             smallest counts that work"
        ]
    );
    let remedied = [
        (&*minimum, json!(1)),
        (&*autoscaler, json!({"minReplicas": 1, "maxReplicas": 5})),
    ];
    assert_eq!(remarks("autoscaler-cannot-scale-in", &remedied), [""; 0]);
}

/// The error about `minReplicas` says the rest.
#[test]
fn of_two_floors_only_the_one_that_holds_is_named() {
    let autoscaler = at(FRONTEND, "spec/autoScalingConfig");
    let config = json!({"minReplicas": 1, "maxReplicas": 5});
    let report = lint(&edited(&[(&autoscaler, config)]).to_string());
    let told = said(&report, &["autoscaler-cannot-scale-in"]);
    let remedy = "; write minAvailable: 1, or the smallest count that works";
    assert!(told[0].ends_with(remedy), "{told:?}");
}

const SHARED: &str = "resourceSharing";

/// Two GiB beside eight GPUs would silence the warning and starve the server.
#[rstest]
#[case::own(at(FRONTEND, "spec/podSpec/resourceClaims"), json!([{"name": "gpu", "resourceClaimTemplateName": "gpu"}]), 1)]
#[case::of_the_clique(at(FRONTEND, SHARED), json!([{"name": "gpu", "scope": "PerReplica", "namespace": "default"}]), 1)]
#[case::of_the_set(at("/spec/template", SHARED), json!([{"name": "gpu", "scope": "AllReplicas", "namespace": "default"}]), 3)]
#[case::of_the_group(at(GROUP, SHARED), json!([{"name": "gpu", "scope": "AllReplicas", "namespace": "default"}]), 2)]
#[case::none("/metadata/labels".to_owned(), json!({}), 0)]
fn a_container_with_devices_gets_no_example(
    #[case] at: String,
    #[case] value: Value,
    #[case] expected: usize,
) {
    let found = remarks("no-requests", &[(&at, value)]);
    assert_eq!(found.len(), 3, "{found:?}");
    let words = "container main requests no cpu and no memory, and devices of claims are no requests; set \
                 requests with the cpu and memory that it needs beside its devices";
    let adapted = found.iter().filter(|remark| remark.ends_with(words));
    assert_eq!(adapted.count(), expected, "{found:?}");
}

/// `{...}` of an example is a map with the key `...`.
#[test]
fn fields_that_an_example_leaves_out_are_to_be_written() {
    let text = edited(&[(&at(FRONTEND, "spec/podSpec"), json!({"...": null}))]).to_string();
    let found = said(&lint(&text), &["unknown-field"]);
    let words = ": spec.template.cliques[0].spec.podSpec: `...` stands for fields that an example leaves out; \
                 write your own fields instead";
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(words), "{found:?}");
}
