//! Gangs whose pods fail again and again, each gang by itself.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use futures::future::{try_join, try_join_all};
use kube::Client;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use super::breaches::Breaches;
use crate::pods::{self, Victim};

/// From one failure of a gang to its next.
const PERIOD: Duration = Duration::from_secs(2);

/// Gangs with a pod each that fails.
pub struct Probes {
    client: Client,
    namespace: String,
    victims: Vec<Victim>,
    breaches: Breaches,
}

impl Probes {
    /// Of a namespace that has so many gangs, all of them whole.
    pub async fn start(client: &Client, namespace: &str, gangs: u32) -> Result<Self> {
        let breaches = Breaches::watch(client, namespace).await?;
        let victims = pods::one_of_each_gang(client, namespace).await?;
        if victims.len() != usize::try_from(gangs)? {
            bail!("{} gangs have pods, not {gangs}", victims.len());
        }
        Ok(Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
            victims,
            breaches,
        })
    }

    /// Fails and restores pods until this ends; returns for each failure the time from its answer
    /// until the breach was seen. What is under way then counts, too.
    pub async fn sample_until<T>(
        &self,
        end: impl Future<Output = Result<T>>,
    ) -> Result<(T, Vec<Duration>)> {
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
    ) -> Result<Vec<Duration>> {
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

    async fn fail_once(&self, (gang, pod): &Victim) -> Result<Duration> {
        self.breaches.until(gang, false).await?;
        pods::fail(&self.client, &self.namespace, pod).await?;
        let answered = Instant::now();
        let seen = self.breaches.until(gang, true).await?;
        pods::restore(&self.client, &self.namespace, pod).await?;
        Ok(seen.saturating_duration_since(answered))
    }
}
