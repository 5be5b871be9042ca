//! This operator's part in the election, if there is one.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use engine::clock::Clock;
use engine::leader::{Campaign, LeaseOptions, Predecessor, WriteGate};
use engine::metrics::{ByLease, Metrics};
use kube::Client;
use tokio::sync::watch;

use crate::config::Config;

/// Whether this operator leads; without an election it always does.
pub(crate) struct Election {
    gate: WriteGate,
    lease: Option<String>,
    campaign: Option<Campaign>,
    metrics: Arc<Metrics>,
    leads: watch::Sender<bool>,
}

impl Election {
    pub(crate) fn new(
        config: &Config,
        client: &Client,
        clock: &Clock,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let is_held = config.leader_election.enabled;
        let gate = if is_held {
            WriteGate::closed()
        } else {
            WriteGate::open()
        };
        let campaign = || {
            Campaign::new(
                client.clone(),
                options(config),
                gate.clone(),
                clock.clone(),
                metrics.clone(),
            )
        };
        if is_held {
            show_leadership(config.leader_election.name(), metrics, false);
        }
        Self {
            lease: is_held.then(|| config.leader_election.name()),
            campaign: is_held.then(campaign),
            gate,
            metrics: metrics.clone(),
            leads: watch::Sender::new(false),
        }
    }

    /// Whether this operator leads, with each change.
    pub(crate) fn leads(&self) -> watch::Receiver<bool> {
        self.leads.subscribe()
    }

    /// The gate that all writes check.
    pub(crate) fn gate(&self) -> WriteGate {
        self.gate.clone()
    }

    /// Waits until this operator leads; if it is not ready, it lets others go first.
    pub(crate) async fn win(&mut self, is_ready: impl Fn() -> bool) -> Predecessor {
        let predecessor = match &mut self.campaign {
            Some(campaign) => campaign.win(is_ready).await,
            None => Predecessor::None,
        };
        self.show(true);
        self.leads.send_replace(true);
        predecessor
    }

    /// Stays the leader until that is impossible; returns why.
    pub(crate) async fn hold(&mut self) -> String {
        match &mut self.campaign {
            Some(campaign) => campaign.hold().await,
            None => pending().await,
        }
    }

    /// Lets another operator lead at once, if nothing is under way any more within this time.
    pub(crate) async fn release(&mut self, limit: Duration) {
        self.leads.send_replace(false);
        if let Some(campaign) = &mut self.campaign {
            campaign.release(limit).await;
        }
        self.show(false);
    }

    fn show(&self, leads: bool) {
        self.metrics.leads.set(leads.into());
        if let Some(lease) = &self.lease {
            show_leadership(lease.clone(), &self.metrics, leads);
        }
    }
}

/// The same under the name that the metric has in other operators.
fn show_leadership(name: String, metrics: &Metrics, leads: bool) {
    let by_lease = metrics.usual.leads.get_or_create(&ByLease { name });
    by_lease.set(leads.into());
}

fn options(config: &Config) -> LeaseOptions {
    let election = &config.leader_election;
    LeaseOptions {
        namespace: election.namespace(&config.process.namespace),
        name: election.name(),
        identity: config.process.identity.clone(),
        lease_duration: election.lease_duration(),
        renew_deadline: election.renew_deadline(),
        retry_period: election.retry_period(),
    }
}
