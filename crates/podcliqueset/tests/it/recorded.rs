//! Statuses of sets, for the tests of other tools that read them.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{LastError, PodCliqueSet, PodCliqueStatus, codes, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after};
use testkit::recorded::assert_recorded;

use crate::situation::{accept_templates, alone, carry_out, demo, fill, fill_all, laid_out, plan};

pub fn settle(snapshot: &mut Snapshot) {
    for _ in 0..3 {
        let next = plan(snapshot);
        carry_out(snapshot, &next);
    }
}

/// Decides until nothing changes, and keeps the status of then.
fn record(name: &str, mut snapshot: Snapshot) {
    settle(&mut snapshot);
    assert_recorded(&format!("podcliqueset-{name}"), &*snapshot.stored);
}

/// With all its pods ready, and the resulting status stored.
fn ready() -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    settle(&mut snapshot);
    snapshot
}

/// The user changes the spec.
fn edit(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let mut set = (*snapshot.stored).clone();
    change(&mut set);
    set.metadata.generation = Some(2);
    snapshot.validated = validate_set(&set, &DefaultsConfig::default());
    snapshot.stored = Arc::new(set);
}

fn with_old_template(pod: PodBuilder) -> PodBuilder {
    pod.ready().with(|pod| {
        let all = pod.metadata.labels.get_or_insert_default();
        all.insert(labels::POD_TEMPLATE_HASH.into(), "r1aaaaaaaaaaaaaa".into());
    })
}

fn ask_for_too_much(set: &mut PodCliqueSet) {
    set.spec.template.cliques[0].spec.min_available = Some(5);
}

#[test]
fn of_sets_that_come_up_and_run() {
    record("created", laid_out(&demo().build()));
    record("ready", ready());
    let mut minimum = ready();
    fill(&mut minimum, "demo-0-frontend", 1, PodBuilder::ready);
    record("minimum-ready", minimum);
    let mut crashing = ready();
    fill(&mut crashing, "demo-0-frontend", 2, |p| {
        p.waiting("CrashLoopBackOff")
    });
    record("crash-loop", crashing);
    record("scaled-to-zero", alone(&demo().replicas(0).build()));
}

#[test]
fn of_sets_that_are_changed() {
    let mut updating = ready();
    edit(&mut updating, |set| {
        let spec = &mut set.spec.template.cliques[0].spec.pod_spec;
        spec.containers[0].image = Some("example/main:2".into());
    });
    accept_templates(&mut updating);
    settle(&mut updating);
    fill(&mut updating, "demo-0-frontend", 2, with_old_template);
    record("updating", updating);
    let mut unseen = ready();
    edit(&mut unseen, |set| set.spec.replicas = 2);
    assert_recorded("podcliqueset-change-not-seen", &*unseen.stored);
    let mut deleted = ready();
    edit(&mut deleted, |set| {
        set.metadata.deletion_timestamp = Some(Time(after(60)));
    });
    assert_recorded("podcliqueset-being-deleted", &*deleted.stored);
}

#[test]
fn of_sets_that_are_refused() {
    let invalid = demo().with(ask_for_too_much).build();
    record("invalid", alone(&invalid));
    let mut edited = ready();
    edit(&mut edited, ask_for_too_much);
    record("invalid-change", edited.clone());
    settle(&mut edited);
    let mut mended = edited;
    edit(&mut mended, |set| {
        set.spec.template.cliques[0].spec.min_available = Some(1);
    });
    record("invalid-change-mended", mended);
    record("too-large", alone(&demo().replicas(10_001).build()));
}

/// The API server's answer, stored at that time.
fn answer(code: &str, description: &str, at: i64) -> LastError {
    LastError {
        code: code.to_owned(),
        description: description.to_owned(),
        observed_at: Time(after(at)),
    }
}

/// The name of a Service is taken: the status of the set reports it.
#[test]
fn of_a_set_whose_name_is_taken() {
    let mut set = demo().build();
    let error = answer(codes::NAME_CONFLICT, "create Service demo-0: taken", 50);
    set.status.get_or_insert_default().last_errors = vec![error];
    let mut snapshot = alone(&set);
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    assert_recorded("podcliqueset-name-taken", &*snapshot.stored);
}

/// A quota refuses the pods of the frontend; the status of its PodClique reports it and its length.
fn refused(is_stalled: bool) -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    fill(&mut snapshot, "demo-0-frontend", 0, |p| p);
    let quota = "create Pod a: pods \"a\" is forbidden: exceeded quota: q";
    let mut status = PodCliqueStatus {
        last_errors: vec![answer("ERR_CREATE_POD", quota, 0)],
        ..PodCliqueStatus::default()
    };
    let verdict = is_stalled.then(|| ConditionUpdate {
        type_: ConditionType::Stalled,
        status: Status::True,
        reason: Reason::QuotaExceeded,
        message: quota.to_owned(),
    });
    let (list, type_) = (&mut status.conditions, ConditionType::Stalled);
    conditions::set_or_remove(list, type_, verdict, Some(1), after(0));
    let seen = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut seen.podclique).status = Some(status);
    snapshot
}

#[test]
fn of_sets_whose_pods_are_refused() {
    record("refused-just-now", refused(false));
    record("refused-for-long", refused(true));
}
