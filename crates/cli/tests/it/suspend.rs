//! `suspend` and `resume`: what they write, and when they refuse.

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueSetPhase;
use cli::exit::Exit;
use cli::suspend::{Outcome, Wish, build_patch, check, draw_outcome};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::set;

use crate::read::plain;

fn llm() -> PodCliqueSet {
    set("llm").clique("leader", |c| c).build()
}

fn refusal(set: &PodCliqueSet, meta: &Value, is_forced: bool) -> Option<(Exit, String)> {
    let stored = json!({"metadata": meta});
    let failure = check(set, &stored, Wish::Suspend, is_forced).err()?;
    Some((failure.exit(), failure.to_string()))
}

#[rstest]
#[case::suspend(Wish::Suspend, true)]
#[case::resume(Wish::Resume, false)]
fn writes_one_field_of_this_very_set(#[case] wish: Wish, #[case] suspend: bool) {
    let stored = json!({"metadata": {"uid": "7", "resourceVersion": "9"}});
    assert_eq!(
        build_patch(&stored, wish),
        json!({"metadata": {"uid": "7"}, "spec": {"suspend": suspend}})
    );
}

#[test]
fn a_job_that_is_over_is_refused() {
    let mut job = llm();
    job.status.get_or_insert_default().phase = Some(PodCliqueSetPhase::Succeeded);
    let (exit, text) = refusal(&job, &json!({}), true).unwrap();
    assert_eq!(exit, Exit::BadInput);
    assert!(text.contains("`kubectl grove tree llm`"), "{text}");
}

#[test]
fn a_set_that_a_tool_writes_is_refused_unless_forced() {
    let meta = json!({"annotations": {"argocd.argoproj.io/tracking-id": "x"}});
    let (exit, text) = refusal(&llm(), &meta, false).unwrap();
    assert_eq!(exit, Exit::BadInput);
    assert!(
        text.contains("`kubectl grove suspend llm --force`"),
        "{text}"
    );
    assert_eq!(refusal(&llm(), &meta, true), None);
    assert_eq!(refusal(&llm(), &json!({}), false), None);
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
