//! Defaults as a patch of the sent object.

use admission::defaults::{DefaultsConfig, apply};
use api::{GoDuration, PodCliqueSet};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, FRONTEND, GROUP, at, edited, good};
use webhook::patch::{outline_of, plan_patch};

fn config() -> DefaultsConfig {
    DefaultsConfig {
        termination_delay: Some(GoDuration("4h".into())),
    }
}

fn decode(object: &Value) -> PodCliqueSet {
    serde_json::from_value(object.clone()).unwrap()
}

/// The patch for the object, and the patched object.
fn patched(sent: &Value) -> (Option<Value>, Value) {
    let before = decode(sent);
    let outline = outline_of(&before).unwrap();
    let patch = plan_patch(&sent.to_string(), &outline, &apply(&before, &config()));
    let mut object = sent.clone();
    if let Some(patch) = &patch {
        let patch: json_patch::Patch = serde_json::from_value(patch.clone()).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
    }
    (patch, object)
}

/// Everything in `part` is in `whole`, except nulls and empty texts.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().all(|(key, part)| {
            let whole = whole.get(key).unwrap_or(&Value::Null);
            contains(whole, part)
        }),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(w, p)| contains(w, p))
        }
        (_, Value::Null) => true,
        (_, Value::String(text)) if text.is_empty() => true,
        (whole, part) => whole == part,
    }
}

/// Places of the good set that users fill in or leave out, and unknown fields.
fn places() -> Vec<(String, Value)> {
    let spec = at(FRONTEND, "spec");
    let of_clique = [
        ("minAvailable", json!(1)),
        ("minAvailable", Value::Null),
        ("autoScalingConfig", json!({"maxReplicas": 9})),
        (
            "autoScalingConfig",
            json!({"maxReplicas": 9, "unknown": [1, {"a": null}]}),
        ),
        ("podSpec/restartPolicy", json!("")),
        ("podSpec/restartPolicy", json!("OnFailure")),
        ("podSpec/restartPolicy", Value::Null),
        ("podSpec/terminationGracePeriodSeconds", json!(0)),
        (
            "podSpec/containers/0/resources",
            json!({"limits": {"cpu": "1000m", "memory": "1.5Gi"}}),
        ),
        ("podSpec/futureField", json!({"deep": [{"er": true}]})),
        ("replicas", json!(0)),
        ("futureField", json!("x")),
    ];
    let of_clique = of_clique.map(|(field, value)| (at(&spec, field), value));
    let others = [
        ("/spec/workloadType", json!("Training")),
        ("/spec/workloadType", json!("Inference")),
        ("/spec/trainingSpec", json!({})),
        ("/spec/trainingSpec", json!({"future": 1})),
        ("/spec/template/terminationDelay", json!("60m")),
        ("/spec/template/terminationDelay", Value::Null),
        ("/spec/template/headlessServiceConfig", json!({})),
        ("/spec/template/headlessServiceConfig", Value::Null),
        (
            "/spec/template/cliqueStartupType",
            json!("CliqueStartupTypeInOrder"),
        ),
        ("/spec/template/future", json!([[], {}])),
        ("/spec/future~1field", json!(1)),
        ("/metadata/labels", json!({"a/b": "c~d"})),
        (
            "/metadata/managedFields",
            json!([{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]),
        ),
        ("/metadata/futureMeta", json!({"x": 1})),
        ("/status", json!({"replicas": 3, "future": 1})),
    ];
    let others = others.map(|(place, value)| (place.to_owned(), value));
    let of_group = [
        ("replicas", Value::Null),
        ("minAvailable", json!(2)),
        ("scaleConfig", json!({"maxReplicas": 4})),
        ("future", json!(true)),
    ];
    let of_group = of_group.map(|(field, value)| (at(GROUP, field), value));
    [&of_clique[..], &others, &of_group].concat()
}

fn sent_sets() -> impl Strategy<Value = Value> {
    let all = places();
    let many = all.len();
    proptest::sample::subsequence(all, 0..many).prop_map(|chosen| {
        let edits: Vec<_> = chosen
            .iter()
            .map(|(p, v)| (p.as_str(), v.clone()))
            .collect();
        edited(&edits)
    })
}

proptest! {
    #[test]
    fn the_patched_object_is_the_one_with_defaults_and_nothing_that_was_sent_is_lost(
        sent in sent_sets()
    ) {
        let (patch, object) = patched(&sent);
        prop_assert_eq!(decode(&object), apply(&decode(&sent), &config()), "{:?}", patch);
        prop_assert!(contains(&object, &sent), "{}\n{}", sent, object);
        prop_assert_eq!(&object["metadata"], &sent["metadata"]);
        prop_assert_eq!(&object["status"], &sent["status"]);
    }

    #[test]
    fn an_object_with_its_defaults_is_not_patched(sent in sent_sets()) {
        let (_, object) = patched(&sent);
        prop_assert_eq!(patched(&object).0, None);
    }
}

#[test]
fn only_missing_defaults_are_added() {
    let sent = edited(&[
        (
            CLIQUES,
            json!([{"name": "a", "spec": {
                "roleName": "a", "replicas": 2, "minAvailable": 1,
                "podSpec": {"containers": [], "restartPolicy": "Always"},
            }}]),
        ),
        ("/spec/template/podCliqueScalingGroups", json!([])),
        ("/spec/template/terminationDelay", json!("1h")),
        (
            "/spec/template/cliqueStartupType",
            json!("CliqueStartupTypeAnyOrder"),
        ),
        ("/spec/workloadType", json!("Inference")),
    ]);
    let grace = "/spec/template/cliques/0/spec/podSpec/terminationGracePeriodSeconds";
    let (patch, _) = patched(&sent);
    let patch = patch.unwrap();
    let paths: Vec<_> = patch
        .as_array()
        .unwrap()
        .iter()
        .map(|o| &o["path"])
        .collect();
    assert_eq!(paths, [grace, "/spec/template/headlessServiceConfig"]);
}

#[test]
fn parents_that_are_missing_are_made() {
    let set = |spec: Option<Value>| {
        let mut set = decode(&good());
        set.spec = spec
            .map(|spec| serde_json::from_value(spec).unwrap())
            .unwrap_or_default();
        set
    };
    let before = set(None);
    for sent in [
        json!({}),
        json!({"spec": {}}),
        json!({"spec": null}),
        json!({"spec": {"template": null}}),
    ] {
        let after = apply(&before, &config());
        let outline = outline_of(&before).unwrap();
        let patch = plan_patch(&sent.to_string(), &outline, &after).unwrap();
        let mut object = sent.clone();
        let patch: json_patch::Patch = serde_json::from_value(patch).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
        let template = &object["spec"]["template"];
        assert_eq!(template["terminationDelay"], json!("4h"), "{sent}");
        assert_eq!(object["spec"]["workloadType"], json!("Inference"), "{sent}");
    }
}

/// The outline leaves out containers and labels, which make an object large.
#[test]
fn the_outline_has_only_fields_that_defaults_change() {
    let outline = outline_of(&apply(&decode(&good()), &config())).unwrap();
    let text = outline.to_string();
    for absent in ["containers", "image", "labels", "annotations", "metrics"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
    let clique = &outline["spec"]["template"]["cliques"][0]["spec"];
    assert_eq!(clique["podSpec"]["restartPolicy"], "Always", "{text}");
}
