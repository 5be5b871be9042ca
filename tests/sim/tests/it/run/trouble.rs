//! Steps with trouble.

use std::time::Duration;

use api::labels;
use serde_json::Value;
use testkit::sim::actors;
use testkit::sim::check::Violation;
use testkit::sim::view;

use super::Run;
use crate::operator::Operator;

impl Run {
    pub(super) async fn troubled_step(&mut self) -> Result<(), Violation> {
        match self.rng.below(1000) {
            0..300 => self.start_one().await,
            300..560 => self.answer_one().await?,
            560..820 => self.see_one(),
            820..930 => drop(self.cluster()),
            930..950 => self.pass_time().await,
            950..965 => self.read_one().await,
            965..978 => {
                let kind = *self.rng.pick(&crate::views::KINDS).unwrap();
                self.operator.relist(kind, &self.store);
            }
            978..982 => self.crash().await,
            982..988 => actors::act(&self.user, &mut self.store, &mut self.rng),
            988..990 => self.is_quota_used_up = !self.is_quota_used_up,
            990..992 => self.are_nodes_dead = !self.are_nodes_dead,
            _ => actors::make_trouble(&mut self.store, &mut self.rng),
        }
        self.check()
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
        // Whoever starts with a list by label cannot know of objects that have lost it.
        let is_visible = |o: &Value| view::label(o, labels::MANAGED_BY) == labels::MANAGER;
        let is_seen = |o: &Value| view::owner(o).is_none() || is_visible(o);
        if !self.store.objects().all(|(_, o)| is_seen(o)) {
            return;
        }
        self.note(|| "the operator crashes and starts again".to_owned());
        let horizon = self.operator.horizon();
        self.operator.kill();
        self.settle().await;
        for parked in self.lot.lock().unwrap().iter_mut() {
            parked.horizon.get_or_insert_with(|| horizon);
        }
        self.operator = Operator::start(&self.store, &self.lot, self.began, self.sabotage);
    }
}
