//! The requests to a cluster, and the findings from its answers.

mod devices;

use admission::defaults::{DefaultsConfig, apply};
use api::PodCliqueSet;
use cli::lint::{Answer, Answers, NamespaceQuota, Need, NeededKind, check_answers, needs_of};
use k8s_openapi::api::core::v1::{LimitRange, ResourceQuota};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{Edit, FRONTEND, GROUP, at, edited};

fn set(edits: &[Edit<'_>]) -> PodCliqueSet {
    let set = serde_json::from_value(edited(edits)).unwrap();
    apply(&set, &DefaultsConfig::default())
}

fn line(need: &Need) -> String {
    let wanted = &need.wanted;
    let namespace = wanted.namespace.as_deref().unwrap_or("-");
    format!(
        "{:?} {namespace}/{} by {}",
        wanted.kind, wanted.name, need.path
    )
}

fn of_frontend(field: &str) -> String {
    at(FRONTEND, &format!("spec/podSpec/{field}"))
}

fn everything() -> PodCliqueSet {
    let optional = json!({"name": "optional", "optional": true});
    set(&[
        (
            "/metadata/labels",
            json!({"kai.scheduler/queue": "research"}),
        ),
        (&of_frontend("schedulerName"), json!("kai-scheduler")),
        (&of_frontend("priorityClassName"), json!("high")),
        (&of_frontend("serviceAccountName"), json!("runner")),
        (
            &of_frontend("imagePullSecrets"),
            json!([{"name": "registry"}]),
        ),
        (
            &of_frontend("volumes"),
            json!([
                {"name": "a", "persistentVolumeClaim": {"claimName": "models"}},
                {"name": "b", "configMap": {"name": "settings"}},
                {"name": "c", "configMap": optional},
                {"name": "d", "secret": {"secretName": "token"}},
                {"name": "e", "secret": {"secretName": "other", "optional": true}},
                {"name": "f", "projected": {"sources": [
                    {"configMap": {"name": "projected"}}, {"secret": optional}, {"secret": {"name": "key"}}
                ]}},
            ]),
        ),
        (
            &of_frontend("containers/0/env"),
            json!([
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "of-env", "key": "k"}}},
                {"name": "B", "valueFrom": {"secretKeyRef": {"name": "of-env", "key": "k"}}},
                {"name": "C", "valueFrom": {"secretKeyRef": {"name": "o", "key": "k", "optional": true}}},
            ]),
        ),
        (
            &of_frontend("initContainers"),
            json!([{"name": "init", "envFrom": [
                {"configMapRef": {"name": "all"}}, {"secretRef": {"name": "all"}}, {"secretRef": optional}
            ]}]),
        ),
        (
            "/spec/template/topologyConstraint",
            json!({"topologyName": "dc", "pack": {"required": "rack"}}),
        ),
        (
            &at(GROUP, "topologyConstraint"),
            json!({"pack": {"preferred": "host"}}),
        ),
    ])
}

#[test]
fn all_that_a_set_names_is_needed() {
    let needs = needs_of(&everything(), "ml");
    let lines: Vec<_> = needs.iter().map(line).collect();
    insta::assert_snapshot!(lines.join("\n"));
    let topology = needs
        .iter()
        .find(|need| need.wanted.kind == NeededKind::Topology);
    let levels = &topology.unwrap().levels;
    assert_eq!(levels.len(), 2, "{levels:?}");
}

/// The class of the set replaces that of a clique, and account `default` always exists.
#[test]
fn ignored_names_need_not_exist() {
    let set = set(&[
        ("/spec/template/priorityClassName", json!("high")),
        (&of_frontend("priorityClassName"), json!("low")),
        (&of_frontend("serviceAccountName"), json!("default")),
        (
            "/metadata/annotations",
            json!({"scheduling.grove.io/volcano-queue": "q"}),
        ),
    ]);
    let lines: Vec<_> = needs_of(&set, "ml").iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "Definition -/podcliquesets by apiVersion",
            "Namespace -/ml by metadata.namespace",
            "PriorityClass -/high by spec.template.priorityClassName",
            "Quota ml/serve by spec",
        ]
    );
}

fn answers(needs: &[Need], answer: impl Fn(NeededKind) -> Answer) -> Answers {
    let all = needs
        .iter()
        .map(|need| (need.wanted.clone(), answer(need.wanted.kind)));
    all.collect()
}

fn remarks(set: &PodCliqueSet, answer: impl Fn(NeededKind) -> Answer) -> Vec<String> {
    let needs = needs_of(set, "ml");
    let remarks = check_answers(&needs, &answers(&needs, answer), Some(set));
    let lines = remarks.iter().map(|r| format!("{r} [{}]", r.rule.id));
    lines.collect()
}

#[test]
fn existing_objects_are_not_mentioned() {
    assert_eq!(remarks(&everything(), |_| Answer::There), [""; 0]);
    assert_eq!(
        check_answers(&needs_of(&everything(), "ml"), &Answers::new(), None).len(),
        0
    );
}

#[test]
fn what_is_missing_is_named() {
    let missing = |kind| match kind {
        NeededKind::Namespace | NeededKind::Definition | NeededKind::Quota => Answer::There,
        _ => Answer::Missing,
    };
    insta::assert_snapshot!(remarks(&everything(), missing).join("\n"));
}

/// Everything else in the namespace is missing too.
#[test]
fn a_missing_namespace_is_the_only_finding() {
    let lines = remarks(&everything(), |kind| match kind {
        NeededKind::PriorityClass
        | NeededKind::KaiQueue
        | NeededKind::Topology
        | NeededKind::Definition => Answer::There,
        _ => Answer::Missing,
    });
    assert_eq!(
        lines,
        [
            "metadata.namespace: namespace ml does not exist; create it, or name another one with -n \
          [missing-namespace]"
        ]
    );
}

#[test]
fn a_missing_right_is_reported_once_for_each_kind() {
    let lines = remarks(&everything(), |kind| match kind {
        NeededKind::Secret | NeededKind::Quota => Answer::Forbidden,
        _ => Answer::There,
    });
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].contains("you have no right to read secrets"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("no right to read resourcequotas and limitranges"),
        "{lines:?}"
    );
}

#[test]
fn kinds_that_a_cluster_does_not_serve_are_reported() {
    let lines = remarks(&everything(), |kind| match kind {
        NeededKind::Definition | NeededKind::KaiQueue => Answer::NotServed,
        _ => Answer::There,
    });
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_level_that_its_topology_lacks_is_reported() {
    let topology = json!({"metadata": {"name": "dc"}, "spec": {"levels": [
        {"domain": "zone", "key": "example.com/zone"}, {"domain": "rack", "key": "example.com/rack"}
    ]}});
    let lines = remarks(&everything(), |kind| match kind {
        NeededKind::Topology => {
            Answer::Topology(Box::new(serde_json::from_value(topology.clone()).unwrap()))
        }
        _ => Answer::There,
    });
    assert_eq!(
        lines,
        [
            "spec.template.podCliqueScalingGroups[0].topologyConstraint.pack.preferred: \
          ClusterTopologyBinding dc has no level host; choose from zone, rack [missing-topology]"
        ]
    );
}

/// Two frontends, and two groups of a leader and three workers: ten pods.
fn asking(cpu: &str) -> PodCliqueSet {
    let requests = json!({"requests": {"cpu": cpu}});
    let places = [0, 1, 2]
        .map(|i| format!("/spec/template/cliques/{i}/spec/podSpec/containers/0/resources"));
    let edits: Vec<Edit<'_>> = places
        .iter()
        .map(|at| (at.as_str(), requests.clone()))
        .collect();
    set(&edits)
}

fn quota(hard: &Value, used: &Value) -> ResourceQuota {
    let quota =
        json!({"metadata": {"name": "q"}, "spec": {"hard": hard}, "status": {"used": used}});
    serde_json::from_value(quota).unwrap()
}

fn room(set: &PodCliqueSet, room: &NamespaceQuota) -> Vec<String> {
    remarks(set, |kind| match kind {
        NeededKind::Quota => Answer::Quota(Box::new(room.clone())),
        _ => Answer::There,
    })
}

#[rstest]
#[case::enough(json!({"requests.cpu": "20"}), json!({"requests.cpu": "15"}), None)]
#[case::too_little(json!({"requests.cpu": "20"}), json!({"requests.cpu": "15100m"}), Some("4900m of requests.cpu left of 20, and the set asks for 5 in all"))]
#[case::short_name(json!({"cpu": "4"}), json!({}), Some("4 of cpu left of 4, and the set asks for 5 in all"))]
#[case::pods(json!({"pods": "9"}), json!({"pods": "0"}), Some("9 of pods left of 9, and the set asks for 10 in all"))]
#[case::sets(json!({"count/podcliquesets.grove.io": "1"}), json!({"count/podcliquesets.grove.io": "1"}), Some("0 of count/podcliquesets.grove.io left of 1, and the set asks for 1 in all"))]
#[case::what_the_set_has_none_of(json!({"requests.nvidia.com/gpu": "0", "services": "0"}), json!({}), None)]
fn quotas_have_room_or_not(
    #[case] hard: Value,
    #[case] used: Value,
    #[case] expected: Option<&str>,
) {
    let quotas = vec![quota(&hard, &used)];
    let found = room(
        &asking("500m"),
        &NamespaceQuota {
            quotas,
            ..NamespaceQuota::default()
        },
    );
    let expected = expected.map(|words| {
        format!("spec: quota q has {words}; raise the quota, or ask for less: pods beyond it are refused [quota-exceeded]")
    });
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
}

/// In floating point, 10 - 8.8 is less than 1.2.
#[test]
fn an_exact_fit_fits() {
    let quotas = vec![quota(
        &json!({"requests.cpu": "10"}),
        &json!({"requests.cpu": "8800m"}),
    )];
    let room_for = NamespaceQuota {
        quotas,
        ..NamespaceQuota::default()
    };
    assert_eq!(room(&asking("120m"), &room_for), [""; 0]);
    assert_eq!(room(&asking("121m"), &room_for).len(), 1);
}

/// The usage includes the stored version.
#[test]
fn a_change_needs_room_for_the_difference() {
    let quotas = vec![quota(
        &json!({"requests.cpu": "10"}),
        &json!({"requests.cpu": "5"}),
    )];
    let of = |stored: &str| NamespaceQuota {
        quotas: quotas.clone(),
        stored: Some(asking(stored)),
        ..NamespaceQuota::default()
    };
    assert_eq!(room(&asking("1"), &of("500m")), [""; 0]);
    assert_eq!(room(&asking("1100m"), &of("500m")).len(), 1);
    // The stored version was refused some of its pods: the usage does not include them.
    assert_eq!(room(&asking("2"), &of("2")).len(), 1);
}

#[test]
fn a_quota_for_some_pods_only_says_nothing() {
    let mut scoped = quota(&json!({"pods": "0"}), &json!({}));
    scoped.spec.as_mut().unwrap().scopes = Some(vec!["BestEffort".into()]);
    let quotas = vec![scoped];
    assert_eq!(
        room(
            &asking("1"),
            &NamespaceQuota {
                quotas,
                ..NamespaceQuota::default()
            }
        ),
        [""; 0]
    );
}

#[test]
fn a_quota_of_memory_needs_memory_in_each_container() {
    let quotas = vec![quota(&json!({"limits.memory": "1Ti"}), &json!({}))];
    let mut of = NamespaceQuota {
        quotas,
        ..NamespaceQuota::default()
    };
    assert_eq!(
        room(&asking("1"), &of),
        [
            "spec.template.cliques[0].spec.podSpec.containers[0].resources: quota q counts \
          limits.memory, and pods with a container without it are refused; set memory in each \
          container [quota-needs-requests]"
        ]
    );
    let range = json!({"spec": {"limits": [{"type": "Container", "default": {"memory": "1Gi"}}]}});
    of.limits = vec![serde_json::from_value::<LimitRange>(range).unwrap()];
    assert_eq!(room(&asking("1"), &of), [""; 0]);
}

/// Init containers run one after the other, except those that keep running; the requests of the pod
/// itself take precedence.
#[rstest]
#[case::one_after_the_other(json!({"initContainers": [
    {"name": "a", "resources": {"requests": {"cpu": "3"}}},
    {"name": "b", "resources": {"requests": {"cpu": "2"}}}
]}), "6")]
#[case::beside(json!({"initContainers": [
    {"name": "a", "restartPolicy": "Always", "resources": {"requests": {"cpu": "3"}}},
    {"name": "b", "resources": {"requests": {"cpu": "2"}}}
]}), "10")]
#[case::limits(json!({"initContainers": [{"name": "a", "resources": {"limits": {"cpu": "4"}}}]}), "8")]
#[case::of_the_pod(json!({"resources": {"requests": {"cpu": "7"}}}), "14")]
fn a_pod_requests_the_most_that_it_ever_runs(#[case] more: Value, #[case] expected: &str) {
    let edits = [("/spec/template/podCliqueScalingGroups", json!([]))];
    let mut object = edited(&edits);
    object["spec"]["template"]["cliques"] = json!([object["spec"]["template"]["cliques"][0]]);
    let pod = object
        .pointer_mut("/spec/template/cliques/0/spec/podSpec")
        .unwrap();
    for (key, value) in more.as_object().unwrap() {
        pod[key] = value.clone();
    }
    let set: PodCliqueSet = serde_json::from_value(object).unwrap();
    let quotas = vec![quota(&json!({"requests.cpu": "0"}), &json!({}))];
    let found = room(
        &set,
        &NamespaceQuota {
            quotas,
            ..NamespaceQuota::default()
        },
    );
    let is_sum = |line: &String| line.contains(&format!("asks for {expected} in all"));
    assert!(found.iter().any(is_sum), "{found:?}");
}
