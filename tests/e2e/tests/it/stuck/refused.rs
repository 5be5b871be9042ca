//! Pods that the API server refuses.

use serde_json::{Value, json};

use super::{is_mended, is_stuck, object, set_with};
use crate::harness::{Namespace, same};

fn quota(pods: &str) -> Value {
    object(
        "v1",
        "ResourceQuota",
        "few-pods",
        &json!({"spec": {"hard": {"pods": pods}}}),
    )
}

#[test]
fn a_quota_that_is_used_up() {
    let ns = Namespace::new("stuck-quota");
    ns.apply(&quota("1"));
    ns.until("the quota counts", |_| {
        let path = "--output=jsonpath={.status.hard.pods}";
        let hard = ns.kubectl(&["get", "quota", "few-pods", path]);
        same("quota", &hard, &"1".to_owned())
    });
    ns.apply(&set_with(&json!({})));
    is_stuck(&ns, "QuotaExceeded", "1/2 pods created: create Pod");
    ns.apply(&quota("2"));
    is_mended(&ns);
}

#[test]
fn a_service_account_that_does_not_exist() {
    let ns = Namespace::new("stuck-account");
    ns.apply(&set_with(&json!({"serviceAccountName": "robot"})));
    is_stuck(
        &ns,
        "ServiceAccountMissing",
        "serviceaccount \"robot\" not found",
    );
    ns.kubectl(&["create", "serviceaccount", "robot"]);
    is_mended(&ns);
    ns.kubectl(&["delete", "serviceaccount", "robot"]);
}

#[test]
fn a_priority_class_that_does_not_exist() {
    let ns = Namespace::new("stuck-priority");
    ns.apply(&set_with(&json!({"priorityClassName": "no-such-class"})));
    is_stuck(
        &ns,
        "PriorityClassMissing",
        "no PriorityClass with name no-such-class was found",
    );
}
