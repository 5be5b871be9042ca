//! One watch of a namespace's PodCliques, that is not the operator's: which of them are breached.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::calls;
use crate::podclique::PodClique;
use crate::progress::say;
use crate::watching::{Event, Object as _, Watch};

const DEADLINE: Duration = Duration::from_mins(1);

/// Whether each PodClique, by name, is breached, and when it was first seen so.
type Seen = HashMap<String, (bool, Instant)>;

/// A watch under way; it ends with this value.
#[derive(Debug)]
pub struct Breaches {
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
}

impl Breaches {
    /// Begins it.
    pub async fn watch(client: &Client, namespace: &str) -> Result<Self> {
        let path = calls::path("apis/grove.io/v1alpha1", namespace, "podcliques");
        let (tell, seen) = watch::channel(Seen::new());
        let mut podcliques = Watch::begin(client, &path, "", "0").await?;
        let task = tokio::spawn(async move {
            loop {
                match podcliques.next().await {
                    Ok(event) => tell.send_modify(|seen| note(seen, &event)),
                    Err(error) => return say(&format!("    the watch failed: {error:#}")),
                }
            }
        });
        Ok(Self { seen, task })
    }

    /// Waits until the PodClique is seen breached, or not; returns since when.
    pub async fn until(&self, podclique: &str, is_breached: bool) -> Result<Instant> {
        let mut seen = self.seen.clone();
        let is_so = |seen: &Seen| {
            seen.get(podclique)
                .is_some_and(|(is, _)| *is == is_breached)
        };
        let seen = tokio::time::timeout(DEADLINE, seen.wait_for(is_so)).await;
        match seen.map(|seen| seen.ok().and_then(|seen| seen.get(podclique).copied())) {
            Ok(Some((_, since))) => Ok(since),
            Ok(None) => bail!("the watch of PodCliques ended"),
            Err(_) => {
                bail!("not within {DEADLINE:?}: {podclique} has MinAvailableBreached={is_breached}")
            }
        }
    }
}

impl Drop for Breaches {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn note(seen: &mut Seen, event: &Event<PodClique>) {
    let Event::Is(podclique) = event else {
        return;
    };
    let is_breached = podclique.breached_since().is_some();
    let name = &podclique.metadata().name;
    if seen.get(name).is_none_or(|(was, _)| *was != is_breached) {
        seen.insert(name.clone(), (is_breached, Instant::now()));
    }
}
