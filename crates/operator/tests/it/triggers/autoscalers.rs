//! Autoscalers that the operator made.

use k8s_openapi::api::autoscaling::v2::{
    HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus,
};

use super::*;

/// Kubernetes writes the status of each one several times a minute.
#[test]
fn triggers_the_set_for_the_spec_of_an_autoscaler_and_not_for_its_status() {
    let autoscaler = |highest: i32, desired: i32| {
        Some(Arc::new(HorizontalPodAutoscaler {
            metadata: meta("demo-0-a", "PodCliqueSet", "demo"),
            spec: HorizontalPodAutoscalerSpec {
                max_replicas: highest,
                ..HorizontalPodAutoscalerSpec::default()
            },
            status: Some(HorizontalPodAutoscalerStatus {
                desired_replicas: desired,
                ..HorizontalPodAutoscalerStatus::default()
            }),
        }))
    };
    let triggered = |old, new| {
        let mut triggered = triggered_by(&Change { old, new }, &Caches::default());
        triggered.dedup();
        triggered
    };
    assert_eq!(triggered(autoscaler(5, 2), autoscaler(5, 3)), []);
    let set = (SETS, Key::new("default", "demo"));
    assert_eq!(triggered(autoscaler(5, 2), autoscaler(6, 2)), [set]);
}
