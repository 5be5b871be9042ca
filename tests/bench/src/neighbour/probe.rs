//! Gangs whose pods fail repeatedly, each gang separately.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use futures::future::{try_join, try_join_all};
use kube::Client;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use super::claims::Claims;
use crate::calls;
use crate::observer::Pod;
use crate::podclique::PodClique;
use crate::pods::{self, Victim};

/// From one failure of a gang to its next.
const PERIOD: Duration = Duration::from_secs(2);

/// Gangs with a pod each that fails.
pub struct Probes {
    client: Client,
    namespace: String,
    victims: Vec<Victim>,
    /// Breached PodCliques.
    breaches: Claims,
    /// Pods that are not Ready.
    failures: Claims,
}

/// The time until a breach was observed.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// Since the failure was answered.
    pub since_answer: Duration,
    /// Since a watch of pods showed it: without the control plane's own delay.
    pub since_watch: Duration,
}

impl Probes {
    /// For a namespace with that many gangs, all of them complete.
    pub async fn start(client: &Client, namespace: &str, gangs: u32) -> Result<Self> {
        let podcliques = calls::path("apis/grove.io/v1alpha1", namespace, "podcliques");
        let is_breached = |podclique: &PodClique| podclique.breached_since().is_some();
        let breaches = Claims::watch(client, &podcliques, is_breached).await?;
        let pods = calls::path("api/v1", namespace, "pods");
        let failures = Claims::watch(client, &pods, |pod: &Pod| !pod.is_ready()).await?;
        let victims = pods::one_of_each_gang(client, namespace).await?;
        if victims.len() != usize::try_from(gangs)? {
            bail!("{} gangs have pods, not {gangs}", victims.len());
        }
        Ok(Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
            victims,
            breaches,
            failures,
        })
    }

    /// Fails and restores pods until this ends; returns for each failure the time until the breach
    /// was observed. A failure in progress at the end counts, too.
    pub async fn sample_until<T>(
        &self,
        end: impl Future<Output = Result<T>>,
    ) -> Result<(T, Vec<Took>)> {
        let (over, is_over) = watch::channel(false);
        let end = async {
            let ended = end.await;
            over.send_replace(true);
            ended
        };
        let count = u32::try_from(self.victims.len())?;
        let probes = (0..).zip(&self.victims).map(|(index, victim)| {
            let offset = PERIOD * index / count;
            self.probe(victim, offset, is_over.clone())
        });
        let (ended, samples) = try_join(end, try_join_all(probes)).await?;
        Ok((ended, samples.concat()))
    }

    async fn probe(
        &self,
        victim: &Victim,
        offset: Duration,
        is_over: watch::Receiver<bool>,
    ) -> Result<Vec<Took>> {
        let mut samples = Vec::new();
        let first = tokio::time::Instant::now() + offset;
        let mut turns = tokio::time::interval_at(first, PERIOD);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            if *is_over.borrow() {
                return Ok(samples);
            }
            samples.push(self.fail_once(victim).await?);
        }
    }

    async fn fail_once(&self, (gang, pod): &Victim) -> Result<Took> {
        self.breaches.until(gang, false).await?;
        self.failures.until(pod, false).await?;
        pods::fail(&self.client, &self.namespace, pod).await?;
        let answered = Instant::now();
        let breached = self.breaches.until(gang, true).await?;
        let failed = self.failures.until(pod, true).await?;
        pods::restore(&self.client, &self.namespace, pod).await?;
        Ok(Took {
            since_answer: breached.saturating_duration_since(answered),
            since_watch: breached.saturating_duration_since(failed),
        })
    }
}
