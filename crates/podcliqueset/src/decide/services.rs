//! One headless Service per replica, and none for replicas that are scaled in.

use std::collections::{HashMap, HashSet};

use api::PodCliqueSetStatus;
use domain::ownership;
use domain::plan::{Action, Kind, Object, Plan};

use super::access::keep;
use crate::build::service;
use crate::observe::{Snapshot, is_owned};

pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueSetStatus>) {
    let set = &snapshot.intake.set;
    let desired: Vec<_> = (0..snapshot.replicas())
        .map(|i| service::headless(set, i))
        .collect();
    let wanted: HashSet<_> = desired.iter().map(|d| &d.metadata.name).collect();
    let surplus = snapshot.services.iter().filter(|s| {
        !wanted.contains(&s.metadata.name)
            && is_owned(&s.metadata)
            && !ownership::is_terminating(&s.metadata)
    });
    plan.wave(
        surplus
            .map(|s| Action::delete(Kind::Service, &s.metadata, "replica scaled in"))
            .collect(),
    );
    let existing: HashMap<_, _> = snapshot
        .services
        .iter()
        .map(|s| (&s.metadata.name, s))
        .collect();
    let wrap = |o| Object::Service(Box::new(o));
    let kept = desired.into_iter().filter_map(|desired| {
        let found = existing.get(&desired.metadata.name).copied();
        if found.is_some_and(|found| service::is_right(found, &desired)) {
            return None;
        }
        keep(Kind::Service, found, desired, wrap)
    });
    plan.wave(kept.collect());
}
