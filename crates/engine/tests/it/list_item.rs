//! One object that cannot be decoded spoils neither a list nor a watch.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::Pod;
use engine::list_item::ListItem;
use kube::Resource;
use kube::core::object::HasStatus;
use kube::core::{ObjectList, WatchEvent};
use rstest::rstest;

const READABLE: &str = r#"{"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
    "metadata": {"name": "a", "namespace": "n", "managedFields": [{"manager": "m"}]},
    "spec": {"roleName": "r", "podSpec": {"containers": []}, "replicas": 1}}"#;
const UNREADABLE: &str = r#"{"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
    "metadata": {"name": "b", "namespace": "n"}, "spec": {"replicas": "many"}}"#;

fn describe(item: &ListItem<PodClique>) -> String {
    let name = item.meta().name.as_deref().unwrap();
    match &item.object {
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
    let list: ObjectList<ListItem<PodClique>> = serde_json::from_str(&list).unwrap();
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
fn a_watch_names_the_field_that_it_cannot_read() {
    for (object, name) in [(READABLE, "a"), (UNREADABLE, "b")] {
        let line = format!(r#"{{"type":"MODIFIED","object":{object}}}"#);
        let WatchEvent::Modified(item) =
            serde_json::from_slice::<WatchEvent<ListItem<PodClique>>>(line.as_bytes()).unwrap()
        else {
            panic!("{line}")
        };
        assert_eq!(item.meta().name.as_deref(), Some(name));
        assert_eq!(item.object.is_ok(), name == "a");
    }
}

#[test]
fn a_value_that_is_no_object_is_an_error() {
    for text in ["7", r#"{"metadata": 7}"#, "{"] {
        assert!(serde_json::from_str::<ListItem<PodClique>>(text).is_err());
    }
}

/// As API servers write it; the texts look like the removed part, or like its end.
#[test]
fn managed_fields_are_left_out_and_nothing_else_is() {
    let annotation = r#""annotations":{"last":"{\"managedFields\":[1]}"}"#;
    let managers = r#"[{"manager":"m","fieldsV1":{"k:{\"]}\":\"[\"}":{}}},{"manager":"\\"}]"#;
    let rest = r#""name":"a","namespace":"n","uid":"u"},"spec":{"roleName":"r","podSpec":{"containers":[]},"replicas":1}}"#;
    let with = |list: &str| format!(r#"{{"metadata":{{{annotation},"managedFields":{list},{rest}"#);
    let read = |text: &str| serde_json::from_str::<ListItem<PodClique>>(text).unwrap();
    let object = read(&with(managers)).object.unwrap();
    assert_eq!(object, read(&with("[]")).object.unwrap());
    assert_eq!(object.metadata.uid.as_deref(), Some("u"));
    let noted = object.metadata.annotations.unwrap();
    assert_eq!(noted["last"], r#"{"managedFields":[1]}"#);
    assert!(serde_json::from_str::<ListItem<PodClique>>(&with("[1")).is_err());
}

/// A label and an annotation may have such names, and come before the real fields.
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
        let list: ObjectList<ListItem<PodClique>> = serde_json::from_str(&list).unwrap();
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

#[rstest]
#[case(r#"{"replicas":"many"}"#, "spec.replicas")]
#[case(r#"{"replicas":10.25,"roleName":"r"}"#, "spec.replicas")]
#[case(r#"{"replicas":true}"#, "spec.replicas")]
#[case("{\"roleName\":\"r\",\n  \"replicas\": [1]}", "spec.replicas")]
#[case(r#"{"roleName":105,"replicas":1}"#, "spec.roleName")]
#[case(r#"{"roleName":{"of":"r"}}"#, "spec.roleName")]
#[case(r#"{"podSpec":"x1"}"#, "spec.podSpec")]
#[case(
    r#"{"podSpec":{"containers":[{"name":"a"},{"image":7}]}}"#,
    "spec.podSpec.containers[1].image"
)]
#[case(
    r#"{"podSpec":{"containers":[{"command":["a",{"b":1}]}]}}"#,
    "spec.podSpec.containers[0].command"
)]
#[case("7", "spec")]
fn the_field_that_cannot_be_read_is_named(#[case] spec: &str, #[case] field: &str) {
    let text = format!(r#"{{"metadata":{{"name":"a"}},"spec":{spec},"status":{{}}}}"#);
    let item: ListItem<PodClique> = serde_json::from_str(&text).unwrap();
    let problem = item.problem().unwrap();
    assert!(problem.starts_with(&format!("{field}: ")), "{problem}");
    assert!(!problem.contains(" at line "), "{problem}");
}

/// The view of an object of a kind that the operator holds until its children are gone.
fn read<K>(spec: &str, status: &str, is_deleted: bool) -> String
where
    K: Resource<DynamicType = ()> + serde::de::DeserializeOwned + HasStatus,
{
    let deleted = if is_deleted {
        r#""deletionTimestamp":"2026-01-01T00:00:00Z","#
    } else {
        ""
    };
    let text = format!(
        r#"{{"metadata":{{{deleted}"name":"a","namespace":"n","uid":"u","finalizers":["orphan"]}},
            "spec":{spec},"status":{status}}}"#
    );
    let item: ListItem<K> = serde_json::from_str(&text).unwrap();
    assert_eq!(
        item.meta().finalizers.as_deref(),
        Some(&["orphan".to_owned()][..])
    );
    let problem = item.problem().unwrap_or("nothing").to_owned();
    let problem = problem.split(':').next().unwrap();
    match &item.object {
        Ok(object) if object.status().is_some() => format!("shown with status; unread: {problem}"),
        Ok(_) => format!("shown without status; unread: {problem}"),
        Err(_) => format!("left alone; unread: {problem}"),
    }
}

/// Whether the spec and the status can be read, and whether the object is being deleted.
#[rstest]
#[case(true, true, true, "shown with status; unread: nothing")]
#[case(true, true, false, "shown with status; unread: nothing")]
#[case(true, false, true, "shown without status; unread: status.conditions")]
#[case(true, false, false, "left alone; unread: status.conditions")]
#[case(false, true, true, "shown with status; unread: spec")]
#[case(false, true, false, "left alone; unread: spec")]
#[case(false, false, true, "shown without status; unread: spec")]
#[case(false, false, false, "left alone; unread: spec")]
fn a_deleted_object_is_shown_with_its_readable_parts(
    #[case] spec: bool,
    #[case] status: bool,
    #[case] is_deleted: bool,
    #[case] expected: &str,
) {
    let status = if status {
        r#"{"phase":"Pending"}"#
    } else {
        r#"{"phase":"Pending","conditions":7}"#
    };
    let or_unread = |readable| if spec { readable } else { "7" };
    let set = or_unread(r#"{"replicas":1,"template":{"cliques":[]}}"#);
    let group = or_unread(r#"{"cliqueNames":["a"]}"#);
    let podclique = or_unread(r#"{"roleName":"r","podSpec":{"containers":[]}}"#);
    let gang = or_unread(r#"{"podgroups":[]}"#);
    assert_eq!(read::<PodCliqueSet>(set, status, is_deleted), expected);
    assert_eq!(
        read::<PodCliqueScalingGroup>(group, status, is_deleted),
        expected
    );
    assert_eq!(read::<PodClique>(podclique, status, is_deleted), expected);
    assert_eq!(read::<PodGang>(gang, status, is_deleted), expected);
}

/// These objects have no finalizer of ours, and a pod without its phase cannot be used.
#[test]
fn unread_objects_of_kinds_that_are_not_held_are_left_alone() {
    let text = r#"{"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":7}}"#;
    let pod: ListItem<Pod> = serde_json::from_str(text).unwrap();
    assert!(pod.object.is_err());
    assert!(pod.problem().unwrap().starts_with("status.phase: "));
}

/// Otherwise each new version of an object would have another event.
#[test]
fn where_in_the_text_it_stands_is_not_said() {
    let item: ListItem<PodClique> = serde_json::from_str(UNREADABLE).unwrap();
    let problem = item.problem().unwrap();
    assert_eq!(
        problem,
        "spec.replicas: invalid type: string \"many\", expected i32"
    );
}
