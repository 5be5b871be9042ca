//! One headless Service per replica, and none for replicas that are scaled in.

use api::PodCliqueSetStatus;
use domain::ownership;
use domain::plan::{Action, Kind, Object, Plan};

use super::access::keep;
use crate::build::service;
use crate::observe::{Snapshot, is_owned};

pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueSetStatus>) {
    let set = &snapshot.intake.set;
    let desired: Vec<_> = (0..set.spec.replicas)
        .map(|i| service::headless(set, i))
        .collect();
    let surplus = snapshot.services.iter().filter(|s| {
        let is_wanted = desired.iter().any(|d| d.metadata.name == s.metadata.name);
        !is_wanted && is_owned(&s.metadata) && !ownership::is_terminating(&s.metadata)
    });
    plan.wave(
        surplus
            .map(|s| Action::delete(Kind::Service, &s.metadata, "replica scaled in"))
            .collect(),
    );
    let wrap = |o| Object::Service(Box::new(o));
    plan.wave(
        desired
            .into_iter()
            .filter_map(|d| keep(Kind::Service, &snapshot.services, d, wrap))
            .collect(),
    );
}
