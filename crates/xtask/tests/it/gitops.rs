//! kstatus, Argo CD with our script and Flux with our expressions agree on each recorded status.
//! The tests `recorded` of the reconcilers' crates write the files in `recorded`.

mod argo;
mod flux;
mod kstatus;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use Verdict::{Current, Failed, InProgress};

const FOLDER: &str = "tests/it/gitops/recorded";

/// The verdict of a waiting tool on an object. An object that is being deleted is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Current,
    InProgress,
    Failed,
}

const EXPECTED: [(&str, Verdict); 28] = [
    ("podclique-created", InProgress),
    ("podclique-ready", Current),
    ("podclique-refused-for-long", Failed),
    ("podclique-refused-just-now", InProgress),
    ("podclique-too-large", Failed),
    ("podcliquescalinggroup-name-taken", Failed),
    ("podcliquescalinggroup-ready", Current),
    ("podcliquescalinggroup-refused-for-long", Failed),
    ("podcliqueset-being-deleted", InProgress),
    ("podcliqueset-change-not-seen", InProgress),
    ("podcliqueset-crash-loop", InProgress),
    ("podcliqueset-created", InProgress),
    ("podcliqueset-invalid", Failed),
    ("podcliqueset-invalid-change", Failed),
    ("podcliqueset-invalid-change-mended", Current),
    ("podcliqueset-job-failed", Failed),
    ("podcliqueset-job-runs", Current),
    ("podcliqueset-job-succeeded", Current),
    ("podcliqueset-minimum-ready", Current),
    ("podcliqueset-name-taken", Failed),
    ("podcliqueset-ready", Current),
    ("podcliqueset-refused-for-long", Failed),
    ("podcliqueset-refused-just-now", InProgress),
    ("podcliqueset-scaled-to-zero", Current),
    ("podcliqueset-too-large", Failed),
    ("podcliqueset-updating", Current),
    ("podgang-ready", Current),
    ("podgang-waiting", InProgress),
];

fn recorded() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let read = files.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        // insta's head lies between two lines of three dashes.
        let object = text.splitn(3, "---\n").nth(2).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, serde_json::from_str(object).unwrap())
    });
    read.collect()
}

fn judge(object: &Value) -> [Verdict; 3] {
    [
        kstatus::judge(object),
        argo::judge(object),
        flux::judge(object),
    ]
}

#[test]
fn all_three_think_the_same_of_every_recorded_status() {
    let recorded = recorded();
    let expected: BTreeMap<&str, Verdict> = EXPECTED.into();
    let names: Vec<&str> = recorded.keys().map(String::as_str).collect();
    assert_eq!(names, expected.keys().copied().collect::<Vec<_>>());
    for (name, object) in &recorded {
        let kind = object["kind"].as_str().unwrap().to_lowercase();
        assert!(name.starts_with(&format!("{kind}-")), "{name} is a {kind}");
        assert_eq!(judge(object), [expected[name.as_str()]; 3], "{name}");
    }
}

/// The addition of our script to kstatus, which takes an object without a status for ready.
#[test]
fn an_object_before_its_first_reconcile_is_in_progress() {
    let object = json!({"kind": "PodCliqueSet", "metadata": {"name": "a", "generation": 1}});
    assert_eq!(argo::judge(&object), InProgress);
    assert_eq!(kstatus::judge(&object), Current);
}

/// While a changed spec is refused, no generation is observed. Only the conditions' own generations
/// show that they belong to the spec before the next change (decision 102).
#[test]
fn a_change_that_corrects_a_refused_spec_is_in_progress_at_once() {
    let mut object = recorded().remove("podcliqueset-invalid-change").unwrap();
    object["metadata"]["generation"] = json!(3);
    assert_eq!(judge(&object), [Failed, InProgress, InProgress]);
}

/// Each tool shows the cause, in the words of the condition.
#[test]
fn argo_shows_the_cause() {
    let object = &recorded()["podcliqueset-name-taken"];
    let message = argo::message(object);
    assert!(message.starts_with("NameTaken: "), "{message}");
}

/// Argo CD has a state of its own for it. Flux goes on: the set is as it was asked to be. kstatus has no
/// word for it, so a tool without our expressions waits.
#[test]
fn a_suspended_set_is_suspended_in_argo_and_current_in_flux() {
    let mut object = recorded().remove("podcliqueset-ready").unwrap();
    for condition in object["status"]["conditions"].as_array_mut().unwrap() {
        if condition["type"] == "Ready" {
            condition["status"] = json!("False");
            condition["reason"] = json!("Suspended");
        }
    }
    assert_eq!(argo::status(&object), "Suspended");
    assert_eq!(flux::judge(&object), Current);
    assert_eq!(kstatus::judge(&object), InProgress);
}

/// An update that stands still is failed for Argo CD, whether the minimum runs or not. kstatus and Flux
/// know `Ready` and `Stalled` only.
#[test]
fn an_update_that_stands_still_is_degraded() {
    let mut object = recorded().remove("podcliqueset-updating").unwrap();
    let update = object["status"]["conditions"][1].as_object_mut().unwrap();
    assert_eq!(update["type"], "UpdateInProgress");
    update.insert("status".to_owned(), json!("Unknown"));
    update.insert("reason".to_owned(), json!("ReplicasAway"));
    assert_eq!(judge(&object), [Current, Failed, Current]);
    let message = argo::message(&object);
    assert!(message.starts_with("ReplicasAway: "), "{message}");

    object["status"]["conditions"][0]["status"] = json!("False");
    assert_eq!(judge(&object), [InProgress, Failed, InProgress]);
}
