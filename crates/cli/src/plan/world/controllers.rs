//! The four reconcilers: their order, and one decision.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::Key;
use domain::plan::Kind;
use engine::triggers::Triggers;
use engine::{ControllerName, Controllers, Reconciler, status};
use kube::Resource;
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::{PodCliqueSetReconciler, ScaledGangsWaitFor};
use podgang::PodGangReconciler;

use super::kinds::Triggered;
use super::write::Written;
use super::{World, bug, encode};
use crate::exit::Failure;

/// The controllers run in this order.
const NAMES: [ControllerName; 4] = [
    PodCliqueSetReconciler::NAME,
    PodCliqueScalingGroupReconciler::NAME,
    PodCliqueReconciler::NAME,
    PodGangReconciler::NAME,
];

/// A controller, by number, and a key.
pub(super) type Job = (usize, Key);

/// The triggers of the controllers.
pub(super) fn triggers() -> Triggers {
    let controllers = Controllers::default()
        .with::<PodCliqueSetReconciler>()
        .with::<PodCliqueScalingGroupReconciler>()
        .with::<PodCliqueReconciler>()
        .with::<PodGangReconciler>();
    controllers.triggers
}

impl World {
    /// These controllers decide again about these objects.
    pub(super) fn trigger(&mut self, triggered: Triggered) {
        let jobs = triggered.into_iter().filter_map(|(name, key)| {
            let number = NAMES.iter().position(|known| *known == name)?;
            Some((number, key))
        });
        self.triggered.extend(jobs);
    }

    /// The state that each part of a base gang must reach with its minimum before scaled gangs
    /// start.
    pub fn waits_until(&self) -> &'static str {
        match self.rules.sets.scaled_gangs_wait_for {
            ScaledGangsWaitFor::BaseReady => "ready",
            ScaledGangsWaitFor::BaseScheduled => "scheduled",
        }
    }

    /// All controllers decide again about all objects.
    pub(super) fn trigger_all(&mut self) {
        let kinds = [
            Kind::of::<PodCliqueSet>(),
            Kind::of::<PodCliqueScalingGroup>(),
            Kind::of::<PodClique>(),
            Kind::of::<PodGang>(),
        ];
        for (number, kind) in kinds.into_iter().enumerate() {
            let jobs: Vec<Job> = self
                .stored(kind)
                .map(|(key, _)| (number, key.clone()))
                .collect();
            self.triggered.extend(jobs);
        }
    }

    /// Decides until no controller is triggered.
    pub(super) fn work_off(&mut self) -> Result<(), Failure> {
        while !self.triggered.is_empty() {
            // Controllers that are triggered meanwhile wait: the set reconciles once after all of
            // this round.
            let turn: BTreeSet<Job> = std::mem::take(&mut self.triggered);
            for job in turn {
                self.reconcile(job)?;
            }
        }
        Ok(())
    }

    fn reconcile(&mut self, job: Job) -> Result<(), Failure> {
        self.count_decision()?;
        let rules = self.rules.clone();
        match job.0 {
            0 => self.decide(&rules.sets, job),
            1 => self.decide(&rules.groups, job),
            2 => self.decide(&rules.cliques, job),
            _ => self.decide(&rules.gangs, job),
        }
    }

    fn decide<R: Reconciler>(&mut self, rules: &R, job: Job) -> Result<(), Failure> {
        self.timers.remove(&job);
        let Some(object) = self.caches.of::<R::Object>().get(&job.1) else {
            return Ok(());
        };
        let snapshot = rules.observe(&object, &self.caches);
        let plan = rules.decide(&snapshot, self.now);
        drop(snapshot);
        if let Some(at) = plan.wake_at {
            self.timers.insert(job.clone(), at);
        }
        for action in plan.waves.iter().flatten() {
            if matches!(
                self.carry_out(action)?,
                Written::Outdated | Written::Answered
            ) {
                self.triggered.insert(job.clone());
            }
        }
        match plan.status {
            Some(next) => self.report::<R>(&object, next, job),
            None => Ok(()),
        }
    }

    /// Writes the status if it differs.
    fn report<R: Reconciler>(
        &mut self,
        object: &Arc<R::Object>,
        next: R::Status,
        job: Job,
    ) -> Result<(), Failure> {
        let Some(next) = status::complete(object.as_ref(), next, self.now) else {
            return Ok(());
        };
        let id = (Kind::of::<R::Object>(), job.1.clone());
        let status = encode(&next)?;
        let observed = object.meta().resource_version.as_deref();
        if self.write_status(&id, observed, status)? == Written::Outdated {
            self.triggered.insert(job);
        }
        Ok(())
    }

    /// Stops a loop that does not end: a few dozen decisions per object are normal.
    fn count_decision(&mut self) -> Result<(), Failure> {
        const OF_EACH: usize = 500;
        self.decisions = self.decisions.saturating_add(1);
        let limit = self
            .objects()
            .len()
            .saturating_add(100)
            .saturating_mul(OF_EACH);
        if self.decisions > limit {
            return Err(bug("the operator's rules do not settle"));
        }
        Ok(())
    }
}
