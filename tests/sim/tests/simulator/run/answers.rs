//! Fates of requests.

use std::time::Duration;

use sim::actors;
use sim::check::{LATE, OPERATOR, Requests, Violation};
use sim::{Answer, Call, RequestPath};

use super::Run;
use crate::sabotage;
use crate::service::Parked;

/// How long a watch is interrupted together with an answer.
const OUTAGE: Duration = Duration::from_secs(5);

impl Run {
    pub(super) async fn answer_one(&mut self) -> Result<(), Violation> {
        let count = self.lot.lock().unwrap().len();
        if count == 0 {
            return Ok(());
        }
        let parked = self.lot.lock().unwrap().remove(self.rng.below(count));
        if self.is_calm {
            return self.carry_out(parked, true).await;
        }
        if !self.is_quiet {
            self.disturb(&parked);
        }
        let fate = self.rng.below(100);
        if fate >= 84 {
            let call = &parked.call;
            self.note(|| format!("{} {}: {}", call.method, call.path, fate_of(fate)));
        }
        match fate {
            0..84 => self.carry_out(parked, true).await,
            84..89 => {
                self.coverage.saw("answer lost");
                self.delete_parent(&parked);
                self.cut_watch(&parked);
                self.carry_out(parked, false).await
            }
            89..92 => {
                self.coverage.saw("request lost");
                let _ = parked.answer.send(None);
                Ok(())
            }
            code => {
                let (code, reason) = match code {
                    92..95 => (500, "InternalError"),
                    95..97 => (429, "TooManyRequests"),
                    _ => (503, "ServiceUnavailable"),
                };
                self.coverage.saw("request refused at random");
                let _ = parked
                    .answer
                    .send(Some(Answer::failure(code, reason, "injected")));
                Ok(())
            }
        }?;
        self.settle().await;
        Ok(())
    }

    /// Another writer changes the object just before a request that carries no version. Merge
    /// patches are rare and test only the uid, JSON patches contain positions in a list: for these
    /// it happens often.
    fn disturb(&mut self, parked: &Parked) {
        let chance = match parked.call.method.as_str() {
            "PATCH" if parked.call.content_type.contains("merge-patch") => 600,
            "PATCH" => 250,
            "DELETE" => 100,
            _ => 0,
        };
        let target = RequestPath::parse(&parked.call.path).and_then(|place| place.id());
        if let Some(id) = target.filter(|_| self.rng.chance(chance)) {
            actors::disturb(&mut self.store, &mut self.rng, &id);
        }
    }

    /// While an answer about a pod is missing, the operator must not release its PodClique.
    fn delete_parent(&mut self, parked: &Parked) {
        let is_pod = parked.call.method == "POST" && parked.call.path.ends_with("/pods");
        if !self.is_quiet
            && is_pod
            && self.rng.chance(200)
            && actors::delete_parent(&mut self.store, &parked.call)
        {
            self.coverage
                .saw("PodClique deleted while a pod of it is created");
        }
    }

    /// A lost answer often comes with a broken watch.
    fn cut_watch(&mut self, parked: &Parked) {
        let place = RequestPath::parse(&parked.call.path);
        let watched = place.filter(|p| crate::views::KINDS.contains(&p.resource));
        if let Some(place) = watched.filter(|_| self.rng.chance(600)) {
            self.operator.views.hold(place.resource, OUTAGE);
        }
    }

    /// The rank of a job fails just before the request that deletes its pod (decision 156).
    fn end_containers(&mut self, parked: &Parked) {
        let is_deletion = parked.call.method == "DELETE" && parked.call.path.contains("/pods/");
        let place = RequestPath::parse(&parked.call.path).filter(|_| is_deletion);
        let target = place.and_then(|place| place.id());
        if let Some(id) = target.filter(|_| self.rng.chance(200))
            && actors::end_containers(&mut self.store, &id)
        {
            self.coverage.saw("rank failed just before its deletion");
        }
    }

    pub(super) async fn carry_out(
        &mut self,
        mut parked: Parked,
        is_answered: bool,
    ) -> Result<(), Violation> {
        self.requests += 1;
        let is_late = parked.answer.is_canceled();
        if let Some(sabotage) = self.sabotage {
            sabotage::spoil(sabotage, &mut parked.call, &self.store, self.requests);
        }
        let is_pod = parked.call.method == "POST" && parked.call.path.ends_with("/pods");
        if is_pod && self.has_webhook {
            actors::add_gate(&mut parked.call);
        }
        self.end_containers(&parked);
        let length = self.store.log.len();
        if let Some(sabotage) = self.sabotage {
            sabotage::precede(sabotage, &parked.call, &mut self.store);
            self.check()?;
        }
        let mut answer = if is_pod && self.is_quota_used_up {
            self.coverage.saw("quota used up");
            Answer::failure(403, "Forbidden", "exceeded quota")
        } else {
            let actor = if is_late { LATE } else { OPERATOR };
            self.store.handle(actor, &parked.call)
        };
        if let Some(sabotage) = self.sabotage {
            sabotage::add(sabotage, &parked.call, &mut self.store);
        }
        let horizon = self.operator.horizon(&self.store);
        let before = parked.horizon.filter(|_| is_late);
        let mut horizon = before.map_or(horizon, |h| h.earlier(&horizon));
        horizon.sent = parked.sent;
        self.checker.check(&self.store, &horizon)?;
        Requests::wrote(&parked.call, &answer, self.store.log.len() - length)?;
        if !is_late {
            self.asked.refused(&self.store, &parked.call, &answer)?;
        }
        self.count(&parked.call, &answer);
        if answer.code >= 400 {
            let (call, message) = (&parked.call, answer.body["message"].clone());
            self.note(|| format!("{} {}: {} {message}", call.method, call.path, answer.code));
        }
        if let Some(sabotage) = self.sabotage {
            sabotage::blind(sabotage, &parked.call, &mut answer);
        }
        if is_answered && !is_late {
            self.asked.answered(&parked.call, &answer);
        }
        let _ = parked.answer.send(is_answered.then_some(answer));
        self.settle().await;
        Ok(())
    }
}

impl Run {
    fn count(&mut self, call: &Call, answer: &Answer) {
        match (call.method.as_str(), answer.code) {
            ("GET", _) => {
                self.coverage.saw("live read");
                let place = RequestPath::parse(&call.path);
                if place.is_some_and(|p| self.operator.views.is_listing(p.resource)) {
                    self.coverage.saw("live read within a full list");
                }
            }
            (_, 409) => self.coverage.saw("conflict"),
            (_, 422) => self.coverage.saw("write refused as invalid"),
            _ => {}
        }
    }
}

fn fate_of(fate: usize) -> &'static str {
    match fate {
        0..84 => "carried out",
        84..89 => "carried out, the answer is lost",
        89..92 => "lost",
        92..95 => "refused with 500",
        95..97 => "refused with 429",
        _ => "refused with 503",
    }
}
