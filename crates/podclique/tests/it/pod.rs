//! The pod object.

use api::labels;
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSchedulingGate};
use testkit::builders::podclique;

#[test]
fn has_every_label_variable_and_gate() {
    let clique = podclique("demo-0-worker")
        .with(|c| {
            let annotations = c.metadata.annotations.as_mut().unwrap();
            annotations.insert("example.com/note".into(), "kept".into());
            let spec = &mut c.spec.pod_spec;
            spec.scheduling_gates = Some(vec![PodSchedulingGate {
                name: "example.com/quota".into(),
            }]);
            spec.containers[0].env = Some(vec![
                EnvVar {
                    name: "GROVE_PCS_NAME".into(),
                    value: Some("users".into()),
                    value_from: None,
                },
                EnvVar {
                    name: "MODEL".into(),
                    value: Some("llama".into()),
                    value_from: None,
                },
            ]);
            spec.init_containers = Some(vec![Container {
                name: "init".into(),
                ..Container::default()
            }]);
        })
        .build();
    let pod = domain::workload::pod::build_pod(
        &clique,
        "demo",
        2,
        "demo-0-worker-xxxxx".into(),
        "high",
        0,
    );
    assert_snapshot!(serde_json::to_string_pretty(&pod).unwrap());
}

#[test]
fn keeps_the_account_and_priority_that_the_template_names() {
    let clique = podclique("demo-0-worker")
        .with(|c| {
            c.spec.pod_spec.service_account_name = Some("own".into());
            c.spec.pod_spec.priority_class_name = Some("own".into());
        })
        .build();
    let spec = domain::workload::pod::build_pod(&clique, "demo", 0, "p".into(), "", 0)
        .spec
        .unwrap();
    assert_eq!(spec.service_account_name.as_deref(), Some("own"));
    assert_eq!(spec.priority_class_name.as_deref(), Some("own"));
}

/// No account is created for it, and the template decides whether it gets a token (decision 5).
#[test]
fn runs_as_the_template_or_the_namespace_says() {
    for automount in [None, Some(true), Some(false)] {
        let clique = podclique("demo-0-worker")
            .with(|c| c.spec.pod_spec.automount_service_account_token = automount)
            .build();
        let pod = domain::workload::pod::build_pod(&clique, "demo", 0, "p".into(), "", 0);
        let spec = pod.spec.unwrap();
        assert_eq!(spec.service_account_name, None);
        assert_eq!(spec.service_account, None);
        assert_eq!(spec.automount_service_account_token, automount);
    }
}

#[test]
fn carries_no_book_keeping_of_the_operator() {
    let clique = podclique("demo-0-worker").build();
    let pod = domain::workload::pod::build_pod(&clique, "demo", 0, "p".into(), "", 0);
    let annotations = pod.metadata.annotations.unwrap_or_default();
    assert!(!annotations.contains_key(labels::TEMPLATE_REPLICAS));
}

/// Its address and rank never change, also when the label is edited.
#[test]
fn is_of_the_replica_that_its_podclique_is_named_after() {
    let clique = podclique("demo-1-worker")
        .with(|c| {
            let all = c.metadata.labels.as_mut().unwrap();
            all.insert(labels::PCS_REPLICA_INDEX.into(), "edited".into());
        })
        .build();
    let pod =
        domain::workload::pod::build_pod(&clique, "demo", 0, "demo-1-worker-xxxxx".into(), "", 0);
    let subdomain = pod.spec.unwrap().subdomain;
    assert_eq!(subdomain.as_deref(), Some("demo-1"));
}

/// A user edited labels of the PodClique a moment ago: rank and address of a pod never change.
#[test]
fn takes_its_place_from_names_and_not_from_labels() {
    let clique = podclique("demo-1-g-3-worker")
        .with(|c| {
            let owner = &mut c.metadata.owner_references.as_mut().unwrap()[0];
            owner.kind = "PodCliqueScalingGroup".into();
            owner.name = "demo-1-g".into();
            let all = c.metadata.labels.as_mut().unwrap();
            all.insert(labels::SCALING_GROUP_REPLICA_INDEX.into(), "7".into());
            all.insert(labels::ATTEMPT.into(), "9".into());
            let noted = c.metadata.annotations.as_mut().unwrap();
            noted.insert(labels::ATTEMPT.into(), "0".into());
            noted.insert(labels::GROUP_ATTEMPT.into(), "2".into());
        })
        .build();
    let all = domain::workload::pod::labels_of(&clique, "demo", 0);
    assert_eq!(all[labels::PCS_REPLICA_INDEX], "1");
    assert_eq!(all[labels::SCALING_GROUP_REPLICA_INDEX], "3");
    assert_eq!(all.get(labels::ATTEMPT), None);
    assert_eq!(all[labels::GROUP_ATTEMPT], "2");
}
