//! The verdicts of Dynamo's operator, case by case: the other rings judge by them.

use serde_json::{Value, json};
use sim::dynamo::{Verdict, is_of_template, judge_graph, judge_part, may_scale, serves_accepted};

/// A PodClique of two pods that all are new and Ready, with these fields instead.
fn podclique(status: &Value) -> Value {
    part("PodClique", "readyReplicas", status)
}

fn group(status: &Value) -> Value {
    part("PodCliqueScalingGroup", "availableReplicas", status)
}

fn part(kind: &str, up: &str, status: &Value) -> Value {
    let mut part = json!({
        "kind": kind,
        "metadata": {"generation": 2},
        "spec": {"replicas": 2},
        "status": {
            "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "scheduledReplicas": 2,
            "currentPodCliqueSetGenerationHash": "new",
        },
    });
    part["status"][up] = json!(2);
    for (key, value) in status.as_object().unwrap() {
        part["status"][key] = value.clone();
    }
    part
}

fn set(observed: &Value, progress: &Value) -> Value {
    json!({
        "metadata": {"generation": 2},
        "status": {
            "observedGeneration": observed, "currentGenerationHash": "new",
            "updateProgress": progress,
        },
    })
}

fn said(type_: &str, reason: &str) -> Value {
    json!({"conditions": [{"type": type_, "status": "False", "reason": reason}]})
}

#[test]
fn a_part_is_ready_with_all_pods_new_and_up() {
    let none = json!({});
    for part in [podclique(&none), group(&none)] {
        assert_eq!(judge_part(&part), Verdict::Ready);
    }
    let cases = [
        (json!({"observedGeneration": null}), Verdict::Pending),
        (json!({"observedGeneration": 1}), Verdict::Pending),
        (json!({"updatedReplicas": 1}), Verdict::Updating),
        (json!({"replicas": 1}), Verdict::Updating),
        (json!({"replicas": 3}), Verdict::Updating),
        (json!({"readyReplicas": 1}), Verdict::Pending),
        (
            json!({"scheduledReplicas": 1, "updatedReplicas": 1}),
            Verdict::Pending,
        ),
        (
            json!({"scheduleGatedReplicas": 1, "updatedReplicas": 1}),
            Verdict::Pending,
        ),
    ];
    for (status, verdict) in cases {
        assert_eq!(judge_part(&podclique(&status)), verdict, "{status}");
    }
    let mut nothing = podclique(&json!({"replicas": 2}));
    nothing["spec"]["replicas"] = json!(0);
    assert_eq!(judge_part(&nothing), Verdict::Ready);
}

#[test]
fn a_lack_of_room_goes_before_an_update() {
    let lacks = |part: Value| judge_part(&part) == Verdict::Pending;
    let outdated = |mut status: Value| {
        status["updatedReplicas"] = json!(0);
        status
    };
    let scheduled = outdated(said("PodCliqueScheduled", "InsufficientScheduledPods"));
    assert!(lacks(podclique(&scheduled)));
    assert!(!lacks(group(&scheduled)), "of a PodClique only");
    let breach = outdated(said(
        "MinAvailableBreached",
        "ScheduledReplicasBelowMinAvailable",
    ));
    assert!(lacks(group(&breach)));
    assert!(!lacks(podclique(&breach)), "of a group only");
}

#[test]
fn a_graph_is_what_its_worst_part_is_and_pending_while_its_set_is_not_observed() {
    let (ready, away) = (
        podclique(&json!({})),
        group(&json!({"availableReplicas": 1})),
    );
    let old = podclique(&json!({"updatedReplicas": 1}));
    let observed = set(&json!(2), &Value::Null);
    let judge = |parts: &[Option<&Value>]| judge_graph(&observed, parts);
    assert_eq!(judge(&[Some(&ready), Some(&ready)]), Verdict::Ready);
    assert_eq!(judge(&[Some(&ready), Some(&away)]), Verdict::Pending);
    assert_eq!(judge(&[Some(&ready), None]), Verdict::Pending);
    assert_eq!(judge(&[Some(&old), Some(&away)]), Verdict::Updating);
    for observed in [json!(1), json!(3), Value::Null] {
        let set = set(&observed, &Value::Null);
        assert_eq!(judge_graph(&set, &[Some(&ready)]), Verdict::Pending);
    }
}

#[test]
fn traffic_and_scaling_wait_for_the_end_of_the_update() {
    let ended = json!({"updateEndedAt": "2026-11-27T08:00:00Z"});
    let runs = json!({"updateStartedAt": "2026-11-27T08:00:00Z"});
    let observed = set(&json!(2), &ended);
    let serves = |status: Value| serves_accepted(&observed, &[Some(&podclique(&status))]);
    assert!(serves(json!({})));
    assert!(serves(json!({"updateProgress": ended})));
    assert!(
        serves(json!({"readyReplicas": 1})),
        "a crash later moves nothing back"
    );
    for status in [
        json!({"updateProgress": runs}),
        json!({"currentPodCliqueSetGenerationHash": "old"}),
        json!({"currentPodCliqueSetGenerationHash": null}),
        json!({"updatedReplicas": 1}),
        json!({"replicas": 3}),
    ] {
        assert!(!serves(status.clone()), "{status}");
    }
    assert!(!serves_accepted(&observed, &[None]));

    assert!(may_scale(&observed));
    assert!(may_scale(&set(&json!(2), &Value::Null)));
    assert!(!may_scale(&set(&json!(2), &runs)));
    assert!(!may_scale(&set(&json!(1), &ended)));
}

#[test]
fn a_pod_is_of_the_template_with_its_annotations_and_variables() {
    let template = |name: &str, value: &str| {
        json!({
            "name": name,
            "annotations": {"nvidia.com/restartAt": "1"},
            "spec": {"podSpec": {"containers": [{"env": [{"name": "VERSION", "value": value}]}]}},
        })
    };
    let set = json!({"spec": {"template": {"cliques": [
        template("ldr", "of another clique"), template("decode-ldr", "2"),
    ]}}});
    let pod = |restart: &str, version: &str| {
        json!({
            "metadata": {
                "labels": {"grove.io/podclique": "llm-0-decode-0-decode-ldr"},
                "annotations": {"nvidia.com/restartAt": restart, "example.com/more": "1"},
            },
            "spec": {"containers": [{"env": [
                {"name": "GROVE_PCS_NAME", "value": "llm"}, {"name": "VERSION", "value": version},
            ]}]},
        })
    };
    assert!(is_of_template(&set, &pod("1", "2")));
    assert!(!is_of_template(&set, &pod("0", "2")));
    assert!(!is_of_template(&set, &pod("1", "1")));
}
