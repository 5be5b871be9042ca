//! `suspend` and `resume`: what they write, and when they refuse.

use cli::exit::{Exit, Failure};
use cli::format::Format;
use cli::suspend::{Outcome, SuspendArgs, Wish, build_patch, change, draw_outcome};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::set;

use crate::read::plain;
use crate::server::Server;

/// Set `llm` with that field.
fn llm(field: &str, value: Value) -> Value {
    let mut stored = serde_json::to_value(set("llm").clique("leader", |c| c).build()).unwrap();
    let (parent, name) = field.rsplit_once('/').unwrap();
    stored.pointer_mut(parent).unwrap()[name] = value;
    stored
}

/// The result for this set, and the methods of the requests.
async fn changed(
    stored: Value,
    wish: Wish,
    is_forced: bool,
) -> (Result<Outcome, Failure>, Vec<String>) {
    let server = Server::default();
    let sets = "/apis/grove.io/v1alpha1/namespaces/ml/podcliquesets";
    server.put(sets, stored);
    let args = SuspendArgs {
        name: "llm".to_owned(),
        dry_run: false,
        force: is_forced,
        output: Format::Text,
    };
    let result = change(&server.cluster(), &args, wish).await;
    let asked = server.asked().into_iter().map(|asked| asked.method);
    (result, asked.collect())
}

#[rstest]
#[case::suspend(Wish::Suspend, true)]
#[case::resume(Wish::Resume, false)]
fn writes_one_field_of_the_version_that_was_read(#[case] wish: Wish, #[case] suspend: bool) {
    let stored = json!({"metadata": {"uid": "7", "resourceVersion": "9"}});
    assert_eq!(
        build_patch(&stored, wish),
        json!({"metadata": {"resourceVersion": "9"}, "spec": {"suspend": suspend}})
    );
}

#[rstest]
#[case::suspend(false, Wish::Suspend, &["GET", "PATCH"])]
#[case::suspended_already(true, Wish::Suspend, &["GET"])]
#[case::resume(true, Wish::Resume, &["GET", "PATCH"])]
#[case::never_suspended(false, Wish::Resume, &["GET"])]
#[tokio::test]
async fn a_set_that_has_the_value_is_not_written(
    #[case] is_suspended: bool,
    #[case] wish: Wish,
    #[case] methods: &[&str],
) {
    let stored = llm("/spec/suspend", json!(is_suspended));
    let (outcome, asked) = changed(stored, wish, false).await;
    assert_eq!(asked, methods);
    assert_eq!(outcome.unwrap().is_unchanged, methods.len() == 1);
}

#[tokio::test]
async fn a_job_that_is_over_is_refused() {
    let job = llm("/status", json!({"phase": "Succeeded"}));
    let (result, asked) = changed(job, Wish::Suspend, true).await;
    let failure = result.unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    let text = failure.to_string();
    assert!(text.contains("`kubectl grove tree llm`"), "{text}");
    assert_eq!(asked, ["GET"]);
}

#[tokio::test]
async fn a_set_that_a_tool_writes_is_refused_unless_forced() {
    let managed = || {
        let mark = json!({"argocd.argoproj.io/tracking-id": "x"});
        llm("/metadata/annotations", mark)
    };
    let (result, asked) = changed(managed(), Wish::Suspend, false).await;
    let failure = result.unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    let text = failure.to_string();
    assert!(
        text.contains("`kubectl grove suspend llm --force`"),
        "{text}"
    );
    assert_eq!(asked, ["GET"]);
    let (result, asked) = changed(managed(), Wish::Suspend, true).await;
    assert_eq!(result.map(|outcome| outcome.suspend).ok(), Some(true));
    assert_eq!(asked, ["GET", "PATCH"]);
}

#[tokio::test]
async fn a_set_that_is_being_deleted_is_refused() {
    let leaving = llm("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    let (result, asked) = changed(leaving, Wish::Suspend, true).await;
    let failure = result.unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    let text = failure.to_string();
    assert!(text.contains("llm is being deleted"), "{text}");
    assert_eq!(asked, ["GET"]);
}

fn text(suspend: bool, is_unchanged: bool, is_dry_run: bool) -> String {
    plain(&draw_outcome(&Outcome {
        set: "llm".to_owned(),
        suspend,
        is_unchanged,
        is_dry_run,
    }))
}

#[test]
fn says_how_to_go_on() {
    insta::assert_snapshot!(text(true, false, false), @r"
    podcliqueset llm suspended: its unfinished pods are deleted
    `kubectl grove resume llm` lets it run again
    ");
    insta::assert_snapshot!(text(false, false, false), @r"
    podcliqueset llm resumed: its gangs start again, each as a whole
    `kubectl grove tree llm` shows its start
    ");
    insta::assert_snapshot!(text(true, true, false), @"podcliqueset llm: spec.suspend is true already");
    assert!(text(true, false, true).contains("nothing was changed"));
}
