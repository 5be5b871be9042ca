//! Whole files.

use std::path::PathBuf;

use cli::exit::Exit;
use cli::files::read_sources;
use cli::lint::{StoredObjects, find_nothing_checked, judge_sources};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{edited, good};

use super::{lint, said, source};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn examples_have_no_errors() {
    let folders = ["examples", "examples/schedulers"].map(|folder| root().join(folder));
    let sources = read_sources(&folders).unwrap();
    assert!(sources.len() >= 7, "{}", sources.len());
    let report = judge_sources(&sources, &StoredObjects::default()).into_report(&[]);
    assert_eq!(report.errors(), 0, "{:#?}", report.findings);
    assert!(report.checked >= 7 && report.unreadable.is_empty());
    let told = [
        "refused",
        "definition",
        "unknown-field",
        "admitted-with-warning",
        "no-requests",
    ];
    assert_eq!(said(&report, &told), [""; 0]);
}

/// Examples that stand for a user's own workload have neither GPUs nor models to wait for.
const SKETCHES: [&str; 11] = [
    "autoscaling",
    "coherent",
    "disaggregated",
    "mnnvl",
    "start-order",
    "suspend-and-ttl",
    "topology",
    "training-pytorch",
    "schedulers/kai-scheduler",
    "schedulers/kubernetes",
    "schedulers/volcano",
];

#[test]
fn examples_to_copy_have_no_warnings() {
    let folder = root().join("examples");
    let sources = read_sources(&[folder]).unwrap();
    let is_sketch = |name: &str| {
        SKETCHES
            .iter()
            .any(|s| name.ends_with(&format!("{s}.yaml")))
    };
    let copied: Vec<_> = sources
        .into_iter()
        .filter(|s| !is_sketch(&s.name))
        .collect();
    assert_eq!(copied.len(), 13);
    let report = judge_sources(&copied, &StoredObjects::default()).into_report(&[]);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!(report.checked, 13, "objects of ours");
}

#[test]
fn examples_state_their_end_and_are_listed() {
    let index = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
    for folder in ["examples", "examples/schedulers"].map(|folder| root().join(folder)) {
        for source in read_sources(&[folder]).unwrap() {
            let text = String::from_utf8(source.bytes).unwrap();
            let head = text.lines().take_while(|line| line.starts_with('#'));
            let is_stated = head
                .clone()
                .any(|line| line.starts_with("# Expected end: "));
            assert!(is_stated, "{}", source.name);
            let (_, file) = source.name.rsplit_once("examples/").unwrap();
            assert!(index.contains(&format!("({file})")), "{file} is not listed");
        }
    }
}

#[test]
fn lines_are_those_of_the_file_in_every_document_and_item() {
    let good = serde_saphyr::to_string(&good()).unwrap();
    let bad = serde_saphyr::to_string(&edited(&[("/spec/replicas", (-1).into())])).unwrap();
    let indented = bad.replace('\n', "\n    ");
    let text = format!("# first\n{good}---\n\n---\n{bad}---\nkind: List\nitems:\n  - {indented}\n");
    let report = lint(&text);
    let lines: Vec<_> = text.lines().collect();
    let errors = said(&report, &["refused"]);
    assert_eq!(errors.len(), 2, "{errors:?}");
    for error in errors {
        let line: usize = error.split(':').next().unwrap().parse().unwrap();
        assert!(lines[line - 1].contains("replicas: -1"), "{error}");
        assert!(
            error.contains("spec.replicas: -1: must not be negative"),
            "{error}"
        );
    }
    assert_eq!((report.checked, report.skipped), (3, 0));
}

#[test]
fn other_kinds_are_counted_and_nothing_else() {
    let text = "kind: Service\napiVersion: v1\n---\na: 1\n---\n- 1\n---\n# nothing\n";
    let report = lint(text);
    assert_eq!(
        (report.checked, report.skipped, report.findings.len()),
        (0, 3, 0)
    );
}

/// No other group has these kinds: an object of them that is not checked would look like one without errors.
#[rstest]
#[case::version(
    "apiVersion: grove.io/v1",
    "1:13: apiVersion: \"grove.io/v1\": this version is not served; write apiVersion: grove.io/v1alpha1"
)]
#[case::no_version(
    "apiVersion: grove.io",
    "1:13: apiVersion: \"grove.io\": this version is not served; write apiVersion: grove.io/v1alpha1"
)]
#[case::group(
    "apiVersion: grove/v1alpha1",
    "1:13: apiVersion: \"grove/v1alpha1\": the group of this kind is grove.io; write apiVersion: grove.io/v1alpha1"
)]
#[case::nothing(
    "# apiVersion",
    "2:1: apiVersion: not set: each object needs one; write apiVersion: grove.io/v1alpha1"
)]
fn a_wrong_version_of_our_kinds_is_an_error(
    #[case] line: &str,
    #[case] expected: &str,
    #[values("PodCliqueSet", "ClusterTopologyBinding")] kind: &str,
) {
    let report = lint(&format!("{line}\nkind: {kind}\n"));
    assert_eq!(said(&report, &["wrong-version"]), [expected]);
    assert_eq!((report.checked, report.skipped), (1, 0));
    let both = lint(&format!("{line}\nkind: PodCliqueset\n"));
    assert_eq!(
        said(&both, &["wrong-version", "unknown-kind"]).len(),
        2,
        "both names are wrong"
    );
}

/// The rest of the file is judged as well.
#[test]
fn a_missing_version_hides_nothing_else() {
    let text = "kind: PodCliqueSet\nmetadata: {name: a}\nspec: {replica: 1}\n";
    let told = said(&lint(text), &["unknown-field"]);
    assert_eq!(told.len(), 1, "{told:?}");
}

/// A file in which nothing was checked is no file without errors.
#[rstest]
#[case::empty("", true)]
#[case::comments("# nothing\n---\n", true)]
#[case::other_kinds("kind: Service\napiVersion: v1\n", true)]
#[case::part("spec:\n  replicas: 1\n", true)]
#[case::child("kind: PodClique\napiVersion: grove.io/v1alpha1\n", true)]
#[case::ours_among_others("kind: Service\n---\nkind: PodCliqueSet\n", false)]
#[case::broken("a: [\n", false)]
fn files_without_an_object_of_ours_are_bad_input(#[case] text: &str, #[case] expected: bool) {
    let files = [PathBuf::from("deploy/a.yaml"), PathBuf::from("-")];
    let failure = find_nothing_checked(&lint(text), &files).err();
    assert_eq!(failure.is_some(), expected, "{text}");
    if let Some(failure) = failure {
        assert_eq!(failure.exit(), Exit::BadInput);
        let expected = "nothing to check in deploy/a.yaml, standard input: no PodCliqueSet and no \
                        ClusterTopologyBinding; name a file or folder that has one";
        assert_eq!(failure.to_string(), expected);
    }
}

/// A kind in other letters is no object of another group.
#[test]
fn a_kind_that_is_none_is_an_error() {
    let text = "kind: PodCliqueset\napiVersion: grove.io/v1alpha1\n---\nkind: PodClique\napiVersion: grove.io/v1alpha1\n";
    let report = lint(text);
    let told = said(&report, &["unknown-kind"]);
    assert_eq!(
        told,
        ["1:7: kind: \"PodCliqueset\": grove.io has no such kind; did you mean PodCliqueSet?"]
    );
    assert_eq!((report.checked, report.skipped), (1, 1));
}

/// The rest of the object is judged as that of the kind and version that were meant.
#[rstest]
#[case::kind(
    "/kind",
    "PodCliqueset",
    "kind: \"PodCliqueset\": grove.io has no such kind; did you mean PodCliqueSet?"
)]
#[case::plural(
    "/kind",
    "PodCliqueSets",
    "kind: \"PodCliqueSets\": grove.io has no such kind; did you mean PodCliqueSet?"
)]
#[case::version(
    "/apiVersion",
    "grove.io/v1",
    "apiVersion: \"grove.io/v1\": this version is not served; write apiVersion: grove.io/v1alpha1"
)]
fn a_wrong_name_of_the_kind_hides_nothing_else(
    #[case] field: &str,
    #[case] name: &str,
    #[case] expected: &str,
) {
    let object = edited(&[(field, name.into()), ("/spec/replicas", (-1).into())]);
    let report = lint(&object.to_string());
    let told = said(&report, &["unknown-kind", "wrong-version", "refused"]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].ends_with(expected), "{told:?}");
    assert!(
        told[1].contains("spec.replicas: -1: must not be negative"),
        "{told:?}"
    );
}

/// Nobody knows what was meant by it.
#[test]
fn a_kind_of_other_words_is_not_looked_into() {
    let object = edited(&[("/kind", "Job".into()), ("/spec/replicas", (-1).into())]);
    let report = lint(&object.to_string());
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    assert_eq!(report.findings[0].remark.rule.id, "unknown-kind");
}

/// An object that is being deleted may contain anything.
#[test]
fn an_object_that_is_being_deleted_is_accepted() {
    let deleted = edited(&[
        ("/metadata/deletionTimestamp", "2026-01-01T00:00:00Z".into()),
        ("/spec/replicas", (-1).into()),
    ]);
    let stored = StoredObjects::of(&[source("old.json", good().to_string())]).unwrap();
    let new = source("new.json", deleted.to_string());
    let report = judge_sources(&[new], &stored).into_report(&[]);
    assert_eq!(said(&report, &["refused", "no-requests"]), [""; 0]);
}

#[test]
fn another_namespace_is_another_set() {
    let old = edited(&[("/metadata/namespace", "a".into())]);
    let renamed = |namespace: Value| {
        let cliques = json!([good()["spec"]["template"]["cliques"][0]]);
        let edits = [
            ("/metadata/namespace", namespace),
            ("/spec/template/cliques", cliques),
            ("/spec/template/podCliqueScalingGroups", json!([])),
        ];
        source("new.json", edited(&edits).to_string())
    };
    let stored = StoredObjects::of(&[source("old.json", old.to_string())]).unwrap();
    let errors = |namespace| {
        judge_sources(&[renamed(namespace)], &stored)
            .into_report(&[])
            .errors()
    };
    assert_eq!((errors(json!("a")), errors(json!("b"))), (2, 0));
    assert_eq!(
        errors(Value::Null),
        2,
        "it names none, and there is one of its name only"
    );
}
