//! Statuses of scaling groups, for the tests of other tools that read them.

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{LastError, PodClique, PodCliqueScalingGroupStatus, codes};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;
use testkit::recorded::assert_recorded;

use crate::situation::{complete, demo, plan, situation};

fn record(name: &str, snapshot: &Snapshot) {
    let mut group = (*snapshot.group).clone();
    group.status = plan(snapshot).status;
    assert_recorded(&format!("podcliquescalinggroup-{name}"), &group);
}

/// Neither of its pods is ready, for this reason, which waiting does not cure.
fn refuse(podclique: &mut PodClique) {
    let status = podclique.status.as_mut().unwrap();
    status.ready_replicas = 0;
    for (type_, is) in [
        (ConditionType::Ready, Status::False),
        (ConditionType::Stalled, Status::True),
    ] {
        let verdict = ConditionUpdate {
            type_,
            status: is,
            reason: Reason::QuotaExceeded,
            message: "exceeded quota: q".to_owned(),
        };
        conditions::set(&mut status.conditions, verdict, Some(1), after(0));
    }
}

#[test]
fn of_groups() {
    let set = demo().build();
    record("ready", &situation(&set, 3, complete(&set, 3)));
    let mut refused = complete(&set, 3);
    refused.iter_mut().for_each(refuse);
    record("refused-for-long", &situation(&set, 3, refused));
    let mut taken = situation(&set, 3, vec![]);
    let error = LastError {
        code: codes::NAME_CONFLICT.to_owned(),
        description: "create PodClique demo-0-g-0-leader: taken".to_owned(),
        observed_at: Time(after(50)),
    };
    let group = Arc::make_mut(&mut taken.group);
    group.status = Some(PodCliqueScalingGroupStatus {
        last_errors: vec![error],
        ..PodCliqueScalingGroupStatus::default()
    });
    record("name-taken", &taken);
}
