//! Steps with trouble.

use std::time::Duration;

use api::labels;
use serde_json::Value;
use sim::actors;
use sim::check::{Requests, Violation};
use sim::{Id, Resource, view};

use super::Run;
use crate::operator::Operator;
use crate::views;

impl Run {
    pub(super) async fn troubled_step(&mut self) -> Result<(), Violation> {
        match self.rng.below(1000) {
            0..290 => self.start_one().await,
            290..550 => self.answer_one().await?,
            550..800 => self.see_one()?,
            800..895 => self.cluster_acts(),
            895..920 => self.pass_time().await,
            920..935 => self.read_one().await,
            935..951 => {
                let kind = self.any_kind();
                self.coverage.saw("part of a full list");
                self.show(|operator, store| operator.relist(kind, store))?;
            }
            951..955 => {
                let (kind, seconds) = (self.any_kind(), self.rng.between(1, 20));
                let time = Duration::from_secs(seconds.unsigned_abs());
                self.operator.views.hold(kind, time);
            }
            955..959 => self.crash().await,
            959..965 => actors::act(&self.user, &mut self.store, &mut self.rng),
            965..967 => self.is_quota_used_up = !self.is_quota_used_up,
            967..969 => self.are_nodes_dead = !self.are_nodes_dead,
            _ if self.has_topology && self.rng.chance(250) => {
                actors::trouble_nodes(&mut self.store, &mut self.rng);
            }
            _ if self.places_gangs && self.rng.chance(100) => {
                actors::preempt_gang(&mut self.store, &mut self.rng);
            }
            _ => actors::make_trouble(&mut self.store, &mut self.rng),
        }
        self.check()
    }

    /// Jobs and preemption take more moves until their end than pods that only run.
    fn cluster_acts(&mut self) {
        let has_more = self.user.has_job() || self.places_gangs;
        let moves = if has_more { 3 } else { 1 };
        for _ in 0..moves {
            self.cluster();
        }
    }

    pub(super) fn any_kind(&mut self) -> Resource {
        let kinds = &views::KINDS;
        if self.backend.is_kubernetes() {
            return kinds[self.rng.below(kinds.len())];
        }
        let count = match (self.has_domains, self.has_claims, self.has_topology) {
            _ if self.quota.is_some() => views::WITH_QUEUE,
            (true, ..) => views::WITH_DOMAINS,
            (false, true, _) => views::WITH_CLAIMS,
            (false, false, true) => views::WITH_TOPOLOGY,
            (false, false, false) => views::IN_ALL,
        };
        kinds[self.rng.below(count)]
    }

    async fn pass_time(&mut self) {
        let milliseconds = match self.rng.below(10) {
            0..6 => self.rng.between(1, 400),
            6..9 => self.rng.between(400, 5_000),
            _ => self.rng.between(5_000, 70_000),
        };
        self.wait(Duration::from_millis(milliseconds.unsigned_abs()))
            .await;
    }

    /// The process ends; its requests may still arrive.
    async fn crash(&mut self) {
        // A starting operator cannot know about a pod or a Service that has lost both labels of its
        // selectors (docs/decisions.md, 19).
        if self.store.objects().any(|(id, o)| is_hidden(id, o)) {
            return;
        }
        self.restart().await;
    }

    /// The operator loses all its memory.
    pub(super) async fn restart(&mut self) {
        self.note(|| "the operator crashes and starts again".to_owned());
        self.coverage.saw("crash");
        self.operator.kill();
        self.settle().await;
        self.asked = Requests::default();
        self.checker.restarted(&self.store);
        self.operator = Operator::start(
            &self.store,
            &self.lot,
            self.began,
            self.backend,
            self.sabotage,
        );
    }
}

fn is_hidden(id: &Id, object: &Value) -> bool {
    let stray_label = match id.resource {
        Resource::Pod => labels::POD_CLIQUE,
        Resource::Service => labels::PCS_REPLICA_INDEX,
        _ => return false,
    };
    view::label(object, labels::MANAGED_BY) != labels::MANAGER
        && view::label(object, stray_label).is_empty()
}
