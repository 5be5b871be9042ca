//! Condition `Ready` of a set with ComputeDomains.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::nvidia::{ComputeDomainNode, ComputeDomainStatus};
use api::{LastError, codes};
use domain::scheduling::UnsupportedFeature;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after};

use super::{begun, change};
use crate::situation::{fill_all, make_group_replicas, plan};

#[test]
fn ready_names_the_missing_definition() {
    let mut snapshot = begun(1);
    make_group_replicas(&mut snapshot);
    let frontend = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let status = &mut Arc::make_mut(&mut frontend.podclique).status;
    status.get_or_insert_default().last_errors = vec![LastError {
        code: codes::CLAIM_MISSING.to_owned(),
        description: "ComputeDomain demo-0-rack is missing".to_owned(),
        observed_at: Time(after(1)),
    }];
    let reason = |snapshot: &Snapshot| {
        let status = plan(snapshot).status.unwrap();
        let ready = conditions::find(&status.conditions, ConditionType::Ready);
        ready.unwrap().reason.clone()
    };
    assert_eq!(reason(&snapshot), "ClaimMissing");
    snapshot.scheduler.unsupported = Some(UnsupportedFeature::ComputeDomainsMissing);
    assert_eq!(reason(&snapshot), "ComputeDomainsMissing");
}

#[test]
fn ready_names_a_domain_that_is_not_ready() {
    let mut snapshot = begun(1);
    make_group_replicas(&mut snapshot);
    fill_all(&mut snapshot, PodBuilder::bound);
    let node = |name: &str, status: &str| ComputeDomainNode {
        name: name.into(),
        status: status.into(),
    };
    change(&mut snapshot, "demo-0-rack", |domain| {
        domain.status = Some(ComputeDomainStatus {
            status: "NotReady".into(),
            nodes: vec![node("node-3", "NotReady"), node("node-4", "Ready")],
        });
    });
    let message = |snapshot: &Snapshot| {
        let status = plan(snapshot).status.unwrap();
        let ready = conditions::find(&status.conditions, ConditionType::Ready);
        ready.unwrap().message.clone()
    };
    let text = message(&snapshot);
    let suffix = "; ComputeDomain demo-0-rack is NotReady (node-3)";
    assert!(text.ends_with(suffix), "{text}");
    change(&mut snapshot, "demo-0-rack", |domain| {
        domain.status.get_or_insert_default().status = "Ready".into();
    });
    assert!(!message(&snapshot).contains("ComputeDomain"));
}
