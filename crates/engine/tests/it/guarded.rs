//! One object that cannot be decoded spoils neither a list nor a watch.

use api::PodClique;
use engine::guarded::Guarded;
use kube::Resource;
use kube::core::{ObjectList, WatchEvent};

const READABLE: &str = r#"{"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
    "metadata": {"name": "a", "namespace": "n", "managedFields": [{"manager": "m"}]},
    "spec": {"roleName": "r", "podSpec": {"containers": []}, "replicas": 1}}"#;
const UNREADABLE: &str = r#"{"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
    "metadata": {"name": "b", "namespace": "n"}, "spec": {"replicas": "many"}}"#;

fn describe(guarded: &Guarded<PodClique>) -> String {
    let name = guarded.meta().name.as_deref().unwrap();
    match &guarded.0 {
        Ok(_) => name.to_owned(),
        Err(invalid) => format!("{name}: {}", invalid.error),
    }
}

#[test]
fn in_a_list_the_others_are_read() {
    let list = format!(
        r#"{{"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueList", "metadata": {{}},
            "items": [{UNREADABLE}, {READABLE}]}}"#
    );
    let list: ObjectList<Guarded<PodClique>> = serde_json::from_str(&list).unwrap();
    let all: Vec<String> = list.items.iter().map(describe).collect();
    let [unreadable, readable] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert!(unreadable.starts_with("b: ") && unreadable.contains("many"));
    assert_eq!(readable, "a");
    let managers = list.items.iter().map(|item| &item.meta().managed_fields);
    assert!(managers.into_iter().all(Option::is_none));
}

#[test]
fn a_watch_names_what_it_cannot_read() {
    for (object, name) in [(READABLE, "a"), (UNREADABLE, "b")] {
        let line = format!(r#"{{"type":"MODIFIED","object":{object}}}"#);
        let WatchEvent::Modified(guarded) =
            serde_json::from_slice::<WatchEvent<Guarded<PodClique>>>(line.as_bytes()).unwrap()
        else {
            panic!("{line}")
        };
        assert_eq!(guarded.meta().name.as_deref(), Some(name));
        assert_eq!(guarded.0.is_ok(), name == "a");
    }
}

#[test]
fn what_is_no_object_is_an_error() {
    for text in ["7", r#"{"metadata": 7}"#, "{"] {
        assert!(serde_json::from_str::<Guarded<PodClique>>(text).is_err());
    }
}

/// As API servers write it; the texts look like what is cut out, or like its end.
#[test]
fn managed_fields_are_left_out_and_nothing_else_is() {
    let annotation = r#""annotations":{"last":"{\"managedFields\":[1]}"}"#;
    let managers = r#"[{"manager":"m","fieldsV1":{"k:{\"]}\":\"[\"}":{}}},{"manager":"\\"}]"#;
    let rest = r#""name":"a","namespace":"n","uid":"u"},"spec":{"roleName":"r","podSpec":{"containers":[]},"replicas":1}}"#;
    let with = |list: &str| format!(r#"{{"metadata":{{{annotation},"managedFields":{list},{rest}"#);
    let read = |text: &str| serde_json::from_str::<Guarded<PodClique>>(text).unwrap();
    let object = read(&with(managers)).0.unwrap();
    assert_eq!(object, read(&with("[]")).0.unwrap());
    assert_eq!(object.metadata.uid.as_deref(), Some("u"));
    let noted = object.metadata.annotations.unwrap();
    assert_eq!(noted["last"], r#"{"managedFields":[1]}"#);
    assert!(serde_json::from_str::<Guarded<PodClique>>(&with("[1")).is_err());
}

/// A label and an annotation may be called so, and come before the real ones.
#[test]
fn a_label_called_managed_fields_is_a_label_and_spoils_nothing() {
    for map in ["labels", "annotations"] {
        let metadata = format!(
            r#"{{"{map}":{{"managedFields":"x"}},"managedFields":[{{"manager":"m"}}],"name":"c","namespace":"n"}}"#
        );
        let readable = r#"{"roleName":"r","podSpec":{"containers":[]},"replicas":1}"#;
        let object = |spec: &str| format!(r#"{{"metadata":{metadata},"spec":{spec}}}"#);
        let (good, bad) = (object(readable), object(r#"{"replicas":"many"}"#));
        let list = format!(r#"{{"metadata":{{}},"items":[{good},{bad},{READABLE}]}}"#);
        let list: ObjectList<Guarded<PodClique>> = serde_json::from_str(&list).unwrap();
        let names: Vec<String> = list.items.iter().map(describe).collect();
        assert_eq!(names[0], "c", "{map}");
        assert!(names[1].starts_with("c: "), "{map}: {names:?}");
        assert_eq!(names[2], "a", "{map}");
        let meta = list.items[0].meta();
        let (labels, annotations) = (meta.labels.clone(), meta.annotations.clone());
        assert_eq!(labels.or(annotations).unwrap()["managedFields"], "x");
        assert_eq!(meta.managed_fields, None);
    }
}
