//! Names and keys that nobody refuses, and that nobody reads: labels, annotations, claim templates and
//! topologies with a typo.

use cli::lint::{Operator, StoredObjects, judge_by};
use domain::scheduling::Profiles;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::edited;

use super::{lint, said, source};

fn without_place(lines: &[String]) -> String {
    let words = lines
        .iter()
        .map(|line| line.splitn(3, ':').nth(2).unwrap().trim());
    words.collect::<Vec<_>>().join("\n")
}

/// The remarks on a set with this metadata besides its name.
fn of_metadata(field: &str, value: Value) -> String {
    let object = edited(&[(&format!("/metadata/{field}"), value)]);
    let rules = ["unread-key", "invalid-metadata"];
    without_place(&said(&lint(&object.to_string()), &rules))
}

const QUEUE: &str = "did you mean kueue.x-k8s.io/queue-name in metadata.labels?";
const MNNVL: &str = "did you mean grove.io/mnnvl-group in metadata.annotations?";
const KAI: &str = "did you mean kai.scheduler/queue in metadata.labels?";

#[rstest]
#[case::cut("labels", "kueue.x-k8s.io/queue", QUEUE)]
#[case::without_hyphen("labels", "kueue.x-k8s.io/queuename", QUEUE)]
#[case::of_another_domain("labels", "kueue.sigs.k8s.io/queue-name", QUEUE)]
#[case::without_domain("labels", "queue-name", QUEUE)]
#[case::of_another_program("labels", "runai/queue", KAI)]
#[case::plural("labels", "kai.scheduler/queues", KAI)]
#[case::too_long("annotations", "grove.io/mnnvl-groups", MNNVL)]
#[case::too_short("annotations", "grove.io/mnnvl", MNNVL)]
#[case::of_the_go_operator("annotations", "grove.io/auto-mnnvl", MNNVL)]
fn a_key_that_is_almost_a_known_one(#[case] field: &str, #[case] key: &str, #[case] remedy: &str) {
    let expected = format!("metadata.{field}[{key}]: nobody reads this key; {remedy}");
    assert_eq!(of_metadata(field, json!({key: "a"})), expected);
}

#[rstest]
#[case::queue("annotations", "kueue.x-k8s.io/queue-name", "labels")]
#[case::group("labels", "grove.io/mnnvl-group", "annotations")]
fn a_key_in_the_other_map(#[case] field: &str, #[case] key: &str, #[case] place: &str) {
    let expected = format!(
        "metadata.{field}[{key}]: is read in metadata.{place} only; move it to metadata.{place}"
    );
    assert_eq!(of_metadata(field, json!({key: "a"})), expected);
}

#[rstest]
#[case::known("labels", json!({"kueue.x-k8s.io/queue-name": "a", "kueue.x-k8s.io/priority-class": "b"}))]
#[case::in_both("annotations", json!({"kai.scheduler/queue": "a"}))]
#[case::of_others("labels", json!({"team": "nlp", "queue": "a", "app.kubernetes.io/name": "b"}))]
#[case::of_volcano("annotations", json!({"scheduling.volcano.sh/queue-name": "a"}))]
fn other_keys_are_of_no_concern(#[case] field: &str, #[case] keys: Value) {
    assert_eq!(of_metadata(field, keys), "");
}

#[rstest]
#[case::class("labels", json!({"kueue.x-k8s.io/priority-class": "high"}), "metadata.labels[kueue.x-k8s.io/priority-class]: \"high\": has no effect without a queue; name the queue in label kueue.x-k8s.io/queue-name")]
#[case::value("labels", json!({"team": "a b"}), "metadata.labels[team]: \"a b\": is no valid value: it has letters, digits, '-', '_' and '.', first and last a letter or digit, at most 63 characters; correct it, or make it an annotation if nothing selects by it")]
#[case::namespace("namespace", json!("My_NS"), "metadata.namespace: \"My_NS\": a namespace has a name of at most 63 lower-case letters, digits and hyphens; choose one that `kubectl get namespaces` shows")]
fn metadata_without_effect_or_not_allowed(
    #[case] field: &str,
    #[case] value: Value,
    #[case] expected: &str,
) {
    assert_eq!(of_metadata(field, value), expected);
}

/// The remarks on a claim template that the set shares by this name.
fn of_claims(template: &str, request: &Value, shared: &str) -> String {
    let spec = json!({"spec": {"devices": {"requests": [request]}}});
    let templates = json!([{"name": template, "templateSpec": spec}]);
    let sharing = json!([{"name": shared, "scope": "AllReplicas"}]);
    let object = edited(&[
        ("/spec/template/resourceClaimTemplates", templates),
        ("/spec/template/resourceSharing", sharing),
    ]);
    let rules = ["unused-claim-template", "invalid-claim-template"];
    let text = without_place(&said(&lint(&object.to_string()), &rules));
    text.replace("spec.template.resourceClaimTemplates[0]", "TEMPLATE")
}

fn request(name: &str, mode: &str, count: i64) -> Value {
    json!({"name": name, "exactly": {"deviceClassName": "gpu", "allocationMode": mode, "count": count}})
}

#[rstest]
#[case::fine("pool", request("gpu", "ExactCount", 4), "pool", "")]
#[case::misspelt(
    "pool",
    request("gpu", "ExactCount", 4),
    "pol",
    "TEMPLATE.name: \"pool\": no resourceSharing names this template, so no claim is made from it; correct spec.template.resourceSharing[0].name, which is \"pol\""
)]
#[case::unused(
    "pool",
    request("gpu", "ExactCount", 4),
    "network",
    "TEMPLATE.name: \"pool\": no resourceSharing names this template, so no claim is made from it; name it in a resourceSharing of the set, a group or a clique, or remove it"
)]
#[case::name(
    "Pool_1",
    request("gpu", "ExactCount", 4),
    "Pool_1",
    "TEMPLATE.name: \"Pool_1\": must be a DNS label: lower-case letters, digits and hyphens, at most 63; rename it"
)]
#[case::request_name(
    "pool",
    request("GPU 1", "ExactCount", 4),
    "pool",
    "TEMPLATE.templateSpec.spec.devices.requests[0].name: \"GPU 1\": must be a DNS label: lower-case letters, digits and hyphens, at most 63; rename it"
)]
#[case::mode(
    "pool",
    request("gpu", "all", 4),
    "pool",
    "TEMPLATE.templateSpec.spec.devices.requests[0].exactly.allocationMode: \"all\": is no allocation mode; use one of ExactCount, All"
)]
#[case::count("pool", request("gpu", "ExactCount", -1), "pool", "TEMPLATE.templateSpec.spec.devices.requests[0].exactly.count: -1: must be at least 1; set the number of devices")]
fn a_claim_template(
    #[case] template: &str,
    #[case] request: Value,
    #[case] shared: &str,
    #[case] expected: &str,
) {
    assert_eq!(of_claims(template, &request, shared), expected);
}

/// The remarks on a set with this constraint beside a topology with zones and racks.
fn of_topology(constraint: Value) -> String {
    let set = edited(&[("/spec/template/topologyConstraint", constraint)]);
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "fabric"},
        "spec": {"levels": [
            {"domain": "zone", "key": "topology.kubernetes.io/zone"},
            {"domain": "rack", "key": "example.com/rack"},
        ]},
    });
    let sources = [
        source("set.json", set.to_string()),
        source("topology.json", binding.to_string()),
    ];
    let operator = Operator::default();
    let report = judge_by(&operator, &sources, &StoredObjects::default()).into_report(&[]);
    let rules = ["refused", "misspelt-topology", "admitted-with-warning"];
    let text = without_place(&said(&report, &rules));
    text.replace("spec.template.topologyConstraint", "CONSTRAINT")
}

fn constraint(name: &str, pack: &Value) -> Value {
    json!({"topologyName": name, "pack": pack})
}

#[rstest]
#[case::fine(constraint("fabric", &json!({"required": "zone", "preferred": "rack"})), "")]
#[case::level(constraint("fabric", &json!({"required": "zones"})), "CONSTRAINT.pack.required: \"zones\": topology domain \"zones\" does not exist in ClusterTopologyBinding \"fabric\"; use one of zone, rack")]
#[case::name(constraint("fabrik", &json!({"required": "zone"})), "CONSTRAINT.topologyName: \"fabrik\": no ClusterTopologyBinding of the files has this name; did you mean fabric?")]
#[case::of_the_cluster(constraint("other", &json!({"required": "block"})), "")]
#[case::broader(constraint("fabric", &json!({"required": "rack", "preferred": "zone"})), "CONSTRAINT.pack.preferred: zone is not narrower than pack.required (rack) and is redundant")]
fn a_constraint_beside_its_topology(#[case] constraint: Value, #[case] expected: &str) {
    assert_eq!(of_topology(constraint), expected);
}

/// The webhook of such an operator gives the same warning.
#[test]
fn a_queue_without_queueing_is_warned_of_where_the_configuration_is_known() {
    let labels = json!({"kueue.x-k8s.io/queue-name": "team-a"});
    let set = edited(&[("/metadata/labels", labels)]).to_string();
    let mut operator = Operator::default();
    let warned = |operator: &Operator| {
        let sources = [source("set.json", set.clone())];
        let report = judge_by(operator, &sources, &StoredObjects::default()).into_report(&[]);
        without_place(&said(&report, &["admitted-with-warning"]))
    };
    assert_eq!(warned(&operator), "");
    operator.rules.profiles = Some(Profiles::default());
    let text = warned(&operator);
    assert!(text.contains("queueing.kueue.enabled"), "{text}");
}
