//! Hashes: what changes them and what does not. The fixed strings are a promise: if one changes,
//! an upgrade of the operator restarts every workload, and the version prefix has to change too.

use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use domain::workload::hash::{
    generation_hash, is_ours, is_same_pod_spec, pod_spec_hash, pod_template_hash,
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

fn reversed(list: &str) -> Value {
    let mut clique = clique();
    clique
        .pointer_mut(list)
        .unwrap()
        .as_array_mut()
        .unwrap()
        .reverse();
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
        generation_hash(&set),
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

const POD: &str = "/spec/podSpec";
const MAIN: &str = "/spec/podSpec/containers/0";

#[rstest]
#[case::name("/name", json!("other"))]
#[case::role("/spec/roleName", json!("other"))]
#[case::replicas("/spec/replicas", json!(9))]
#[case::min_available("/spec/minAvailable", json!(2))]
#[case::starts_after("/spec/startsAfter", json!(["leader"]))]
#[case::autoscaling("/spec/autoScalingConfig", json!({"maxReplicas": 9}))]
#[case::topology("/topologyConstraint", json!({"topologyName": "x"}))]
#[case::sharing("/resourceSharing", json!([{"name": "x", "scope": "AllReplicas"}]))]
fn what_is_not_the_pods_does_not_count(#[case] pointer: &str, #[case] value: Value) {
    assert_eq!(hash(with(pointer, value)), hash(clique()));
}

#[rstest]
#[case::containers("/spec/podSpec/containers")]
#[case::env("/spec/podSpec/containers/0/env")]
#[case::ports("/spec/podSpec/containers/0/ports")]
#[case::mounts("/spec/podSpec/containers/0/volumeMounts")]
#[case::volumes("/spec/podSpec/volumes")]
#[case::tolerations("/spec/podSpec/tolerations")]
fn the_order_of_lists_that_are_maps_does_not_count(#[case] list: &str) {
    assert_eq!(hash(reversed(list)), hash(clique()));
}

#[rstest]
#[case::init_containers_run_in_order("/spec/podSpec/initContainers")]
#[case::arguments("/spec/podSpec/containers/0/args")]
fn the_order_of_other_lists_counts(#[case] list: &str) {
    assert_ne!(hash(reversed(list)), hash(clique()));
}

#[test]
fn the_order_of_variables_counts_where_one_refers_to_another() {
    let env = |first: &str, second: &str| {
        let value = |name: &str| if name == "A" { "1" } else { "$(A)2" };
        let var = |name: &str| json!({"name": name, "value": value(name)});
        hash(with(
            &format!("{MAIN}/env"),
            json!([var(first), var(second)]),
        ))
    };
    assert_ne!(env("A", "B"), env("B", "A"));
}

#[rstest]
#[case::restart_policy(POD, "restartPolicy", json!("Always"))]
#[case::grace(POD, "terminationGracePeriodSeconds", json!(30))]
#[case::dns(POD, "dnsPolicy", json!("ClusterFirst"))]
#[case::scheduler(POD, "schedulerName", json!("default-scheduler"))]
#[case::security(POD, "securityContext", json!({}))]
#[case::selector(POD, "nodeSelector", json!({}))]
#[case::affinity(POD, "affinity", json!({"podAntiAffinity": {}}))]
#[case::empty_list(POD, "imagePullSecrets", json!([]))]
#[case::empty_text(POD, "hostname", json!(""))]
#[case::host_network(POD, "hostNetwork", json!(false))]
#[case::links(POD, "enableServiceLinks", json!(true))]
#[case::message_path(MAIN, "terminationMessagePath", json!("/dev/termination-log"))]
#[case::message_policy(MAIN, "terminationMessagePolicy", json!("File"))]
#[case::pull_policy_of_a_tag(MAIN, "imagePullPolicy", json!("IfNotPresent"))]
#[case::pull_policy_without_tag("/spec/podSpec/containers/1", "imagePullPolicy", json!("Always"))]
#[case::protocol("/spec/podSpec/containers/0/ports/0", "protocol", json!("TCP"))]
#[case::read_only("/spec/podSpec/containers/0/volumeMounts/0", "readOnly", json!(false))]
#[case::env_value("/spec/podSpec/containers/0/env/0", "valueFrom", json!(null))]
#[case::period("/spec/podSpec/containers/0/readinessProbe", "periodSeconds", json!(10))]
#[case::scheme("/spec/podSpec/containers/0/readinessProbe/httpGet", "scheme", json!("HTTP"))]
#[case::mode("/spec/podSpec/volumes/1/configMap", "defaultMode", json!(420))]
#[case::requests(
    "/spec/podSpec/containers/0/resources",
    "requests",
    json!({"nvidia.com/gpu": 8, "memory": "1024Mi"})
)]
#[case::quantity("/spec/podSpec/volumes/0/emptyDir", "sizeLimit", json!("2048Mi"))]
fn what_the_api_server_fills_in_does_not_count(
    #[case] at: &str,
    #[case] field: &str,
    #[case] value: Value,
) {
    let written = template(with(&format!("{at}/{field}"), value));
    let read = template(clique());
    assert_eq!(
        pod_template_hash(&written, ""),
        pod_template_hash(&read, "")
    );
    assert!(is_same_pod_spec(
        &written.spec.pod_spec,
        &read.spec.pod_spec
    ));
}

#[rstest]
#[case::label("/labels/tier", json!("cpu"))]
#[case::annotation("/annotations/team", json!("other"))]
#[case::image("/spec/podSpec/containers/0/image", json!("llm:1.3"))]
#[case::restart_policy("/spec/podSpec/restartPolicy", json!("Never"))]
#[case::grace("/spec/podSpec/terminationGracePeriodSeconds", json!(31))]
#[case::own_priority("/spec/podSpec/priorityClassName", json!("high"))]
#[case::pull_policy("/spec/podSpec/containers/0/imagePullPolicy", json!("Always"))]
#[case::pull_policy_of_latest("/spec/podSpec/containers/1/imagePullPolicy", json!("Never"))]
#[case::protocol("/spec/podSpec/containers/0/ports/0/protocol", json!("SCTP"))]
#[case::sidecar("/spec/podSpec/initContainers/0/restartPolicy", json!("Always"))]
#[case::probe_grace(
    "/spec/podSpec/containers/0/readinessProbe/terminationGracePeriodSeconds",
    json!(30)
)]
#[case::request(
    "/spec/podSpec/containers/0/resources/requests",
    json!({"memory": "512Mi"})
)]
#[case::volume_source("/spec/podSpec/volumes/0", json!({"name": "shm", "projected": {}}))]
#[case::all_pods(
    "/spec/podSpec/affinity",
    json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "rack", "labelSelector": {}}
    ]}})
)]
fn what_changes_a_pod_counts(#[case] pointer: &str, #[case] value: Value) {
    let changed = template(with(pointer, value));
    let before = template(clique());
    assert_ne!(
        pod_template_hash(&changed, ""),
        pod_template_hash(&before, "")
    );
}

#[test]
fn an_empty_selector_is_not_a_missing_one() {
    let term = |selector| {
        hash(with(
            "/spec/podSpec/affinity",
            json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "rack", "labelSelector": selector}
            ]}}),
        ))
    };
    assert_ne!(term(json!({})), term(Value::Null));
}

#[test]
fn a_users_key_is_not_a_field() {
    let selector = |value| {
        hash(with(
            "/spec/podSpec/nodeSelector",
            json!({"protocol": value}),
        ))
    };
    assert_ne!(selector("TCP"), selector(""));
    assert_ne!(selector("TCP"), hash(clique()));
}

#[rstest]
#[case("1000m", "1", true)]
#[case("1Gi", "1024Mi", true)]
#[case("1Gi", "1G", false)]
#[case("0.5", "500m", true)]
#[case("1e3", "1k", true)]
#[case("12E", "12000P", true)]
#[case("1.5Gi", "1536Mi", true)]
#[case("1e-12", "0", false)]
#[case("99999999999999999999999999999999999999999", "1", false)]
#[case("many", "1", false)]
fn quantities_are_compared_by_value(#[case] one: &str, #[case] other: &str, #[case] same: bool) {
    let limit = |amount| {
        hash(with(
            "/spec/podSpec/containers/0/resources",
            json!({"limits": {"cpu": amount}}),
        ))
    };
    assert_eq!(limit(one) == limit(other), same);
}

#[rstest]
#[case("llm", "Always")]
#[case("llm:latest", "Always")]
#[case("llm:latest@sha256:0123", "Always")]
#[case("llm@sha256:0123", "IfNotPresent")]
#[case("llm:1@sha256:0123", "IfNotPresent")]
#[case("local:5000/llm", "Always")]
#[case("local:5000/llm:1", "IfNotPresent")]
fn the_default_pull_policy_depends_on_the_tag(#[case] image: &str, #[case] default: &str) {
    let container = |policy: Option<&str>| {
        hash(with(
            MAIN,
            json!({"name": "main", "image": image, "imagePullPolicy": policy}),
        ))
    };
    for policy in ["Always", "IfNotPresent", "Never"] {
        assert_eq!(
            container(Some(policy)) == container(None),
            policy == default,
            "{policy}"
        );
    }
}

#[test]
fn the_old_name_of_the_service_account_is_the_same() {
    let old = hash(with("/spec/podSpec/serviceAccount", json!("robot")));
    let new = hash(with("/spec/podSpec/serviceAccountName", json!("robot")));
    let mut both = with("/spec/podSpec/serviceAccountName", json!("robot"));
    both["spec"]["podSpec"]["serviceAccount"] = json!("robot");
    assert_eq!(old, new);
    assert_eq!(hash(both), new);
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
        generation_hash(&PodCliqueSetTemplateSpec {
            cliques: cliques.iter().map(|clique| (*clique).clone()).collect(),
            priority_class_name: priority.into(),
            ..Default::default()
        })
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
