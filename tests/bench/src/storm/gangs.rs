//! An independent watch of a namespace's PodCliques, each of which is a gang.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::calls;
use crate::podclique::PodClique;
use crate::progress::say;
use crate::watching::{Event, Object as _, Watch};

const DEADLINE: Duration = Duration::from_mins(4);

/// The observed moments of a gang, each at its first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    /// The breach, and its stored time.
    breached: Option<(Instant, Timestamp)>,
    /// The PodClique was observed terminating.
    deleted: Option<(Instant, Timestamp)>,
    was_available: bool,
    /// The PodClique of a later attempt has all its pods Ready.
    is_whole_again: bool,
}

impl Moments {
    fn note(&mut self, podclique: &PodClique, now: (Instant, Timestamp)) {
        self.was_available |= podclique.was_available();
        if let Some(stored) = podclique.breached_since() {
            self.breached.get_or_insert((now.0, stored));
        }
        if podclique.is_terminating() {
            self.deleted.get_or_insert(now);
        } else if self.deleted.is_some() {
            self.is_whole_again = podclique.is_ready();
        }
    }

    /// From the answer to the failure until the condition was observed.
    pub fn reaction(&self, answered: Instant) -> Result<Duration> {
        let (seen, _) = self.breached.context("a gang was not breached")?;
        Ok(seen.saturating_duration_since(answered))
    }

    /// From the stored expiry until the deletion was observed.
    pub fn delay(&self, allowed: SignedDuration) -> Result<Duration> {
        let (_, stored) = self.breached.context("a gang was not breached")?;
        let (_, deleted) = self.deleted.context("a gang was not torn down")?;
        let late = deleted.duration_since(stored.checked_add(allowed)?);
        Duration::try_from(late).context("a gang was torn down before its time")
    }
}

/// A running watch; dropping the value ends it.
#[derive(Debug)]
pub struct Gangs {
    expected: usize,
    seen: watch::Receiver<HashMap<String, Moments>>,
    task: JoinHandle<()>,
}

impl Gangs {
    /// Watches that many gangs.
    pub async fn watch(client: &Client, namespace: &str, expected: u32) -> Result<Self> {
        let path = calls::path("apis/grove.io/v1alpha1", namespace, "podcliques");
        let (tell, seen) = watch::channel(HashMap::new());
        let mut podcliques = Watch::begin(client, &path, "", "0").await?;
        let task = tokio::spawn(async move {
            loop {
                match podcliques.next().await {
                    Ok(event) => tell.send_modify(|seen| note(seen, event)),
                    Err(error) => return say(&format!("    the watch failed: {error:#}")),
                }
            }
        });
        let expected = usize::try_from(expected)?;
        Ok(Self {
            expected,
            seen,
            task,
        })
    }

    /// Waits until all have been available: no breach counts before.
    pub async fn until_available(&mut self) -> Result<()> {
        self.until("all have been available", |gang| gang.was_available)
            .await
    }

    /// Waits until all were terminated and have their pods again.
    pub async fn until_whole_again(&mut self) -> Result<()> {
        self.until("all are whole again", |gang| gang.is_whole_again)
            .await
    }

    async fn until(&mut self, what: &str, holds: fn(&Moments) -> bool) -> Result<()> {
        let all = self.expected;
        let wait = self
            .seen
            .wait_for(|seen| seen.values().filter(|gang| holds(gang)).count() == all);
        match tokio::time::timeout(DEADLINE, wait).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => bail!("the watch of PodCliques ended before: {what}"),
            Err(_) => bail!("not within {DEADLINE:?}: {what}"),
        }
    }

    /// The observed moments so far, by name of the PodClique.
    pub fn moments(&self) -> HashMap<String, Moments> {
        self.seen.borrow().clone()
    }

    /// When the last of them was first observed terminating.
    pub fn last_deletion(&self) -> Option<Instant> {
        let seen = self.seen.borrow();
        seen.values()
            .filter_map(|gang| gang.deleted)
            .map(|(seen, _)| seen)
            .max()
    }
}

impl Drop for Gangs {
    fn drop(&mut self) {
        self.task.abort();
    }
}

// The stored times come from the same machine as these.
#[expect(
    clippy::disallowed_methods,
    reason = "what is measured is the clock's time"
)]
fn note(seen: &mut HashMap<String, Moments>, event: Event<PodClique>) {
    let now = (Instant::now(), Timestamp::now());
    match event {
        Event::Is(podclique) => {
            let gang = seen.entry(podclique.metadata().name.clone()).or_default();
            gang.note(&podclique, now);
        }
        Event::Gone(name) => {
            seen.entry(name).or_default().deleted.get_or_insert(now);
        }
    }
}
