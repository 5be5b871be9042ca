//! `restart`, `pause` and `unpause`: the patches, and refusals.

use cli::edit::{SetEdit, refuse_job, refuse_managed};
use cli::exit::Exit;
use cli::pause::{self, PauseArgs};
use cli::restart::{RestartArgs, draw_restart, mark_cliques};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;
use testkit::good_set::{FRONTEND, at, changed, good};

const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The set as stored.
fn stored() -> Value {
    changed(
        good(),
        &[
            ("/metadata/resourceVersion", json!("7")),
            (&at(FRONTEND, "annotations"), json!({"team": "nlp"})),
        ],
    )
}

fn args(clique: &[&str], reason: Option<&str>) -> RestartArgs {
    RestartArgs {
        name: "serve".to_owned(),
        clique: clique.iter().map(|name| (*name).to_owned()).collect(),
        reason: reason.map(str::to_owned),
        ..RestartArgs::default()
    }
}

/// All templates get kubectl's mark and the reason; everything else stays.
#[test]
fn a_restart_marks_the_templates() {
    let args = args(&[], Some("new driver"));
    let (restart, patch) = mark_cliques(&stored(), &args, after(60)).unwrap();
    assert_eq!(restart.cliques, ["frontend", "leader", "worker"]);
    assert_eq!(patch["metadata"], json!({"resourceVersion": "7"}));
    let cliques = &patch["spec"]["template"]["cliques"];
    let time = "2026-01-01T00:01:00Z";
    assert_eq!(
        cliques[0]["annotations"],
        json!({"team": "nlp", RESTARTED_AT: time, CHANGE_CAUSE: "new driver"})
    );
    assert_eq!(
        cliques[2]["annotations"],
        json!({RESTARTED_AT: time, CHANGE_CAUSE: "new driver"})
    );
    assert_eq!(
        cliques[0]["spec"],
        stored()["spec"]["template"]["cliques"][0]["spec"]
    );
}

/// The reason of an earlier restart is not that of a later one.
#[test]
fn a_restart_without_a_reason_has_none() {
    let earlier = json!({"team": "nlp", CHANGE_CAUSE: "new driver"});
    let stored = changed(stored(), &[(&at(FRONTEND, "annotations"), earlier)]);
    let (_, patch) = mark_cliques(&stored, &args(&[], None), after(60)).unwrap();
    assert_eq!(
        patch["spec"]["template"]["cliques"][0]["annotations"],
        json!({"team": "nlp", RESTARTED_AT: "2026-01-01T00:01:00Z"})
    );
}

#[test]
fn a_restart_of_one_clique_leaves_the_others() {
    let (restart, patch) = mark_cliques(&stored(), &args(&["leader"], None), after(60)).unwrap();
    assert_eq!(restart.cliques, ["leader"]);
    assert_eq!(patch["metadata"], json!({"resourceVersion": "7"}));
    let cliques = &patch["spec"]["template"]["cliques"];
    assert_eq!(cliques[0], stored()["spec"]["template"]["cliques"][0]);
    assert_ne!(cliques[1]["annotations"], Value::Null);
    let failure = mark_cliques(&stored(), &args(&["leadr"], None), after(60)).unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(
        failure
            .to_string()
            .contains("choose from frontend, leader, worker")
    );
}

#[rstest]
#[case::goes_on(json!({}), false, "`kubectl grove tree serve -w` shows it")]
#[case::paused(json!({"paused": true}), false, "`kubectl grove unpause serve` lets it go on")]
#[case::on_delete(json!({"type": "OnDelete"}), false, "each pod is replaced once you delete it")]
#[case::dry_run(json!({}), true, "nothing was changed")]
fn a_restart_says_how_it_goes_on(
    #[case] strategy: Value,
    #[case] dry_run: bool,
    #[case] words: &str,
) {
    let stored = changed(stored(), &[("/spec/updateStrategy", strategy)]);
    let args = RestartArgs {
        dry_run,
        ..args(&[], None)
    };
    let (restart, _) = mark_cliques(&stored, &args, after(60)).unwrap();
    let text = draw_restart(&restart, &args);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("restart of 3 cliques (frontend, leader, worker)"),
        "{text}"
    );
    assert!(text.contains(words), "{text}");
}

fn edit(command: &'static str) -> SetEdit<'static> {
    SetEdit {
        name: "serve",
        command,
        is_dry_run: false,
    }
}

#[test]
fn a_job_and_a_set_of_another_tool_are_refused() {
    let job = changed(stored(), &[("/spec/workloadType", json!("Training"))]);
    let failure = refuse_job(&job, &edit("restart")).unwrap_err();
    assert!(failure.to_string().contains("is a job"), "{failure}");
    assert!(refuse_job(&stored(), &edit("restart")).is_ok());
    let labels = json!({"kustomize.toolkit.fluxcd.io/name": "x"});
    let managed = changed(stored(), &[("/metadata/labels", labels)]);
    let failure = refuse_managed(&managed, &edit("pause")).unwrap_err();
    let command = "`kubectl grove pause serve --force`";
    assert!(failure.to_string().contains(command), "{failure}");
    assert!(refuse_managed(&stored(), &edit("pause")).is_ok());
}

#[rstest]
#[case::pause(
    false,
    true,
    "no pod gets a newer template before `kubectl grove unpause serve`"
)]
#[case::again(true, true, "is paused already")]
#[case::unpause(true, false, "its update goes on")]
#[case::not_paused(false, false, "is not paused")]
fn a_pause_says_its_end(#[case] was_paused: bool, #[case] is_paused: bool, #[case] words: &str) {
    let args = PauseArgs {
        name: "serve".to_owned(),
        dry_run: false,
        force: false,
    };
    let text = pause::describe(&args, was_paused, is_paused);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_pause_changes_one_field_of_the_version_that_was_read() {
    let patch = pause::build_patch(&stored(), true);
    let expected = json!({
        "metadata": {"resourceVersion": "7"},
        "spec": {"updateStrategy": {"paused": true}},
    });
    assert_eq!(patch, expected);
}
