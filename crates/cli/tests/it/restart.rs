//! `restart`, `pause` and `unpause`: the patches, and refusals.

use cli::edit::{SetEdit, refuse_job, refuse_managed};
use cli::exit::Exit;
use cli::pause::{self, PauseArgs};
use cli::restart::{
    ReplicaRestart, RestartArgs, ask_for_replica, choose_replica, draw_replica, draw_restart,
    mark_cliques,
};
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
#[case::goes_on("updateStrategy", json!({}), false, "`kubectl grove tree serve -w` shows it")]
#[case::paused(
    "updateStrategy",
    json!({"paused": true}),
    false,
    "`kubectl grove unpause serve` lets it go on"
)]
#[case::on_delete(
    "updateStrategy",
    json!({"type": "OnDelete"}),
    false,
    "each pod is replaced once you delete it"
)]
#[case::suspended("suspend", json!(true), false, "with `kubectl grove resume serve`")]
#[case::dry_run("updateStrategy", json!({}), true, "nothing was changed")]
fn a_restart_says_how_it_goes_on(
    #[case] field: &str,
    #[case] value: Value,
    #[case] dry_run: bool,
    #[case] words: &str,
) {
    let stored = changed(stored(), &[(&format!("/spec/{field}"), value)]);
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

/// The set with three replicas, of which replica 2 is in attempt 5, and this annotation.
fn restarted(request: &str) -> Value {
    let entry = json!({
        "replica": 2, "attempt": 5, "time": after(0).to_string(), "reason": "x", "message": ""
    });
    changed(
        stored(),
        &[
            ("/spec/replicas", json!(3)),
            (
                "/metadata/annotations",
                json!({"grove.io/restart-replica": request}),
            ),
            ("/status", json!({"replicaAttempts": [entry]})),
        ],
    )
}

#[rstest]
#[case::again(2, 5)]
#[case::for_the_first_time(1, 0)]
fn a_restart_of_a_replica_names_its_attempt(#[case] replica: i32, #[case] attempt: i32) {
    let stored = restarted(r#"{"replica": 2, "attempt": 4}"#);
    let args = args(&[], Some("new driver"));
    let (restart, patch) = ask_for_replica(&stored, &args, replica).unwrap();
    assert_eq!(patch["metadata"]["resourceVersion"], json!("7"));
    assert_eq!(patch.as_object().unwrap().len(), 1, "{patch}");
    let text = &patch["metadata"]["annotations"]["grove.io/restart-replica"];
    let request: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
    let expected = json!({"replica": replica, "attempt": attempt, "reason": "new driver"});
    assert_eq!(request, expected);
    let seen = ReplicaRestart {
        pods: Some(6),
        ..restart
    };
    let text = draw_replica(&seen, &args);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "its pods (6) end together",
        "its gangs start again, each as a whole.",
        "The other replicas stay as they are.",
        "`kubectl grove tree serve -w` shows it.",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[rstest]
#[case::too_many(json!({}), "{}", 3, "there is no replica 3")]
#[case::job(json!({"workloadType": "Training"}), "{}", 0, "delete one of its pods")]
#[case::suspended(json!({"suspend": true}), "{}", 0, "kubectl grove resume serve")]
#[case::another_waits(
    json!({}),
    r#"{"replica": 2, "attempt": 5}"#,
    1,
    "the restart of replica 2 waits for the operator"
)]
fn a_restart_of_a_replica_that_cannot_be(
    #[case] spec: Value,
    #[case] request: &str,
    #[case] replica: i32,
    #[case] words: &str,
) {
    let mut stored = restarted(request);
    for (field, value) in spec.as_object().unwrap() {
        stored["spec"][field] = value.clone();
    }
    let failure = ask_for_replica(&stored, &args(&[], None), replica).unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(failure.to_string().contains(words), "{failure}");
}

/// The request for the same replica may be repeated; that for another one is forgotten on demand.
#[test]
fn a_request_that_waits_can_be_replaced() {
    let stored = restarted(r#"{"replica": 2, "attempt": 5}"#);
    assert!(ask_for_replica(&stored, &args(&[], None), 2).is_ok());
    let args = RestartArgs {
        force: true,
        ..args(&[], None)
    };
    assert!(ask_for_replica(&stored, &args, 1).is_ok());
}

#[rstest]
#[case::set(None, None, &[], Ok(None))]
#[case::flag(None, Some(1), &[], Ok(Some(1)))]
#[case::name(Some(2), None, &[], Ok(Some(2)))]
#[case::both(Some(2), Some(2), &[], Ok(Some(2)))]
#[case::contradiction(Some(2), Some(1), &[], Err(()))]
#[case::part_of_a_replica(Some(2), None, &["leader"], Err(()))]
fn the_name_and_the_flag_agree(
    #[case] named: Option<i32>,
    #[case] replica: Option<i32>,
    #[case] cliques: &[&str],
    #[case] expected: Result<Option<i32>, ()>,
) {
    let args = RestartArgs {
        replica,
        ..args(cliques, None)
    };
    assert_eq!(choose_replica(&args, named).map_err(drop), expected);
}
