//! Pod templates whose pods the API server refuses: one table for each rule, with similar templates
//! that are fine.

use api::PodCliqueSet;
use cli::exit::Exit;
use cli::lint::{OfferedNodes, build_pods, check_nodes, judge_answer};
use cli::plan::{Planned, Rules, Surroundings, plan_new};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;
use testkit::good_set::{FRONTEND, at, edited, good};

use super::{lint, said};

const POD: &str = "spec.template.cliques[0].spec.podSpec";

/// The findings of a rule about the frontend's pod template with other values in one place.
fn found(rule: &str, field: &str, value: &Value) -> Vec<String> {
    let place = at(FRONTEND, &format!("spec/podSpec/{field}"));
    let object = edited(&[(&place, value.clone())]);
    let lines = said(&lint(&object.to_string()), &[rule]);
    let words: Vec<&str> = lines
        .iter()
        .map(|line| line.splitn(3, ':').nth(2).unwrap().trim())
        .collect();
    expect_planned(&object, &words);
    let short = words.iter().map(|words| words.replace(POD, "POD"));
    short.collect()
}

/// `plan` of the same file warns of the same mistakes, or refuses the file as the author's mistake; it
/// never calls it a bug.
fn expect_planned(object: &Value, mistakes: &[&str]) {
    let (rules, around) = (Rules::default(), Surroundings::default());
    match plan_new(object, "default", &rules, &around, after(0)) {
        Ok(Planned::New(outline)) => {
            let is_named = |words: &&&str| outline.warnings.iter().any(|told| told == **words);
            let told: Vec<_> = mistakes.iter().filter(is_named).collect();
            assert_eq!(
                told.len(),
                mistakes.len(),
                "{mistakes:?} {:?}",
                outline.warnings
            );
        }
        Ok(Planned::Refused(refusal)) => assert!(!refusal.refused.is_empty()),
        Ok(other) => panic!("{other:?}"),
        Err(failure) => assert_eq!(failure.exit(), Exit::BadInput, "{failure}"),
    }
}

fn main_with(fields: &Value) -> Value {
    let mut container = json!({"name": "main", "image": "llm:1"});
    for (key, value) in fields.as_object().unwrap() {
        container[key] = value.clone();
    }
    json!([container])
}

fn in_main(rule: &str, fields: &Value) -> Vec<String> {
    found(rule, "containers", &main_with(fields))
}

#[rstest]
#[case::main(json!([{"name": "main"}]), "containers")]
#[case::empty(json!([{"name": "main", "image": ""}]), "containers")]
#[case::init(json!([{"name": "main"}]), "initContainers")]
fn a_container_without_an_image(#[case] containers: Value, #[case] field: &str) {
    let said = found("no-image", field, &containers);
    let expected = format!(
        "POD.{field}[0].image: not set: container main needs an image; set it, such as app:1.2"
    );
    assert_eq!(said, [expected]);
}

const ABOVE: &str = "POD.containers[0].resources.requests[memory]: \"1Gi\": is above the memory \
                     limit of 512Mi; lower the request, or raise the limit";

#[rstest]
#[case::above(json!({"requests": {"memory": "1Gi"}, "limits": {"memory": "512Mi"}}), &[ABOVE])]
#[case::equal(json!({"requests": {"memory": "1Gi"}, "limits": {"memory": "1024Mi"}}), &[])]
#[case::of_another(json!({"requests": {"memory": "1Gi"}, "limits": {"cpu": "1"}}), &[])]
#[case::a_device(json!({"requests": {"nvidia.com/gpu": "2"}, "limits": {"nvidia.com/gpu": "1"}}), &[])]
fn a_request_above_its_limit(#[case] resources: Value, #[case] expected: &[&str]) {
    let said = in_main("limit-below-request", &json!({"resources": resources}));
    assert_eq!(said, expected);
}

#[rstest]
#[case::none(
    "POD.containers[0].volumeMounts[0].name: \"models\": is no volume of the pod; add it to volumes of the podSpec, or remove the mount",
    None
)]
#[case::misspelt(
    "POD.containers[0].volumeMounts[0].name: \"models\": is no volume of the pod; did you mean model?",
    Some("model")
)]
#[case::there("", Some("models"))]
fn a_mount_of_a_volume_that_is_not_there(#[case] expected: &str, #[case] volume: Option<&str>) {
    let mount = json!({"volumeMounts": [{"name": "models", "mountPath": "/models"}]});
    let mut object = edited(&[(&at(FRONTEND, "spec/podSpec/containers"), main_with(&mount))]);
    if let Some(name) = volume {
        let pod = object.pointer_mut(&at(FRONTEND, "spec/podSpec")).unwrap();
        pod["volumes"] = json!([{"name": name, "emptyDir": {}}]);
    }
    let said = said(&lint(&object.to_string()), &["unknown-volume"]).concat();
    let said = said.splitn(3, ':').nth(2).unwrap_or_default().trim();
    let mistakes = Some(said).filter(|said| !said.is_empty());
    expect_planned(&object, mistakes.as_slice());
    assert_eq!(said.replace(POD, "POD"), expected);
}

#[rstest]
#[case::upper_case("containers/0/name", json!("Main_1"), "POD.containers[0].name: \"Main_1\": must be a DNS label: lower-case letters, digits and hyphens, at most 63; rename it, such as main-1")]
#[case::a_volume("volumes", json!([{"name": "A", "emptyDir": {}}]), "POD.volumes[0].name: \"A\": must be a DNS label: lower-case letters, digits and hyphens, at most 63; rename it, such as main-1")]
#[case::of_two("initContainers", json!([{"name": "main", "image": "a:1"}]), "POD.initContainers[0].name: \"main\": is the name of POD.containers[0].name, too; rename one of the two")]
#[case::fine("initContainers", json!([{"name": "init-1", "image": "a:1"}]), "")]
fn a_name_that_is_no_label(#[case] field: &str, #[case] value: Value, #[case] expected: &str) {
    assert_eq!(found("invalid-name", field, &value).concat(), expected);
}

#[rstest]
#[case::only_requests(json!({"requests": {"nvidia.com/gpu": "1"}}), "POD.containers[0].resources.requests[nvidia.com/gpu]: \"1\": nvidia.com/gpu has a request and no limit; set resources.limits[nvidia.com/gpu] to 1")]
#[case::other_limit(json!({"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "2"}}), "POD.containers[0].resources.requests[nvidia.com/gpu]: \"1\": must equal the limit, which is 2; set resources.limits[nvidia.com/gpu] to 1")]
#[case::a_fraction(json!({"limits": {"nvidia.com/gpu": "500m"}}), "POD.containers[0].resources.limits[nvidia.com/gpu]: \"500m\": must be a whole number; round it")]
#[case::a_fraction_of_both(json!({"limits": {"nvidia.com/gpu": "1500m"}, "requests": {"nvidia.com/gpu": "1.5"}}), "POD.containers[0].resources.limits[nvidia.com/gpu]: \"1500m\": must be a whole number; round itPOD.containers[0].resources.requests[nvidia.com/gpu]: \"1.5\": must be a whole number; round it")]
#[case::only_limits(json!({"limits": {"nvidia.com/gpu": "1"}}), "")]
#[case::both(json!({"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}), "")]
#[case::no_device(json!({"requests": {"cpu": "1"}}), "")]
fn a_device_without_a_limit(#[case] resources: Value, #[case] expected: &str) {
    let said = in_main("gpu-without-limit", &json!({"resources": resources}));
    assert_eq!(said.concat(), expected);
}

#[rstest]
#[case::too_high(json!({"containerPort": 70_000}), "POD.containers[0].ports[0].containerPort: 70000: must be from 1 to 65535; correct it")]
#[case::host_port(json!({"containerPort": 80, "hostPort": -1}), "POD.containers[0].ports[0].hostPort: -1: must be from 1 to 65535; correct it")]
#[case::protocol(json!({"containerPort": 80, "protocol": "HTTP"}), "POD.containers[0].ports[0].protocol: \"HTTP\": is no protocol of a port; use one of TCP, UDP, SCTP")]
#[case::long_name(json!({"containerPort": 80, "name": "a-very-long-name"}), "POD.containers[0].ports[0].name: \"a-very-long-name\": must have at most 15 lower-case letters, digits and single hyphens, one of them a letter; rename it, such as http")]
#[case::fine(json!({"containerPort": 80, "name": "http", "protocol": "TCP"}), "")]
fn a_port_that_is_none(#[case] port: Value, #[case] expected: &str) {
    let said = in_main("invalid-port", &json!({"ports": [port]}));
    assert_eq!(said.concat(), expected);
}

#[test]
fn a_name_of_two_ports() {
    let ports = json!([{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]);
    let said = in_main("invalid-port", &json!({"ports": ports}));
    let expected = "POD.containers[0].ports[1].name: \"a\": is the name of another port of the \
                    container, too; rename it, such as http";
    assert_eq!(said, [expected]);
}

#[rstest]
#[case::no_action(json!({"periodSeconds": 5}), "POD.containers[0].livenessProbe: has 0 actions and needs exactly one; set one of exec, httpGet, tcpSocket, grpc")]
#[case::two_actions(json!({"exec": {"command": ["a"]}, "tcpSocket": {"port": 80}}), "POD.containers[0].livenessProbe: has 2 actions and needs exactly one; set one of exec, httpGet, tcpSocket, grpc")]
#[case::twice(json!({"exec": {"command": ["a"]}, "successThreshold": 2}), "POD.containers[0].livenessProbe.successThreshold: 2: must be 1 for liveness and startup probes; remove it")]
#[case::negative(json!({"exec": {"command": ["a"]}, "periodSeconds": -1}), "POD.containers[0].livenessProbe.periodSeconds: -1: must not be negative; raise it")]
#[case::no_such_port(json!({"httpGet": {"port": "web"}}), "POD.containers[0].livenessProbe.httpGet.port: \"web\": container main has no port of that name; name a port of the container, or write a number without quotes")]
#[case::a_port_in_quotes(json!({"tcpSocket": {"port": "80"}}), "POD.containers[0].livenessProbe.tcpSocket.port: \"80\": container main has no port of that name; name a port of the container, or write a number without quotes")]
#[case::by_name(json!({"httpGet": {"port": "http"}}), "")]
#[case::by_number(json!({"httpGet": {"port": 80}}), "")]
fn a_probe_that_cannot_succeed(#[case] probe: Value, #[case] expected: &str) {
    let fields = json!({
        "livenessProbe": probe, "ports": [{"containerPort": 80, "name": "http"}],
    });
    assert_eq!(in_main("invalid-probe", &fields).concat(), expected);
}

#[rstest]
#[case::both(json!({"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}), "POD.containers[0].env[0].valueFrom: A has a value, too; remove value or valueFrom")]
#[case::no_source(json!({"name": "A", "valueFrom": {}}), "POD.containers[0].env[0].valueFrom: has 0 sources and needs exactly one; set one of configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef")]
#[case::no_such_field(json!({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.image"}}}), "POD.containers[0].env[0].valueFrom.fieldRef.fieldPath: \"spec.image\": is no field of a pod that a variable can show; use metadata.name, metadata.namespace, metadata.uid, spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP, status.podIPs, metadata.labels['KEY'] or metadata.annotations['KEY']")]
#[case::a_label(json!({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}}}), "")]
#[case::a_value(json!({"name": "A", "value": "1"}), "")]
fn a_variable_without_one_source(#[case] variable: Value, #[case] expected: &str) {
    let said = in_main("invalid-env", &json!({"env": [variable]}));
    assert_eq!(said.concat(), expected);
}

#[rstest]
#[case(
    "Sometimes",
    "POD.restartPolicy: \"Sometimes\": is no restart policy; use one of Always, OnFailure, Never"
)]
#[case("Never", "")]
fn a_restart_policy_that_is_none(#[case] policy: &str, #[case] expected: &str) {
    let said = found("invalid-restart-policy", "restartPolicy", &json!(policy));
    assert_eq!(said.concat(), expected);
}

/// Admission refuses `Always` in a job, and does not look at other words.
#[rstest]
#[case("never", 1)]
#[case("Always", 0)]
fn a_restart_policy_of_a_job_that_is_none(#[case] policy: &str, #[case] count: usize) {
    let place = at(FRONTEND, "spec/podSpec/restartPolicy");
    let job = edited(&[
        ("/spec/workloadType", json!("Training")),
        (&place, json!(policy)),
    ]);
    let said = said(&lint(&job.to_string()), &["invalid-restart-policy"]);
    assert_eq!(said.len(), count, "{said:?}");
}

#[rstest]
#[case::a_device(
    "gpu",
    "gpu is no resource of Kubernetes, and has no domain; did you mean nvidia.com/gpu?"
)]
#[case::a_typo(
    "memroy",
    "memroy is no resource of Kubernetes, and has no domain; did you mean memory?"
)]
#[case::unknown(
    "licences",
    "licences is no resource of Kubernetes, and has no domain; put the domain of its device plugin before it"
)]
#[case::own("hugepages-2Mi", "")]
fn a_resource_without_a_domain(#[case] name: &str, #[case] expected: &str) {
    let resources = json!({"resources": {"limits": {name: "1"}}});
    let said = in_main("invalid-resource", &resources).concat();
    let at = format!("POD.containers[0].resources.limits[{name}]: ");
    assert_eq!(said.strip_prefix(&at).unwrap_or(&said), expected);
}

#[rstest]
#[case("nvidia/gpu", Some("nvidia.com/gpu"))]
#[case("nvidia.com/gpus", Some("nvidia.com/gpu"))]
#[case("Nvidia.com/gpu", Some("nvidia.com/gpu"))]
#[case("nvidia.com/gpu", None)]
#[case("nvidia.com/gpumem", None)]
#[case("nvidia.com/mig-1g.5gb", None)]
#[case("example.com/licence", None)]
fn a_device_with_almost_a_known_name(#[case] name: &str, #[case] meant: Option<&str>) {
    let resources = json!({"resources": {"limits": {name: "1"}}});
    let expected = meant.map(|meant| {
        format!(
            "POD.containers[0].resources.limits[{name}]: no known device is named {name}; did you \
             mean {meant}?"
        )
    });
    let said = in_main("misspelt-resource", &resources);
    assert_eq!(said, expected.into_iter().collect::<Vec<_>>());
}

fn asking_for(resource: &str) -> PodCliqueSet {
    let place = at(FRONTEND, "spec/podSpec/containers/0/resources");
    let object = edited(&[(&place, json!({"limits": {resource: "1", "cpu": "1"}}))]);
    serde_json::from_value(object).unwrap()
}

/// Nodes with these resources, in this pool.
fn offered(names: &[&str], pool: &str) -> OfferedNodes {
    OfferedNodes {
        resources: names.iter().map(|name| (*name).to_owned()).collect(),
        labels: vec![[("pool".to_owned(), pool.to_owned())].into()],
    }
}

fn said_of(set: &PodCliqueSet, nodes: &OfferedNodes) -> Vec<String> {
    let remarks = check_nodes(set, Some(nodes));
    remarks.iter().map(ToString::to_string).collect()
}

/// Only with a cluster is it known which resources its nodes have.
#[rstest]
#[case::there(&["cpu", "example.com/npu"], None)]
#[case::misspelt(&["cpu", "example.com/npus"], Some("no node has example.com/npu; did you mean example.com/npus?"))]
#[case::another(&["cpu", "nvidia.com/gpu"], Some("no node has example.com/npu; correct the name, or install its device plugin"))]
fn a_resource_that_no_node_has(#[case] names: &[&str], #[case] expected: Option<&str>) {
    let said = said_of(&asking_for("example.com/npu"), &offered(names, "a"));
    let at = format!("{POD}.containers[0].resources.limits[example.com/npu]");
    let expected = expected.map(|words| format!("{at}: {words}"));
    assert_eq!(said, expected.into_iter().collect::<Vec<_>>());
}

/// A set whose frontend selects nodes of pool a.
fn selecting() -> PodCliqueSet {
    let place = at(FRONTEND, "spec/podSpec/nodeSelector");
    serde_json::from_value(edited(&[(&place, json!({"pool": "a"}))])).unwrap()
}

#[rstest]
#[case::there("a", None)]
#[case::another(
    "b",
    Some("no node has pool=a; correct it, or label nodes: `kubectl get nodes --show-labels`")
)]
fn a_selector_without_nodes(#[case] pool: &str, #[case] expected: Option<&str>) {
    let said = said_of(&selecting(), &offered(&[], pool));
    let expected = expected.map(|words| format!("{POD}.nodeSelector: {words}"));
    assert_eq!(said, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn nodes_that_may_not_be_read_are_reported_once_and_only_if_asked_for() {
    for set in [asking_for("example.com/npu"), selecting()] {
        let remarks = check_nodes(&set, None);
        assert_eq!(remarks.len(), 1);
        assert_eq!(remarks[0].rule.id, "check-skipped");
    }
    assert_eq!(check_nodes(&asking_for("memory"), None).len(), 0);
}

/// The pod of the dry run is that of the template: no owner, no name, the priority of the set.
#[test]
fn a_dry_run_sends_one_pod_of_each_clique() {
    let mut set: PodCliqueSet = serde_json::from_value(good()).unwrap();
    "high".clone_into(&mut set.spec.template.priority_class_name);
    let pods = build_pods(&set);
    let places: Vec<_> = pods.iter().map(|(at, _)| at.as_str()).collect();
    let expected = [0, 1, 2].map(|i| format!("spec.template.cliques[{i}].spec.podSpec"));
    assert_eq!(places, expected);
    let pod = json!(pods[0].1);
    assert_eq!(pod["metadata"]["generateName"], "serve-0-frontend-");
    assert_eq!(pod["metadata"]["ownerReferences"], Value::Null);
    assert_eq!(pod["spec"]["priorityClassName"], "high");
    assert_eq!(pod["spec"]["containers"][0]["image"], "llm:1");
}

#[rstest]
#[case::created(201, "", None)]
#[case::invalid(
    422,
    "Pod \"a\" is invalid: spec.containers[0].image: Required value",
    Some("pod-refused")
)]
#[case::policy(
    403,
    "pods \"a\" is forbidden: violates PodSecurity",
    Some("pod-refused")
)]
#[case::quota(403, "pods \"a\" is forbidden: exceeded quota: q", None)]
#[case::no_right(
    403,
    "User \"u\" cannot create resource \"pods\"",
    Some("check-skipped")
)]
#[case::no_namespace(404, "namespaces \"ml\" not found", None)]
#[case::a_webhook_without_dry_run(400, "admission webhook \"w\" does not support dry run", None)]
#[case::trouble(503, "etcd is away", Some("check-skipped"))]
fn the_answer_to_a_dry_run(#[case] code: u16, #[case] message: &str, #[case] rule: Option<&str>) {
    let remark = judge_answer("spec.template.cliques[0].spec.podSpec", code, message);
    assert_eq!(remark.as_ref().map(|r| r.rule.id), rule);
    let is_quoted = |r: &cli::lint::Remark| r.problem.contains(message);
    let is_refused = rule == Some("pod-refused");
    assert!(!is_refused || remark.as_ref().is_some_and(is_quoted));
}
