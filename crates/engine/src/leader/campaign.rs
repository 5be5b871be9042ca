//! Takes the lease, keeps it, gives it back.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watcher};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

use super::lease::{end_of_hold, holder_of, is_newer, was_given_back};
use super::requests::{LeaseError, LeaseRequests};
use super::{LeaseOptions, LeaseStep, Record, WriteGate, next_step};
use crate::clock::Clock;
use crate::metrics::Metrics;

/// The server-side timeout of the watch, in seconds.
const WATCH_SECONDS: u32 = 55;
/// How often the process checks whether it is ready to lead.
const READY_CHECK: Duration = Duration::from_millis(100);

/// One process's part in the election.
pub struct Campaign {
    options: LeaseOptions,
    requests: LeaseRequests,
    gate: WriteGate,
    clock: Clock,
    metrics: Arc<Metrics>,
    /// `None`: not read yet.
    seen: Option<Record>,
    /// Whether this process may hold the Lease without knowing it.
    was_asked_for: bool,
    /// The last reported problem, so that each is reported once.
    problem: Option<String>,
}

impl Campaign {
    /// Takes part with these options; `gate` is opened while the lease is held.
    pub fn new(
        client: Client,
        options: LeaseOptions,
        gate: WriteGate,
        clock: Clock,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            requests: LeaseRequests::new(client, options.clone()),
            options,
            gate,
            clock,
            metrics,
            seen: None,
            was_asked_for: false,
            problem: None,
        }
    }

    /// Waits until this process leads. While it is not `is_ready`, it leaves the lease for one
    /// duration to the processes that are ready; if none takes it, it leads and does as much as it
    /// can.
    pub async fn win(&mut self, is_ready: impl Fn() -> bool) -> Predecessor {
        let config = watcher::Config::default()
            .fields(&format!("metadata.name={}", self.options.name))
            .timeout(WATCH_SECONDS);
        let mut shown = pin!(watcher(self.requests.api(), config).default_backoff());
        let mut free_since = None;
        // If the answer to a claim is lost, the next read shows this process as the holder.
        let mut predecessor = Predecessor::None;
        loop {
            if self.seen.is_none() {
                self.look().await;
                if self.seen.is_some() {
                    continue;
                }
            } else if self.is_free() {
                let since = *free_since.get_or_insert_with(Instant::now);
                let is_patient = Instant::now() < since + self.options.lease_duration;
                if is_patient && !is_ready() {
                    let _ = timeout(READY_CHECK, self.wait_for_change(&mut shown)).await;
                    continue;
                }
                predecessor = self.predecessor().unwrap_or(predecessor);
                if self.try_to_take().await {
                    break;
                }
                continue;
            } else {
                free_since = None;
            }
            self.wait_for_change(&mut shown).await;
        }
        let LeaseOptions { name, identity, .. } = &self.options;
        tracing::info!(lease = name, identity, ?predecessor, "this operator leads");
        predecessor
    }

    fn is_free(&self) -> bool {
        let step = self.next_step();
        step == Some(LeaseStep::Take)
    }

    /// `None`: the Lease was not seen yet.
    fn next_step(&self) -> Option<LeaseStep> {
        let record = self.seen.as_ref()?;
        Some(next_step(record, &self.options, Instant::now()))
    }

    /// `None`: there was no other holder.
    fn predecessor(&self) -> Option<Predecessor> {
        let record = self.seen.as_ref()?;
        match end_of_hold(record, &self.options) {
            Some(_) => Some(Predecessor::Silent),
            None => was_given_back(record).then_some(Predecessor::Gone),
        }
    }

    async fn try_to_take(&mut self) -> bool {
        let Err(error) = self.claim().await else {
            return true;
        };
        // The next read shows the holder, or the result of the request.
        self.seen = None;
        if !matches!(error, LeaseError::Conflict) {
            self.tell("the lease cannot be taken", &error);
            sleep(self.options.retry_period).await;
        }
        false
    }

    async fn wait_for_change(
        &mut self,
        shown: &mut (impl Stream<Item = watcher::Result<watcher::Event<Lease>>> + Unpin),
    ) {
        let until = match self.next_step() {
            Some(LeaseStep::WaitUntil(until)) => until,
            // The lease is left to others, or could not be read.
            Some(LeaseStep::Take) | None => Instant::now() + self.options.retry_period,
        };
        tokio::select! {
            event = shown.next() => match event {
                Some(Ok(event)) => self.take_in(event),
                // The watch restarts by itself; without it the loop waits for the end of the lease.
                Some(Err(error)) => tracing::debug!(%error, "watch of the lease"),
                None => sleep_until(until).await,
            },
            () = sleep_until(until) => {}
        }
    }

    fn take_in(&mut self, event: watcher::Event<Lease>) {
        match event {
            watcher::Event::Apply(lease) | watcher::Event::InitApply(lease) => {
                self.see(Some(lease));
            }
            watcher::Event::Delete(_) => self.see(None),
            watcher::Event::Init | watcher::Event::InitDone => {}
        }
    }

    fn see(&mut self, lease: Option<Lease>) {
        let known = self.seen.as_ref();
        let is_news = known.is_none_or(|known| is_newer(lease.as_ref(), known.lease.as_ref()));
        if is_news {
            let since = Instant::now();
            let former = known.and_then(|known| end_of_hold(known, &self.options));
            self.seen = Some(Record {
                held_until: former.filter(|_| lease.is_none()),
                lease,
                since,
            });
        }
    }

    async fn look(&mut self) {
        match self.requests.read().await {
            Ok(lease) => {
                if let Some(holder) = lease.as_ref().map(holder_of).filter(|h| !h.is_empty()) {
                    tracing::info!(lease = self.options.name, holder, "another operator leads");
                }
                self.see(lease);
            }
            Err(error) => self.tell("the lease cannot be read", &error),
        }
    }

    /// Requests the lease, with the known version. The time to write counts from before the
    /// request.
    async fn claim(&mut self) -> Result<(), LeaseError> {
        let asked = Instant::now();
        self.was_asked_for = true;
        let known = self.seen.as_ref().and_then(|record| record.lease.as_ref());
        let lease = self.requests.claim(known, (self.clock)()).await?;
        self.gate.extend(asked + self.options.renew_deadline);
        self.problem = None;
        self.seen = Some(Record {
            lease: Some(lease),
            since: asked,
            held_until: None,
        });
        Ok(())
    }

    /// Renews the lease until that fails for too long; returns the reason.
    pub async fn hold(&mut self) -> String {
        let mut renewed = self.seen.as_ref().map_or_else(Instant::now, |r| r.since);
        let mut asked = renewed;
        loop {
            sleep_until(asked + self.options.retry_period).await;
            asked = Instant::now();
            let deadline = renewed + self.options.renew_deadline;
            match timeout_at(deadline, self.renew()).await {
                Ok(Ok(())) => renewed = asked,
                Ok(Err(Lost::To(holder))) => {
                    self.gate.close();
                    return format!("{holder} leads");
                }
                Ok(Err(Lost::Not(error))) if Instant::now() < deadline => {
                    self.tell("the lease cannot be renewed", &error);
                }
                Ok(Err(Lost::Not(error))) => return self.give_up(&error.to_string()),
                Err(_) => return self.give_up("no answer"),
            }
        }
    }

    fn give_up(&self, why: &str) -> String {
        self.gate.close();
        let deadline = self.options.renew_deadline;
        format!("it could not be renewed for {deadline:?}: {why}")
    }

    async fn renew(&mut self) -> Result<(), Lost> {
        let Err(error) = self.claim().await else {
            return Ok(());
        };
        if !matches!(error, LeaseError::Conflict | LeaseError::Missing) {
            return Err(Lost::Not(error));
        }
        // An answer was lost, or a user edited or deleted the lease; or another process holds it.
        let lease = self.requests.read().await.map_err(Lost::Not)?;
        if let Some(lease) = lease.as_ref().filter(|lease| !self.is_own(lease)) {
            return Err(Lost::To(match holder_of(lease) {
                "" => "nobody".to_owned(),
                other => other.to_owned(),
            }));
        }
        self.seen = Some(Record {
            lease,
            since: Instant::now(),
            held_until: None,
        });
        self.claim().await.map_err(Lost::Not)
    }

    /// Gives the lease back once no write is under way, so that another process takes it at once.
    /// If that takes longer than this limit, the lease runs out.
    pub async fn release(&mut self, limit: Duration) {
        let released = tokio::time::timeout(limit, async {
            self.gate.drain().await;
            match self.give_back().await {
                Ok(()) => tracing::info!(lease = self.options.name, "the lease is released"),
                Err(error) => tracing::warn!(%error, "the lease could not be released"),
            }
        });
        if released.await.is_err() {
            tracing::warn!(
                "writes are still under way: the lease expires instead of being released"
            );
        }
    }

    async fn give_back(&mut self) -> Result<(), LeaseError> {
        if !self.was_asked_for {
            return Ok(());
        }
        let known = self.seen.as_ref().and_then(|record| record.lease.as_ref());
        if let Some(known) = known.filter(|lease| self.is_own(lease)) {
            let answer = self.requests.release(known, (self.clock)()).await;
            let Err(LeaseError::Conflict) = answer else {
                return answer.map(drop);
            };
        }
        // A claim or a renewal was under way when this operator was stopped.
        let found = self.requests.read().await?;
        let Some(own) = found.filter(|lease| self.is_own(lease)) else {
            return Ok(());
        };
        self.requests.release(&own, (self.clock)()).await.map(drop)
    }

    fn is_own(&self, lease: &Lease) -> bool {
        holder_of(lease) == self.options.identity
    }

    /// Logs once why it cannot go on.
    fn tell(&mut self, what: &str, error: &LeaseError) {
        let LeaseOptions {
            namespace, name, ..
        } = &self.options;
        self.metrics.lease_failures.inc();
        let problem = format!("{what}: {error}");
        if self.problem.as_ref() == Some(&problem) {
            return;
        }
        tracing::warn!(
            lease = format!("{namespace}/{name}"),
            problem,
            "trying again; the operator's Role has to allow get, watch, create and update of it"
        );
        self.problem = Some(problem);
    }
}

/// The state of the previous leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predecessor {
    /// There was none, or it was this process's own.
    None,
    /// It gave the lease back.
    Gone,
    /// It did not renew the lease for its duration: it, or the network, is in trouble.
    Silent,
}

/// Why a renewal failed.
enum Lost {
    /// In other hands.
    To(String),
    /// Not lost yet.
    Not(LeaseError),
}
