//! `undo`: which revision it chooses, and what it writes.

use api::{PodCliqueSet, WorkloadType};
use cli::edit::is_same_spec;
use cli::exit::{Exit, Failure};
use cli::plan::find_differences;
use cli::undo::{
    Undone, build_patch, choose_revision, draw_undone, find_manager, restore_templates,
};
use domain::workload::revision::Revisions;
use rstest::rstest;
use serde_json::{Value, json};

use crate::history::{record, versions};
use crate::read::plain;

fn revisions(set: &PodCliqueSet) -> Revisions {
    let older = [
        record(&versions("1", "1"), 1, 0),
        record(&versions("2", "1"), 2, 10),
    ];
    Revisions::of(
        set,
        older
            .into_iter()
            .chain([record(&versions("3", "1"), 4, 20)]),
    )
}

fn exit_of(result: Result<i64, Failure>) -> Result<i64, Exit> {
    result.map_err(|failure| failure.exit())
}

/// Without a number it takes the newest revision that differs from the manifest: a template that
/// was never accepted has none.
#[rstest]
#[case::the_one_before(("3", "1"), None, Ok(2))]
#[case::a_template_that_was_refused(("9", "1"), None, Ok(4))]
#[case::by_number(("3", "1"), Some(1), Ok(1))]
#[case::no_such_number(("3", "1"), Some(3), Err(Exit::NotFound))]
#[case::the_present_one(("3", "1"), Some(4), Err(Exit::BadInput))]
fn chooses_a_revision(
    #[case] (leader, worker): (&str, &str),
    #[case] to: Option<i64>,
    #[case] chosen: Result<i64, Exit>,
) {
    let set = versions(leader, worker);
    let revisions = revisions(&set);
    let found = choose_revision(&set, &revisions, to).map(|revision| revision.revision);
    assert_eq!(exit_of(found), chosen);
}

#[test]
fn a_job_and_a_set_without_older_templates_are_refused_with_a_remedy() {
    let mut job = versions("1", "1");
    let only = Revisions::of(&job, [record(&job, 1, 0)]);
    let failure = choose_revision(&job, &only, None).unwrap_err();
    assert!(
        failure.to_string().contains("kubectl grove history llm"),
        "{failure}"
    );
    job.spec.workload_type = Some(WorkloadType::Training);
    let failure = choose_revision(&job, &only, None).unwrap_err();
    assert!(failure.to_string().contains("is a job"), "{failure}");
}

/// The set as stored, with a field that this build does not know.
fn stored(set: &PodCliqueSet) -> Value {
    let mut stored = json!(set);
    stored["metadata"]["resourceVersion"] = json!("7");
    stored["spec"]["template"]["cliques"][1]["spec"]["replicas"] = json!(5);
    stored["spec"]["template"]["cliques"][1]["spec"]["fromTheFuture"] = json!(true);
    stored
}

#[test]
fn writes_the_templates_that_differ_and_nothing_else() {
    let set = versions("3", "1");
    let revisions = revisions(&set);
    let stored = stored(&set);
    let target = choose_revision(&set, &revisions, Some(2)).unwrap();
    let restored = restore_templates(&set, &stored, target).unwrap();
    let differences = find_differences(&stored, &restored);
    let undone = Undone {
        set: "llm".to_owned(),
        revision: 2,
        is_dry_run: false,
        is_paused: false,
        differences,
    };
    let text = plain(&draw_undone(&undone));
    insta::assert_snapshot!(text, @r"
    podcliqueset llm: back to the templates of revision 2
      spec.template.cliques[leader].annotations[example.com/version]: 3 -> 2
    changed; `kubectl grove tree llm` shows the update
    ");
    let patch = build_patch(&stored, &restored);
    assert_eq!(patch["metadata"], json!({"resourceVersion": "7"}));
    let cliques = &patch["spec"]["template"]["cliques"];
    assert_eq!(cliques[0]["annotations"]["example.com/version"], "2");
    assert_eq!(cliques[1], stored["spec"]["template"]["cliques"][1]);
}

/// The priority class of the set is that of the revision, and not repeated in each pod spec.
#[rstest]
#[case::changed("low", json!("low"))]
#[case::removed("", Value::Null)]
fn the_priority_class_goes_back_too(#[case] before: &str, #[case] after: Value) {
    let mut old = versions("1", "1");
    before.clone_into(&mut old.spec.template.priority_class_name);
    let mut set = versions("1", "1");
    "high".clone_into(&mut set.spec.template.priority_class_name);
    let revisions = Revisions::of(&set, [record(&old, 1, 0)]);
    let stored = stored(&set);
    let target = choose_revision(&set, &revisions, None).unwrap();
    let restored = restore_templates(&set, &stored, target).unwrap();
    let patch = build_patch(&stored, &restored);
    assert_eq!(patch["spec"]["template"]["priorityClassName"], after);
    let pod = &patch["spec"]["template"]["cliques"][0]["spec"]["podSpec"];
    assert_eq!(pod["priorityClassName"], Value::Null);
}

#[rstest]
#[case::by_hand(json!({}), None)]
#[case::argo_annotation(json!({"annotations": {"argocd.argoproj.io/tracking-id": "x"}}), Some("Argo CD"))]
#[case::flux_label(json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}), Some("Flux"))]
fn a_tool_that_writes_the_manifest_is_found(#[case] meta: Value, #[case] manager: Option<&str>) {
    assert_eq!(find_manager(&json!({"metadata": meta})), manager);
}

/// A paused set says how to go on.
#[test]
fn a_paused_set_says_that_the_update_waits() {
    let undone = Undone {
        set: "llm".to_owned(),
        revision: 1,
        is_dry_run: false,
        is_paused: true,
        differences: Vec::new(),
    };
    let text = plain(&draw_undone(&undone));
    assert!(text.contains("paused is true"), "{text}");
}

/// The operator writes the status while a person undoes: that is no edit of somebody else.
#[rstest]
#[case::status("/metadata/resourceVersion", true)]
#[case::spec("/metadata/generation", false)]
#[case::another_object("/metadata/uid", false)]
fn a_write_of_the_status_is_no_conflict(#[case] changed: &str, #[case] is_same: bool) {
    let before = json!({"metadata": {"uid": "1", "generation": 1, "resourceVersion": "1"}});
    let mut after = before.clone();
    *after.pointer_mut(changed).unwrap() = json!("2");
    assert_eq!(is_same_spec(&before, &after), is_same);
}
