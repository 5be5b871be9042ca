//! HorizontalPodAutoscalers of cliques and scaling groups.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::podclique::AutoScalingConfig;
use api::{PodCliqueSet, WorkloadType, labels};
use domain::plan::{Action, Kind};
use insta::{assert_json_snapshot, assert_snapshot};
use k8s_openapi::api::autoscaling::v2::{HorizontalPodAutoscaler, MetricSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use podcliqueset::Snapshot;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{SetBuilder, after};

use crate::situation::{alone, carry_out, demo, laid_out, plan, writes};

const FRONT: &str = "demo-0-frontend";

fn config(lowest: Option<i32>, highest: i32, metrics: &Value) -> AutoScalingConfig {
    AutoScalingConfig {
        min_replicas: lowest,
        max_replicas: highest,
        metrics: serde_json::from_value(metrics.clone()).unwrap(),
    }
}

/// Pods of the frontend, by a metric of the pods; replicas of the group, by CPU.
fn autoscaled() -> SetBuilder {
    demo().with(|s| {
        let template = &mut s.spec.template;
        let metrics = json!([pods_metric("1500m")]);
        template.cliques[0].spec.auto_scaling_config = Some(config(None, 8, &metrics));
        template.scaling_groups[0].scale_config = Some(config(Some(2), 5, &json!([])));
    })
}

fn pods_metric(value: &str) -> Value {
    json!({"type": "Pods", "pods": {
        "metric": {"name": "requests"},
        "target": {"type": "AverageValue", "averageValue": value},
    }})
}

/// With all children, at rest.
fn running() -> Snapshot {
    laid_out(&autoscaled().build())
}

fn found<'a>(snapshot: &'a mut Snapshot, name: &str) -> &'a mut HorizontalPodAutoscaler {
    let mut all = snapshot.children.autoscalers.iter_mut();
    let found = all.find(|a| a.metadata.name.as_deref() == Some(name));
    Arc::make_mut(found.unwrap())
}

/// Changes the template.
fn edit(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let stored = Arc::make_mut(&mut snapshot.stored);
    change(stored);
    snapshot.validated = validated_set::validate_set(stored, &DefaultsConfig::default());
}

/// The writes of autoscalers.
fn done(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let of_kind = all.filter(|a| a.kind() == Kind::of::<HorizontalPodAutoscaler>());
    of_kind.map(ToString::to_string).collect()
}

#[test]
fn there_is_one_for_each_clique_and_group_that_asks_in_each_replica() {
    let snapshot = alone(&autoscaled().replicas(2).build());
    let first = plan(&snapshot);
    assert_snapshot!(writes(&first));
    let all = first.waves.iter().flatten();
    let made: Vec<_> = all
        .filter_map(Action::written::<HorizontalPodAutoscaler>)
        .collect();
    assert_json_snapshot!(made[..2]);
}

#[test]
fn one_that_is_right_is_left_alone() {
    assert_eq!(done(&running()), Vec::<String>::new());
}

#[test]
fn foreign_fields_stay() {
    let mut snapshot = running();
    let front = found(&mut snapshot, FRONT);
    let notes = front.metadata.annotations.get_or_insert_default();
    notes.insert("example.com/note".into(), "keep me".into());
    let labels = front.metadata.labels.as_mut().unwrap();
    labels.insert("example.com/mine".into(), "yes".into());
    let behavior = json!({"scaleDown": {"stabilizationWindowSeconds": 600}});
    front.spec.behavior = Some(serde_json::from_value(behavior).unwrap());
    assert_eq!(done(&snapshot), Vec::<String>::new());
    found(&mut snapshot, FRONT).spec.max_replicas = 100;
    assert_eq!(
        done(&snapshot),
        [r#"merge HorizontalPodAutoscaler demo-0-frontend {"spec":{"maxReplicas":8}}"#]
    );
}

#[rstest]
#[case::limits(|a: &mut HorizontalPodAutoscaler| (a.spec.min_replicas, a.spec.max_replicas) = (None, 9))]
#[case::target(|a: &mut HorizontalPodAutoscaler| a.spec.scale_target_ref.name = "demo-0-g".into())]
#[case::metrics(|a: &mut HorizontalPodAutoscaler| a.spec.metrics = None)]
#[case::label(|a: &mut HorizontalPodAutoscaler| drop(a.metadata.labels.as_mut().unwrap().remove(labels::MANAGED_BY)))]
#[case::owner(|a: &mut HorizontalPodAutoscaler| a.metadata.owner_references = None)]
fn a_foreign_change_is_put_right(#[case] change: fn(&mut HorizontalPodAutoscaler)) {
    let mut snapshot = running();
    change(found(&mut snapshot, FRONT));
    let done = done(&snapshot);
    let [patch] = &done[..] else {
        panic!("{done:?}");
    };
    let (_, patch) = patch.split_once("frontend ").unwrap();
    let mut front = json!(found(&mut snapshot, FRONT));
    json_patch::merge(&mut front, &serde_json::from_str(patch).unwrap());
    *found(&mut snapshot, FRONT) = serde_json::from_value(front).unwrap();
    assert_eq!(self::done(&snapshot), Vec::<String>::new());
}

/// A merge patch replaces the whole list of owners, so it names the version of the list.
#[test]
fn one_that_nobody_controls_is_adopted_beside_other_owners() {
    let mut snapshot = running();
    let theirs = OwnerReference {
        kind: "Dashboard".into(),
        uid: "uid-of-theirs".into(),
        ..OwnerReference::default()
    };
    let meta = &mut found(&mut snapshot, FRONT).metadata;
    meta.owner_references = Some(vec![theirs]);
    let done = done(&snapshot).join("");
    for part in ["uid-of-theirs", "uid-demo", "resourceVersion"] {
        assert!(done.contains(part), "{done}");
    }
}

/// Quantities as they are written in the template and as the API server stores them.
#[rstest]
#[case("1500m", "1.5", true)]
#[case("1500m", "1500m", true)]
#[case("1500m", "1501m", false)]
#[case("1Gi", "1024Mi", true)]
#[case("1G", "1Gi", false)]
#[case("1e3", "1k", true)]
#[case("1E3", "1k", true)]
#[case("2E", "2000P", true)]
#[case("+.5", "500m", true)]
#[case("0.1n", "1n", true)]
#[case("1000000", "1M", true)]
#[case("-1", "1", false)]
#[case("9e99", "9223372036854775807", true)]
#[case("much", "much", true)]
#[case("much", "more", false)]
fn quantities_of_metrics_are_compared_by_value(
    #[case] written: &str,
    #[case] stored: &str,
    #[case] is_same: bool,
) {
    let mut snapshot = running();
    edit(&mut snapshot, |s| {
        let metrics = json!([pods_metric(written)]);
        s.spec.template.cliques[0].spec.auto_scaling_config = Some(config(None, 8, &metrics));
    });
    let metrics: MetricSpec = serde_json::from_value(pods_metric(stored)).unwrap();
    found(&mut snapshot, FRONT).spec.metrics = Some(vec![metrics]);
    assert_eq!(done(&snapshot).is_empty(), is_same, "{:?}", done(&snapshot));
}

#[test]
fn an_omitted_field_of_a_metric_is_not_missed() {
    let metric = |selector: Value| {
        json!({"type": "External", "external": {
            "metric": {"name": "queue", "selector": selector},
            "target": {"type": "Value", "value": "30"},
        }})
    };
    let written = metric(json!({"matchLabels": {}, "matchExpressions": [
        {"key": "queue", "operator": "Exists", "values": []},
    ]}));
    let stored = metric(json!({"matchExpressions": [{"key": "queue", "operator": "Exists"}]}));
    let mut snapshot = running();
    edit(&mut snapshot, |s| {
        let metrics = json!([written]);
        s.spec.template.cliques[0].spec.auto_scaling_config = Some(config(None, 8, &metrics));
    });
    let stored = vec![serde_json::from_value(stored).unwrap()];
    found(&mut snapshot, FRONT).spec.metrics = Some(stored);
    assert_eq!(done(&snapshot), Vec::<String>::new());
}

#[test]
fn one_whose_metrics_were_removed_goes_back_to_the_default() {
    let mut snapshot = running();
    edit(&mut snapshot, |s| {
        let config = s.spec.template.cliques[0].spec.auto_scaling_config.as_mut();
        config.unwrap().metrics.clear();
    });
    assert_snapshot!(done(&snapshot).join("\n"));
}

/// The live count stays and follows the template from then on, if it is the template's.
#[test]
fn one_that_is_not_asked_for_any_more_goes_and_the_count_stays() {
    let mut snapshot = running();
    let front = snapshot.podcliques.get_mut(FRONT).unwrap();
    Arc::make_mut(&mut front.podclique).spec.replicas = 6;
    edit(&mut snapshot, |s| {
        s.spec.template.cliques[0].spec.auto_scaling_config = None;
        s.spec.template.cliques[0].spec.replicas = 3;
    });
    let next = plan(&snapshot);
    assert_snapshot!(writes(&next));
    carry_out(&mut snapshot, &next);
    let live = |snapshot: &Snapshot| snapshot.podcliques[FRONT].podclique.spec.replicas;
    assert_eq!(live(&snapshot), 6);
    let front = snapshot.podcliques.get_mut(FRONT).unwrap();
    Arc::make_mut(&mut front.podclique).spec.replicas = 3;
    edit(&mut snapshot, |s| {
        s.spec.template.cliques[0].spec.replicas = 4;
    });
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    assert_eq!(live(&snapshot), 4);
}

/// Also where it equals the template's count.
#[test]
fn a_count_follows_no_template_while_there_is_an_autoscaler() {
    let mut snapshot = running();
    edit(&mut snapshot, |s| {
        s.spec.template.cliques[0].spec.replicas = 4;
        s.spec.template.scaling_groups[0].replicas = Some(4);
    });
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    let front = &snapshot.podcliques[FRONT].podclique;
    let group = &snapshot.children.groups[0];
    assert_eq!((front.spec.replicas, group.spec.replicas), (2, 3));
    let stamps = [&front.metadata, &group.metadata].map(|meta| {
        let all = meta.annotations.as_ref().unwrap();
        all[labels::TEMPLATE_REPLICAS].clone()
    });
    assert_eq!(stamps, ["4", "4"]);
}

#[test]
fn those_of_a_replica_that_is_scaled_in_go_with_it() {
    let mut snapshot = laid_out(&autoscaled().replicas(2).build());
    edit(&mut snapshot, |s| s.spec.replicas = 1);
    assert_eq!(
        done(&snapshot),
        [
            "delete HorizontalPodAutoscaler demo-1-frontend: replica scaled in",
            "delete HorizontalPodAutoscaler demo-1-g: replica scaled in",
        ]
    );
}

#[test]
fn those_of_others_are_neither_changed_nor_deleted() {
    let mut snapshot = running();
    edit(&mut snapshot, |s| {
        s.spec.template.cliques[0].spec.auto_scaling_config = None;
    });
    found(&mut snapshot, FRONT).metadata.owner_references = None;
    assert_eq!(
        done(&snapshot),
        Vec::<String>::new(),
        "it has no controller"
    );
    let mut snapshot = running();
    let meta = &mut found(&mut snapshot, FRONT).metadata;
    meta.deletion_timestamp = Some(Time(after(59)));
    assert_eq!(done(&snapshot), Vec::<String>::new(), "it is going");
}

#[test]
fn a_set_takes_its_autoscalers_along() {
    let mut snapshot = running();
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.metadata.deletion_timestamp = Some(Time(after(59)));
    assert_eq!(done(&snapshot).len(), 2);
    snapshot.children.groups.clear();
    snapshot.podcliques.clear();
    snapshot.children.services.clear();
    let left = writes(&plan(&snapshot));
    assert!(!left.contains("finalizers"), "{left}");
    snapshot.children.autoscalers.clear();
    let left = writes(&plan(&snapshot));
    assert!(left.contains("finalizers"), "{left}");
}

/// The size of a job is fixed; the definition refuses it.
#[test]
fn a_job_gets_none() {
    let job = autoscaled().with(|s| s.spec.workload_type = Some(WorkloadType::Training));
    assert_eq!(done(&alone(&job.build())), Vec::<String>::new());
}

#[test]
fn thousands_of_them_are_made_in_portions() {
    let set = autoscaled().replicas(1_000).with(|s| {
        s.spec.template.scaling_groups[0].replicas = Some(2);
    });
    let mut snapshot = alone(&set.build());
    for portion in [500, 500, 500, 500, 0] {
        let next = plan(&snapshot);
        let made = next.waves.iter().flatten();
        let made = made.filter(|a| a.written::<HorizontalPodAutoscaler>().is_some());
        assert_eq!(made.count(), portion);
        carry_out(&mut snapshot, &next);
    }
}

/// An autoscaler is a copy of its metrics.
#[test]
fn metrics_count_against_the_limit_of_a_set() {
    let long = |s: &mut PodCliqueSet| {
        let metrics = json!([pods_metric("1")]);
        let mut config = config(None, 8, &metrics);
        let pods = config.metrics[0].pods.as_mut().unwrap();
        pods.metric.name = "x".repeat(100_000);
        s.spec.template.scaling_groups[0].scale_config = Some(config);
    };
    let plan = plan(&alone(&demo().replicas(2_000).with(long).build()));
    let status = plan.status.unwrap();
    assert!(plan.waves.is_empty());
    assert_snapshot!(status.last_errors[0].description);
}
