//! Getting the lease, keeping it, giving it back.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watcher};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::lease::{holder_of, is_newer};
use super::requests::{LeaseError, LeaseRequests};
use super::{LeaseOptions, Record, Step, WriteFence, next_step};
use crate::clock::Clock;
use crate::metrics::Metrics;

/// What the API server is told to end the watch after, in seconds.
const WATCH_SECONDS: u32 = 55;

/// One process's part in the election.
pub struct Campaign {
    options: LeaseOptions,
    requests: LeaseRequests,
    fence: WriteFence,
    clock: Clock,
    metrics: Arc<Metrics>,
    /// `None`: not looked yet.
    seen: Option<Record>,
    /// What was said last of why it cannot go on, to say it once.
    problem: Option<String>,
}

impl Campaign {
    /// Takes part with these options; `fence` is opened while the lease is held.
    pub fn new(
        client: Client,
        options: LeaseOptions,
        fence: WriteFence,
        clock: Clock,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            requests: LeaseRequests::new(client, options.clone()),
            options,
            fence,
            clock,
            metrics,
            seen: None,
            problem: None,
        }
    }

    /// Waits until this process leads.
    pub async fn win(&mut self) {
        let config = watcher::Config::default()
            .fields(&format!("metadata.name={}", self.options.name))
            .timeout(WATCH_SECONDS);
        let mut shown = pin!(watcher(self.requests.api(), config).default_backoff());
        while !self.has_won().await {
            self.wait_for_change(&mut shown).await;
        }
        let LeaseOptions { name, identity, .. } = &self.options;
        tracing::info!(lease = name, identity, "this operator leads");
    }

    /// Reads the Lease if nothing is known of it, and takes it if it may be taken.
    async fn has_won(&mut self) -> bool {
        let Some(record) = &self.seen else {
            self.look().await;
            return false;
        };
        if next_step(record, &self.options, Instant::now()) != Step::Take {
            return false;
        }
        match self.claim().await {
            Ok(()) => true,
            Err(error) => {
                // Who took it, or what became of the request, is to be seen.
                self.seen = None;
                if !matches!(error, LeaseError::Conflict) {
                    self.tell("the lease cannot be taken", &error);
                    sleep(self.options.retry_period).await;
                }
                false
            }
        }
    }

    async fn wait_for_change(
        &mut self,
        shown: &mut (impl Stream<Item = watcher::Result<watcher::Event<Lease>>> + Unpin),
    ) {
        let step = self.seen.as_ref();
        let step = step.map(|record| next_step(record, &self.options, Instant::now()));
        let until = match step {
            Some(Step::WaitUntil(until)) => until,
            // Known and free: it is taken at once.
            Some(Step::Take) => return,
            // It could not be read.
            None => Instant::now() + self.options.retry_period,
        };
        tokio::select! {
            event = shown.next() => match event {
                Some(Ok(event)) => self.take_in(event),
                // The watch begins anew by itself; without it the end of the lease is waited for.
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
            self.seen = Some(Record { lease, since });
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

    /// Asks for the lease, by the version that is known. What it allows counts from before it was
    /// asked for.
    async fn claim(&mut self) -> Result<(), LeaseError> {
        let asked = Instant::now();
        let known = self.seen.as_ref().and_then(|record| record.lease.as_ref());
        let lease = self.requests.claim(known, (self.clock)()).await?;
        self.fence.extend(asked + self.options.renew_deadline);
        self.problem = None;
        self.seen = Some(Record {
            lease: Some(lease),
            since: asked,
        });
        Ok(())
    }

    /// Renews the lease until that fails for too long; returns why.
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
                    self.fence.close();
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
        self.fence.close();
        let deadline = self.options.renew_deadline;
        format!("it could not be renewed for {deadline:?}: {why}")
    }

    async fn renew(&mut self) -> Result<(), Lost> {
        let Err(error) = self.claim().await else {
            return Ok(());
        };
        if !matches!(error, LeaseError::Conflict) {
            return Err(Lost::Not(error));
        }
        // An answer that was lost, or somebody who edited it; or it is in other hands.
        let lease = self.requests.read().await.map_err(Lost::Not)?;
        let holder = lease.as_ref().map(holder_of).unwrap_or_default();
        if holder != self.options.identity {
            return Err(Lost::To(if holder.is_empty() {
                "nobody".to_owned()
            } else {
                holder.to_owned()
            }));
        }
        self.seen = Some(Record {
            lease,
            since: Instant::now(),
        });
        self.claim().await.map_err(Lost::Not)
    }

    /// Gives the lease back once no write is under way, so that another takes it at once. Within
    /// this time; else it runs out.
    pub async fn release(&mut self, limit: Duration) {
        let released = tokio::time::timeout(limit, async {
            self.fence.drain().await;
            match self.give_back().await {
                Ok(()) => tracing::info!(lease = self.options.name, "the lease is given back"),
                Err(error) => tracing::warn!(%error, "the lease could not be given back"),
            }
        });
        if released.await.is_err() {
            tracing::warn!("writes are still under way: the lease is left to run out");
        }
    }

    async fn give_back(&mut self) -> Result<(), LeaseError> {
        let known = self.seen.as_ref().and_then(|record| record.lease.as_ref());
        let Some(known) = known else { return Ok(()) };
        let answer = self.requests.release(known, (self.clock)()).await;
        let Err(LeaseError::Conflict) = answer else {
            return answer.map(drop);
        };
        // A renewal was under way when this operator was told to stop.
        let found = self.requests.read().await?;
        let own = found.filter(|lease| holder_of(lease) == self.options.identity);
        let Some(own) = own else { return Ok(()) };
        self.requests.release(&own, (self.clock)()).await.map(drop)
    }

    /// Says once what keeps it from going on.
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

/// Why a renewal failed.
enum Lost {
    /// In other hands.
    To(String),
    /// Not lost yet.
    Not(LeaseError),
}
