//! One line for each kind of answer.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, GROUPS as GROUPS_OF_SET, edited, good};
use webhook::answers::Hook;

use super::{BINDINGS, clique, group, open, replicas_changed, strict, verdict, with};
use crate::questions::{GROUPS, PODCLIQUES, SETS, ask, create, delete, scale, update};

const REPLICAS: &str = "422 spec.replicas";

pub(super) fn by(mut question: Value, user: &str) -> Value {
    question["request"]["userInfo"]["username"] = json!(user);
    question
}

pub(super) fn deleting(object: Value) -> Value {
    let at = json!("2026-01-01T00:00:00Z");
    with(object, "/metadata/deletionTimestamp", at)
}

fn undecodable(object: Value) -> Value {
    with(object, "/spec/replicas", json!("three"))
}

fn of_job() -> Value {
    clique(["PodCliqueSet", "job"])
}

pub(super) fn of_service() -> Value {
    clique(["PodCliqueSet", "serve"])
}

pub(super) fn of_group(group: &str) -> Value {
    clique(["PodCliqueScalingGroup", group])
}

fn training(object: Value) -> Value {
    with(object, "/spec/workloadType", json!("Training"))
}

fn resized(object: &Value) -> Value {
    replicas_changed(object, PODCLIQUES)
}

#[rstest]
#[case::of_a_job(resized(&of_job()), REPLICAS)]
#[case::of_a_group_of_a_job(resized(&of_group("job-0-prefill")), REPLICAS)]
#[case::of_a_group_of_a_service(resized(&of_group("serve-0-prefill")), "allowed")]
#[case::of_a_service(resized(&of_service()), "allowed")]
#[case::of_an_unknown_set(resized(&clique(["PodCliqueSet", "gone"])), "allowed")]
#[case::of_an_unknown_group(resized(&of_group("gone-0-prefill")), "allowed")]
#[case::of_an_unknown_set_with_a_type(resized(&training(of_group("gone-0-prefill"))), REPLICAS)]
#[case::of_another_kind_of_owner(resized(&clique(["Deployment", "job"])), "allowed")]
#[case::whose_type_its_set_contradicts(resized(&training(of_service())), "allowed")]
#[case::scaled_and_of_a_job(scale(PODCLIQUES, "job-0-a", 3), REPLICAS)]
#[case::scaled_and_of_a_group_of_a_job(scale(PODCLIQUES, "job-0-prefill-0-a", 3), REPLICAS)]
#[case::scaled_and_of_a_service(scale(PODCLIQUES, "serve-0-a", 3), "allowed")]
#[case::scaled_and_not_seen_yet(scale(PODCLIQUES, "new-0-a", 3), "allowed")]
#[case::scaled_to_nothing(scale(PODCLIQUES, "serve-0-a", 0), "warned")]
#[case::being_deleted(
    update(PODCLIQUES, &of_job(), &with(deleting(of_job()), "/spec/replicas", json!(9))),
    "allowed"
)]
#[case::undecodable(update(PODCLIQUES, &of_service(), &undecodable(of_service())), "400")]
#[case::undecodable_and_being_deleted(
    update(PODCLIQUES, &undecodable(of_job()), &deleting(undecodable(of_job()))),
    "allowed"
)]
#[case::stored_undecodable(update(PODCLIQUES, &undecodable(of_job()), &of_job()), "allowed")]
#[case::deleted(delete(PODCLIQUES, &of_job()), "allowed")]
fn podcliques(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&open(), Hook::ValidatePodClique, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}

#[rstest]
#[case::of_a_job(replicas_changed(&group("job"), GROUPS), REPLICAS)]
#[case::of_a_service(replicas_changed(&group("serve"), GROUPS), "allowed")]
#[case::of_an_unknown_set(replicas_changed(&group("gone"), GROUPS), "allowed")]
#[case::that_keeps_its_size(update(GROUPS, &group("job"), &group("job")), "allowed")]
#[case::scaled_and_of_a_job(scale(GROUPS, "job-0-prefill", 3), REPLICAS)]
#[case::scaled_and_of_a_service(scale(GROUPS, "serve-0-prefill", 3), "allowed")]
#[case::scaled_below_zero(scale(GROUPS, "serve-0-prefill", -1), REPLICAS)]
#[case::undecodable_and_being_deleted(
    update(GROUPS, &undecodable(group("job")), &deleting(undecodable(group("job")))),
    "allowed"
)]
fn groups(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&open(), Hook::ValidateGroup, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}

fn without_cliques() -> Value {
    edited(&[(CLIQUES, json!([])), (GROUPS_OF_SET, json!([]))])
}

/// A set that was stored when nothing refused it.
fn invalid() -> Value {
    edited(&[("/spec/trainingSpec", json!({}))])
}

#[rstest]
#[case::good(create(SETS, &good()), "allowed")]
#[case::without_cliques(create(SETS, &without_cliques()), "422 spec.template.cliques")]
#[case::undecodable(create(SETS, &undecodable(good())), "400")]
#[case::undecodable_and_being_deleted(
    update(SETS, &undecodable(good()), &deleting(undecodable(good()))),
    "allowed"
)]
#[case::stored_undecodable(update(SETS, &undecodable(good()), &good()), "allowed")]
#[case::stored_undecodable_and_invalid_still(
    update(SETS, &undecodable(invalid()), &invalid()),
    "allowed"
)]
#[case::stored_undecodable_and_too_large(
    update(SETS, &undecodable(good()), &with(good(), "/spec/replicas", json!(10_001))),
    REPLICAS
)]
#[case::invalid(create(SETS, &invalid()), "422 spec.trainingSpec")]
#[case::invalid_before(
    update(SETS, &invalid(), &with(invalid(), "/spec/replicas", json!(2))),
    "allowed"
)]
#[case::being_deleted(update(SETS, &good(), &deleting(without_cliques())), "allowed")]
#[case::deleted(delete(SETS, &good()), "allowed")]
#[case::scaled(scale(SETS, "serve", 3), "allowed")]
#[case::scaled_below_zero(scale(SETS, "serve", -1), REPLICAS)]
#[case::scaled_and_a_job(scale(SETS, "job", 3), REPLICAS)]
#[case::scaled_and_not_seen_yet(scale(SETS, "new", 3), "allowed")]
fn sets(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&open(), Hook::ValidateSet, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}

fn topology(levels: &Value) -> Value {
    json!({"metadata": {"name": "t"}, "spec": {"levels": levels}})
}

fn good_topology() -> Value {
    topology(&json!([{"domain": "zone", "key": "example.com/zone"}]))
}

fn empty_topology() -> Value {
    topology(&json!([]))
}

fn odd_topology() -> Value {
    topology(&json!("x"))
}

#[rstest]
#[case::good(create(BINDINGS, &good_topology()), "allowed")]
#[case::without_levels(create(BINDINGS, &empty_topology()), "422 spec.levels")]
#[case::losing_its_levels(
    update(BINDINGS, &good_topology(), &empty_topology()),
    "422 spec.levels"
)]
#[case::invalid_before(update(BINDINGS, &empty_topology(), &empty_topology()), "allowed")]
#[case::undecodable(create(BINDINGS, &odd_topology()), "400")]
#[case::undecodable_and_being_deleted(
    update(BINDINGS, &odd_topology(), &deleting(odd_topology())),
    "allowed"
)]
#[case::deleted(delete(BINDINGS, &empty_topology()), "allowed")]
fn topologies(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&open(), Hook::ValidateTopology, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}

fn freed(owner: &str) -> Value {
    let old = clique(["PodCliqueSet", owner]);
    let new = with(old.clone(), "/metadata/labels", json!({}));
    update(PODCLIQUES, &old, &new)
}

pub(super) const OPERATOR: &str = "system:serviceaccount:grove-system:grove-operator";

#[rstest]
#[case::changed_by_a_user(freed("serve"), "403")]
#[case::deleted_by_a_user(delete(PODCLIQUES, &of_service()), "403")]
#[case::made_by_a_user(create(PODCLIQUES, &of_service()), "403")]
#[case::changed_by_the_operator(by(freed("serve"), OPERATOR), "allowed")]
#[case::changed_by_who_is_listed(by(freed("serve"), "bob"), "allowed")]
#[case::changed_while_protection_is_off(freed("free"), "allowed")]
#[case::of_an_unknown_set(freed("gone"), "warned")]
#[case::scaled(scale(PODCLIQUES, "serve-0-a", 3), "allowed")]
#[case::undecodable(
    update(PODCLIQUES, &json!({"metadata": 1}), &json!({"metadata": 1})),
    "400"
)]
fn authorizer(#[case] asked: Value, #[case] expected: &str) {
    let answer = ask(&strict(), Hook::Authorize, &asked);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
    let answer = ask(&open(), Hook::Authorize, &asked);
    assert_eq!(verdict(&answer), "allowed", "where it is off: {answer:?}");
}
