//! Hashes, and the changes that do or do not affect them. The fixed strings are a promise: if one
//! changes, an upgrade of the operator restarts every workload, and the version prefix has to
//! change too.

mod canonical;

use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use domain::workload::hash::{
    generation_hash, is_ours, pod_spec_hash, pod_template_hash, pod_template_hashes,
};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

fn clique() -> Value {
    json!({
        "name": "worker",
        "labels": {"app": "llm", "tier": "gpu"},
        "annotations": {"team": "serving"},
        "spec": {
            "roleName": "worker",
            "replicas": 4,
            "podSpec": {
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.local:5000/llm:1.2",
                        "args": ["--port", "8000"],
                        "ports": [
                            {"containerPort": 8000, "name": "http"},
                            {"containerPort": 53, "protocol": "UDP"},
                            {"containerPort": 53}
                        ],
                        "env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}],
                        "resources": {"limits": {"nvidia.com/gpu": "8", "memory": "1Gi"}},
                        "volumeMounts": [
                            {"name": "shm", "mountPath": "/dev/shm"},
                            {"name": "models", "mountPath": "/models"}
                        ],
                        "readinessProbe": {"httpGet": {"port": 8000, "path": "/health"}}
                    },
                    {"name": "proxy", "image": "proxy"}
                ],
                "initContainers": [
                    {"name": "fetch", "image": "fetch:1"},
                    {"name": "warm", "image": "warm:1"}
                ],
                "volumes": [
                    {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
                    {"name": "models", "configMap": {"name": "models"}}
                ],
                "tolerations": [
                    {"key": "nvidia.com/gpu", "operator": "Exists"},
                    {"key": "spot", "operator": "Exists"}
                ]
            }
        }
    })
}

fn template(clique: Value) -> PodCliqueTemplateSpec {
    serde_json::from_value(clique).unwrap()
}

fn hash(clique: Value) -> String {
    pod_template_hash(&template(clique), "")
}

/// The clique with one value replaced (`null` removes it).
fn with(pointer: &str, value: Value) -> Value {
    let mut clique = clique();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    match clique.pointer_mut(parent).unwrap() {
        Value::Object(object) => object.insert(field.into(), value).map_or((), drop),
        Value::Array(items) => items[field.parse::<usize>().unwrap()] = value,
        other => panic!("{parent} is {other}"),
    }
    clique
}

#[test]
fn hashes_are_fixed_for_ever() {
    let bare = json!({
        "name": "a",
        "spec": {"roleName": "a", "replicas": 1, "podSpec": {"containers": []}}
    });
    let set = PodCliqueSetTemplateSpec {
        cliques: vec![template(clique())],
        ..Default::default()
    };
    let hashes = [
        hash(bare),
        hash(clique()),
        pod_template_hash(&template(clique()), "high"),
        pod_spec_hash(&template(clique()).spec.pod_spec),
        generation_hash(&pod_template_hashes(&set)),
    ];
    let expected = [
        "r1fb5j2vh62hndbw",
        "r1f6jnxf4zd6brnb",
        "r1fqc4lnwwfcqvkv",
        "r1d9wdnt4m5ljxs9",
        "r1c2fnqg6ppp5cj6",
    ];
    assert_eq!(hashes, expected);
}

#[rstest]
#[case::name("/name", json!("other"))]
#[case::role("/spec/roleName", json!("other"))]
#[case::replicas("/spec/replicas", json!(9))]
#[case::min_available("/spec/minAvailable", json!(2))]
#[case::starts_after("/spec/startsAfter", json!(["leader"]))]
#[case::autoscaling("/spec/autoScalingConfig", json!({"maxReplicas": 9}))]
#[case::topology("/topologyConstraint", json!({"topologyName": "x"}))]
#[case::sharing("/resourceSharing", json!([{"name": "x", "scope": "AllReplicas"}]))]
fn a_field_outside_the_pod_does_not_count(#[case] pointer: &str, #[case] value: Value) {
    assert_eq!(hash(with(pointer, value)), hash(clique()));
}

#[test]
fn the_priority_class_of_the_set_replaces_the_pods() {
    let own = template(with("/spec/podSpec/priorityClassName", json!("own")));
    let high = pod_template_hash(&template(clique()), "high");
    assert_eq!(pod_template_hash(&own, "high"), high);
    assert_ne!(pod_template_hash(&own, ""), high);
}

#[test]
fn a_generation_is_the_cliques_in_their_order() {
    let set = |cliques: &[&PodCliqueTemplateSpec], priority: &str| {
        generation_hash(&pod_template_hashes(&PodCliqueSetTemplateSpec {
            cliques: cliques.iter().map(|clique| (*clique).clone()).collect(),
            priority_class_name: priority.into(),
            ..Default::default()
        }))
    };
    let a = template(clique());
    let b = template(with("/labels/tier", json!("cpu")));
    assert_ne!(set(&[&a, &b], ""), set(&[&b, &a], ""));
    assert_ne!(set(&[&a, &b], ""), set(&[&a, &b], "high"));
    assert_ne!(set(&[&a], ""), set(&[&a, &a], ""));
    assert_eq!(set(&[&a, &b], ""), set(&[&a, &b], ""));
}

#[rstest]
#[case::go("5d76b7c9f8", false)]
#[case::empty("", false)]
#[case::short("r1bbbbbbbbbbbbb", false)]
#[case::long("r1bbbbbbbbbbbbbbb", false)]
#[case::later_version("r2bbbbbbbbbbbbbb", false)]
#[case::foreign_character("r1bbbbbbbbbbbbba", false)]
#[case::ours("r1bbbbbbbbbbbbbb", true)]
fn foreign_hashes_are_distinguished_from_ours(#[case] hash: &str, #[case] ours: bool) {
    assert_eq!(is_ours(hash), ours);
}

fn shuffled(list: &str) -> impl Strategy<Value = Value> + use<> {
    let list = list.to_owned();
    let items = clique().pointer(&list).unwrap().as_array().unwrap().clone();
    Just(items)
        .prop_shuffle()
        .prop_map(move |items| with(&list, items.into()))
}

proptest! {
    #[test]
    fn no_order_of_a_map_like_list_counts(
        ports in shuffled("/spec/podSpec/containers/0/ports"),
        volumes in shuffled("/spec/podSpec/volumes"),
        containers in shuffled("/spec/podSpec/containers"),
    ) {
        for reordered in [ports, volumes, containers] {
            prop_assert_eq!(hash(reordered), hash(clique()));
        }
    }

    #[test]
    fn another_image_is_another_hash(image in "[a-z]{1,12}(:[a-z0-9]{1,5})?") {
        let changed = with("/spec/podSpec/containers/0/image", json!(image));
        prop_assert_ne!(hash(changed), hash(clique()));
    }

    #[test]
    fn every_hash_is_ours_and_a_label_value(key in "[a-z]{1,8}", value in ".{0,20}") {
        let hash = hash(with("/annotations", json!({key: value})));
        prop_assert!(is_ours(&hash));
        prop_assert_eq!(hash.len(), 16);
    }

    #[test]
    fn replicas_do_not_count(replicas in any::<i32>(), min in any::<i32>()) {
        let mut scaled = with("/spec/replicas", json!(replicas));
        scaled["spec"]["minAvailable"] = json!(min);
        prop_assert_eq!(hash(scaled), hash(clique()));
    }
}
