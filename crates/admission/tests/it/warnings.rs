//! Accepted fields with a warning, with its words.

use admission::warnings::of_set;
use serde_json::json;
use testkit::good_set::{Edit, FRONTEND, GROUP, at};

use crate::cases::{set, verdict};

pub(crate) fn told(before: Option<&[Edit<'_>]>, after: &[Edit<'_>]) -> String {
    let warnings = of_set(before.map(set).as_ref(), &set(after));
    let lines: Vec<_> = warnings.iter().map(|w| format!("  {w}")).collect();
    lines.join("\n")
}

#[test]
fn what_is_accepted_with_a_warning() {
    let spec = |field: &str| at(FRONTEND, &format!("spec/{field}"));
    let delay = "/spec/template/terminationDelay";
    let job = ("/spec/workloadType", json!("Training"));
    let cases: [(&str, &[Edit<'_>]); 9] = [
        ("start order", &[(&spec("startsAfter"), json!(["leader"]))]),
        (
            "delays",
            &[
                (delay, json!("9s")),
                (&at(GROUP, "terminationDelay"), json!("1500ms")),
            ],
        ),
        (
            "pods that end",
            &[(&spec("podSpec/restartPolicy"), json!("Never"))],
        ),
        (
            "priority",
            &[
                ("/spec/template/priorityClassName", json!("high")),
                (&spec("podSpec/priorityClassName"), json!("low")),
            ],
        ),
        (
            "partition above all replicas",
            &[("/spec/updateStrategy", json!({"partition": 9}))],
        ),
        (
            "updates of a job",
            &[
                job,
                ("/spec/updateStrategy", json!({"type": "RollingRecreate"})),
                (&at(FRONTEND, "rollingUpdate"), json!({"maxUnavailable": 1})),
                (&at(GROUP, "rollingUpdate"), json!({"maxUnavailable": 1})),
            ],
        ),
        (
            "group above its autoscaler",
            &[(
                &at(GROUP, "scaleConfig"),
                json!({"minReplicas": 1, "maxReplicas": 1}),
            )],
        ),
        (
            "old constraint",
            &[(
                &at(GROUP, "topologyConstraint"),
                json!({"topologyName": "c", "packDomain": "rack"}),
            )],
        ),
        (
            "MNNVL group without GPUs",
            &[(
                &at(FRONTEND, "annotations"),
                json!({"grove.io/mnnvl-group": "rack"}),
            )],
        ),
    ];
    let lines = cases.map(|(case, edits)| verdict(case, &told(None, edits)));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn updates_that_are_accepted_with_a_warning() {
    let coherent = ("/spec/updateStrategy", json!({"type": "Coherent"}));
    let (front, group) = (at(FRONTEND, "rollingUpdate"), at(GROUP, "rollingUpdate"));
    let cases: [(&str, &[Edit<'_>]); 4] = [
        (
            "a deadline before new pods count",
            &[
                (&front, json!({"progressDeadline": "5s"})),
                (&group, json!({"progressDeadline": "10.5s"})),
            ],
        ),
        (
            "partition above all members",
            &[
                (&front, json!({"partition": 9})),
                (&group, json!({"partition": 9})),
            ],
        ),
        (
            "coherent parts that go as a whole",
            std::slice::from_ref(&coherent),
        ),
        (
            "surge of one coherent part",
            &[coherent.clone(), (&group, json!({"maxSurge": 1}))],
        ),
    ];
    let lines = cases.map(|(case, edits)| verdict(case, &told(None, edits)));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn replicas_that_an_autoscaler_decides_about() {
    let scaling = json!({"minReplicas": 2, "maxReplicas": 9});
    let (clique, group) = (
        at(FRONTEND, "spec/autoScalingConfig"),
        at(GROUP, "scaleConfig"),
    );
    let before = [
        (clique.as_str(), scaling.clone()),
        (group.as_str(), scaling),
    ];
    let (front, prefill) = (at(FRONTEND, "spec/replicas"), at(GROUP, "replicas"));
    let more = [(front.as_str(), json!(3)), (prefill.as_str(), json!(3))];
    let after = [before.clone(), more].concat();
    insta::assert_snapshot!(told(Some(&before), &after));
    assert_eq!(told(None, &after), "");
    assert_eq!(told(Some(&after), &after), "");
}

#[test]
fn a_set_without_oddities_has_no_warnings() {
    let budget = at(FRONTEND, "rollingUpdate");
    let more_pods_than_needed = at(FRONTEND, "spec/minAvailable");
    let edits = [
        ("/spec/template/terminationDelay", json!("4h")),
        ("/spec/template/priorityClassName", json!("high")),
        (budget.as_str(), json!({"maxUnavailable": 1})),
        (more_pods_than_needed.as_str(), json!(1)),
    ];
    assert_eq!(told(None, &edits), "");
    assert_eq!(told(None, &[("/spec/workloadType", json!("Training"))]), "");
    assert_eq!(told(None, &[]), "");
}

#[test]
fn a_set_that_is_being_deleted_has_none() {
    let deleted = ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    let delay = ("/spec/template/terminationDelay", json!("1s"));
    assert_eq!(told(None, &[deleted, delay]), "");
}

/// The tool that applied it creates it again, and the job runs again.
#[test]
fn a_job_that_is_deleted_after_its_end_has_no_place_in_a_source_of_manifests() {
    let kept: [Edit<'_>; 2] = [
        ("/spec/workloadType", json!("Training")),
        ("/spec/trainingSpec", json!({"ttlAfterFinished": "1h"})),
    ];
    assert_eq!(told(None, &kept), "");
    for (meta, tool) in [
        (json!({"argocd.argoproj.io/tracking-id": "x"}), "Argo CD"),
        (json!({"kustomize.toolkit.fluxcd.io/name": "x"}), "Flux"),
    ] {
        let marked = [&kept[..], &[("/metadata/annotations", meta)]].concat();
        let words = told(None, &marked);
        let should = format!("spec.trainingSpec.ttlAfterFinished: {tool} creates the job again");
        assert!(words.contains(&should), "{words}");
        assert_eq!(words.lines().count(), 1, "{words}");
    }
}
