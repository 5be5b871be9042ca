//! A changed template is tried before anything of its update is stored.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::conditions::{self, ConditionType};
use api::podcliqueset::UpdateStrategyType;
use api::{LastError, PodClique, PodCliqueSet, PodCliqueSetStatus};
use domain::plan::{Action, CheckAnswer, Plan};
use engine::caches::KnownAnswer;
use jiff::Timestamp;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, after};

use crate::situation::{accept_templates, carry_out, demo, fill, fill_all, laid_out, plan};

/// It runs, and then the template of these cliques changes.
fn changed(cliques: &[usize]) -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    make_current(&mut snapshot);
    edit(&mut snapshot, |set| {
        for clique in cliques {
            let annotations = &mut set.spec.template.cliques[*clique].annotations;
            annotations.insert("example.com/version".into(), "2".into());
        }
        set.metadata.generation = Some(2);
    });
    snapshot
}

/// The PodCliques that were carried out anew lost their pods.
fn make_current(snapshot: &mut Snapshot) {
    fill_all(snapshot, PodBuilder::ready);
    assert!(checked(&plan(snapshot)).is_empty());
}

fn edit(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let mut stored = (*snapshot.stored).clone();
    change(&mut stored);
    snapshot.validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    snapshot.stored = Arc::new(stored);
}

fn checked(plan: &Plan<PodCliqueSetStatus>) -> Vec<String> {
    let all = plan.waves.iter().flatten();
    all.filter_map(|action| match action {
        Action::Check(check) => Some(check.template.clique.clone()),
        _ => None,
    })
    .collect()
}

fn answer(
    snapshot: &mut Snapshot,
    clique: &str,
    words: Option<&str>,
    repeat_at: Option<Timestamp>,
) {
    let answer = words.map_or(CheckAnswer::Accepted, |words| {
        CheckAnswer::Refused(words.to_owned())
    });
    let known = KnownAnswer { answer, repeat_at };
    snapshot.checks.answers.insert(clique.to_owned(), known);
}

fn reason(plan: &Plan<PodCliqueSetStatus>, type_: ConditionType) -> (String, String) {
    let status = plan.status.as_ref().unwrap();
    let found = conditions::find(&status.conditions, type_).unwrap();
    (found.status.clone(), found.reason.clone())
}

fn message(plan: &Plan<PodCliqueSetStatus>, type_: ConditionType) -> String {
    let status = plan.status.as_ref().unwrap();
    let found = conditions::find(&status.conditions, type_).unwrap();
    found.message.clone()
}

fn templates_written(plan: &Plan<PodCliqueSetStatus>) -> usize {
    let all = plan.waves.iter().flatten();
    all.filter(|a| matches!(a, Action::Replace(_)) && a.written::<PodClique>().is_some())
        .count()
}

fn revisions_written(plan: &Plan<PodCliqueSetStatus>) -> usize {
    let all = plan.waves.iter().flatten();
    all.filter(|a| a.written::<ControllerRevision>().is_some())
        .count()
}

#[test]
fn one_pod_of_each_changed_clique_is_sent_as_a_dry_run() {
    let snapshot = changed(&[0, 2]);
    let plan = plan(&snapshot);
    assert_eq!(checked(&plan), ["frontend", "worker"]);
    let check = plan.waves.iter().flatten().find_map(|action| match action {
        Action::Check(check) => Some(check.clone()),
        _ => None,
    });
    let pod = check.unwrap();
    let pod = pod.pod.get::<Pod>().unwrap();
    let annotations = pod.metadata.annotations.as_ref().unwrap();
    assert_eq!(annotations["example.com/version"], "2");
    let hostname = pod.spec.as_ref().unwrap().hostname.as_deref();
    assert_eq!(hostname, Some("demo-0-frontend-0"));
}

#[test]
fn nothing_of_the_update_is_stored_before_the_answer() {
    let mut snapshot = changed(&[0]);
    let before = snapshot.stored.status.clone().unwrap();
    let waiting = plan(&snapshot);
    let status = waiting.status.as_ref().unwrap();
    assert_eq!(
        status.current_generation_hash,
        before.current_generation_hash
    );
    assert_eq!(status.observed_generation, before.observed_generation);
    assert_eq!(status.update_progress, None);
    assert_eq!(templates_written(&waiting), 0);
    answer(&mut snapshot, "frontend", None, None);
    let accepted = plan(&snapshot).status.unwrap();
    assert_ne!(
        accepted.current_generation_hash,
        before.current_generation_hash
    );
    assert_eq!(
        accepted.update_progress.unwrap().currently_updating.len(),
        1
    );
}

/// The condition has the generation of the newer template, so it must not say that all of that runs.
#[rstest]
#[case::all_run(PodBuilder::ready, "True", "Updating")]
#[case::pods_crash(|pod: PodBuilder| pod.waiting("CrashLoopBackOff"), "False", "CrashLoop")]
fn a_set_is_updating_from_the_change_of_its_template_on(
    #[case] adapt: fn(PodBuilder) -> PodBuilder,
    #[case] status: &str,
    #[case] cause: &str,
) {
    let mut snapshot = changed(&[0]);
    fill(&mut snapshot, "demo-0-frontend", 2, adapt);
    let waiting = plan(&snapshot);
    assert_eq!(checked(&waiting), ["frontend"]);
    let ready = reason(&waiting, ConditionType::Ready);
    assert_eq!(ready, (status.to_owned(), cause.to_owned()));
    let update = reason(&waiting, ConditionType::UpdateInProgress);
    assert_eq!(update, ("False".into(), "NoActiveUpdate".into()));
    let words = "a newer template is being checked";
    assert!(message(&waiting, ConditionType::UpdateInProgress).contains(words));
    let text = message(&waiting, ConditionType::Ready);
    assert_eq!(text.contains(words), status == "True", "{text}");
}

/// The last dry run failed, and said nothing about the template.
#[test]
fn a_template_without_an_answer_waits_and_says_so() {
    let mut snapshot = changed(&[0]);
    snapshot.history.is_served = true;
    edit(&mut snapshot, |set| {
        let failed = LastError {
            code: "ERR_CHECK_POD".into(),
            description: "check Pod: connection refused".into(),
            observed_at: Time(after(50)),
        };
        set.status.as_mut().unwrap().last_errors.push(failed);
    });
    let before = snapshot.stored.status.clone().unwrap();
    let waiting = plan(&snapshot);
    let update = reason(&waiting, ConditionType::UpdateInProgress);
    assert_eq!(update, ("False".into(), "TemplateUnchecked".into()));
    let message = message(&waiting, ConditionType::UpdateInProgress);
    let words = "has not answered whether it accepts new pods of cliques frontend: \
                 see status.lastErrors";
    assert!(message.contains(words), "{message}");
    assert_eq!(reason(&waiting, ConditionType::Ready).0, "True");
    let status = waiting.status.as_ref().unwrap();
    assert_eq!(
        status.current_generation_hash,
        before.current_generation_hash
    );
    assert_eq!(status.observed_generation, before.observed_generation);
    assert_eq!(status.update_progress, None);
    assert_eq!(templates_written(&waiting), 0);
    assert_eq!(revisions_written(&waiting), 0);
    assert_eq!(checked(&waiting), ["frontend"], "it is asked again");
    answer(&mut snapshot, "frontend", None, None);
    let answered = plan(&snapshot);
    assert_eq!(revisions_written(&answered), 1);
    let update = reason(&answered, ConditionType::UpdateInProgress);
    assert_ne!(update.1, "TemplateUnchecked");
}

#[test]
fn a_refused_template_changes_nothing_and_says_so() {
    let mut snapshot = changed(&[0]);
    let words = "spec.containers[0].resources.requests: Invalid value: \"8Gi\"";
    answer(&mut snapshot, "frontend", Some(words), Some(after(65)));
    let refused = plan(&snapshot);
    assert_eq!(checked(&refused), Vec::<String>::new());
    assert_eq!(templates_written(&refused), 0);
    assert_eq!(refused.wake_at, Some(after(65)));
    let update = reason(&refused, ConditionType::UpdateInProgress);
    assert_eq!(update, ("False".into(), "TemplateRefused".into()));
    let ready = reason(&refused, ConditionType::Ready);
    assert_eq!(ready, ("True".into(), "UpdateRefused".into()));
    let stalled = reason(&refused, ConditionType::Stalled);
    assert_eq!(stalled, ("True".into(), "UpdateRefused".into()));
    let status = refused.status.as_ref().unwrap();
    assert_eq!(status.observed_generation, None);
    assert_eq!(status.last_errors[0].code, "ERR_CHECK_POD");
    assert!(status.last_errors[0].description.contains(words));
    assert!(
        refused
            .events
            .iter()
            .any(|e| e.reason.as_str() == "TemplateRefused")
    );
    let again = decide(&snapshot, after(65));
    assert_eq!(checked(&again), ["frontend"]);
}

/// With the newest template in its PodClique a pod that somebody deletes would not come back.
#[test]
fn on_delete_changes_no_podclique_before_the_template_is_accepted() {
    let mut snapshot = changed(&[0]);
    edit(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().type_ = UpdateStrategyType::OnDelete;
    });
    let waiting = plan(&snapshot);
    assert_eq!(checked(&waiting), ["frontend"]);
    assert_eq!(templates_written(&waiting), 0);
    answer(&mut snapshot, "frontend", Some("invalid"), Some(after(65)));
    let refused = plan(&snapshot);
    assert_eq!(templates_written(&refused), 0);
    let update = reason(&refused, ConditionType::UpdateInProgress);
    assert_eq!(update, ("False".into(), "TemplateRefused".into()));
}

/// Waiting does not help, whether the pods of the old template are Ready or not.
#[test]
fn a_refused_template_stalls_a_set_that_is_not_ready() {
    let mut snapshot = changed(&[0]);
    fill_all(&mut snapshot, |pod| pod);
    answer(&mut snapshot, "frontend", Some("invalid"), Some(after(65)));
    let refused = plan(&snapshot);
    let ready = reason(&refused, ConditionType::Ready);
    assert_eq!(ready.0, "False");
    let stalled = reason(&refused, ConditionType::Stalled);
    assert_eq!(stalled, ("True".into(), "UpdateRefused".into()));
}

/// The refusal is stored, and pods are down: the outage comes first, as users suffer from it.
#[rstest]
#[case::all_run(PodBuilder::ready, "True", "UpdateRefused", "1/1 replicas available; ")]
#[case::pods_crash(
    |pod: PodBuilder| pod.waiting("CrashLoopBackOff"),
    "False",
    "CrashLoop",
    "replica 0: clique frontend "
)]
#[case::pods_have_no_node(
    PodBuilder::ungated,
    "False",
    "WaitingForScheduler",
    "replica 0: clique frontend "
)]
fn an_outage_comes_before_the_refusal_of_a_template(
    #[case] adapt: fn(PodBuilder) -> PodBuilder,
    #[case] status: &str,
    #[case] cause: &str,
    #[case] begin: &str,
) {
    let words = "spec.containers[0].image: Required value";
    let mut snapshot = changed(&[0]);
    answer(&mut snapshot, "frontend", Some(words), Some(after(65)));
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, PodBuilder::ready);
    fill(&mut snapshot, "demo-0-frontend", 2, adapt);
    let refused = plan(&snapshot);
    let ready = reason(&refused, ConditionType::Ready);
    assert_eq!(ready, (status.to_owned(), cause.to_owned()));
    let text = message(&refused, ConditionType::Ready);
    assert!(text.starts_with(begin), "{text}");
    assert_eq!(text.matches(words).count(), 1, "{text}");
    assert!(text.ends_with("put the old one back"), "{text}");
}

#[test]
fn a_template_of_which_a_pod_is_ready_is_proven() {
    let mut snapshot = changed(&[0]);
    accept_templates(&mut snapshot);
    let begun = plan(&snapshot);
    carry_out(&mut snapshot, &begun);
    let turn = plan(&snapshot);
    carry_out(&mut snapshot, &turn);
    fill_all(&mut snapshot, PodBuilder::ready);
    // The old one again, and then the new one.
    let newest = snapshot.stored.status.clone();
    snapshot.checks.answers.clear();
    edit(&mut snapshot, |set| {
        let status = set.status.as_mut().unwrap();
        status.current_generation_hash = Some("r1bbbbbbbbbbbbbb".into());
    });
    assert_eq!(checked(&plan(&snapshot)), Vec::<String>::new());
    assert!(newest.is_some());
}

#[test]
fn a_paused_set_accepts_no_template() {
    let mut snapshot = changed(&[0]);
    edit(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
    accept_templates(&mut snapshot);
    let before = snapshot.stored.status.clone().unwrap();
    let paused = plan(&snapshot);
    let status = paused.status.as_ref().unwrap();
    assert_eq!(
        status.current_generation_hash,
        before.current_generation_hash
    );
    let update = reason(&paused, ConditionType::UpdateInProgress);
    assert_eq!(update, ("False".into(), "Paused".into()));
    let ready = reason(&paused, ConditionType::Ready);
    assert_eq!(ready, ("True".into(), "UpdatePaused".into()));
    let message = message(&paused, ConditionType::UpdateInProgress);
    assert!(message.contains("of cliques frontend waits"), "{message}");
}

#[test]
fn a_count_alone_is_not_checked() {
    let mut snapshot = changed(&[]);
    edit(&mut snapshot, |set| {
        set.spec.template.cliques[0].spec.replicas = 3;
    });
    assert_eq!(checked(&plan(&snapshot)), Vec::<String>::new());
}
