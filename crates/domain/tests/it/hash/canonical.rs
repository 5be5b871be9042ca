//! Two notations of one pod, and two different pods.

use domain::workload::hash::{is_same_pod_spec, pod_template_hash};
use rstest::rstest;
use serde_json::{Value, json};

use super::{clique, hash, template, with};

const POD: &str = "/spec/podSpec";
const MAIN: &str = "/spec/podSpec/containers/0";

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
fn defaults_of_the_api_server_do_not_count(
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
fn a_change_of_the_pod_counts(#[case] pointer: &str, #[case] value: Value) {
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
