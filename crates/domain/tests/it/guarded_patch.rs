//! A patch tests the uid first, and its places are escaped.

use domain::Key;
use domain::plan::{Action, GuardedPatch, Pointer, Purpose};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use rstest::rstest;
use serde_json::{Value, json};

fn patch() -> GuardedPatch {
    GuardedPatch::of::<Pod>(&ObjectMeta {
        namespace: Some("default".into()),
        name: Some("demo-0-worker-p0".into()),
        uid: Some("u1".into()),
        resource_version: Some("7".into()),
        ..ObjectMeta::default()
    })
}

fn label() -> Pointer {
    Pointer::label("grove.io/podclique")
}

const LABEL: &str = "/metadata/labels/grove.io~1podclique";

#[rstest]
#[case::nothing(patch(), json!([]))]
#[case::unless_changed(
    patch().unless_changed(),
    json!([{"op": "test", "path": "/metadata/resourceVersion", "value": "7"}])
)]
#[case::tests_a_value(patch().test(&label(), "a"), json!([{"op": "test", "path": LABEL, "value": "a"}]))]
#[case::tests_for_null(
    patch().test(&label(), None::<&str>),
    json!([{"op": "test", "path": LABEL, "value": null}])
)]
#[case::add(patch().add(&label(), json!({})), json!([{"op": "add", "path": LABEL, "value": {}}]))]
#[case::replace(patch().replace(&label(), 2), json!([{"op": "replace", "path": LABEL, "value": 2}]))]
#[case::remove(patch().remove(&label()), json!([{"op": "remove", "path": LABEL}]))]
#[case::several_in_their_order(
    patch().test(&label(), "a").remove(&label()),
    json!([{"op": "test", "path": LABEL, "value": "a"}, {"op": "remove", "path": LABEL}])
)]
fn tests_the_uid_before_it_does_anything(#[case] patch: GuardedPatch, #[case] rest: Value) {
    let mut expected = vec![json!({"op": "test", "path": "/metadata/uid", "value": "u1"})];
    expected.extend(rest.as_array().unwrap().clone());
    assert_eq!(patch.operations(), expected);
}

#[rstest]
#[case::label(Pointer::label("grove.io/podclique"), LABEL)]
#[case::annotation(Pointer::annotation("a/b~c"), "/metadata/annotations/a~1b~0c")]
#[case::tilde_before_slash(Pointer::to(&["~1"]), "/~01")]
#[case::index_and_field(Pointer::to(&["spec", "schedulingGates", "0"]).then("name"), "/spec/schedulingGates/0/name")]
#[case::root(Pointer::to(&[]), "")]
fn escapes_the_names_of_fields(#[case] place: Pointer, #[case] text: &str) {
    assert_eq!(place.to_string(), text);
}

#[test]
fn is_a_write_to_its_object_with_a_reason() {
    let action: Action = patch().because(Purpose::AdoptPod);
    assert_eq!(action.key(), Key::new("default", "demo-0-worker-p0"));
    assert_eq!(action.purpose(), Some(Purpose::AdoptPod));
}
