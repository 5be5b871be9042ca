//! An independent watch of a set until it reports the end of its update.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::watching::{Event, Metadata, Object, Watch};

/// A turn takes a second or two.
const DEADLINE: Duration = Duration::from_mins(30);

/// A running watch.
pub struct Progress(Watch<Set>);

impl Progress {
    /// Watches the sets at this path, none of which was ever updated.
    pub async fn watch(client: &Client, path: &str) -> Result<Self> {
        Ok(Self(Watch::begin(client, path, "", "0").await?))
    }

    /// Waits until the update has ended.
    pub async fn until_ended(&mut self) -> Result<Instant> {
        let ended = tokio::time::timeout(DEADLINE, self.follow()).await;
        ended.context("the update has not ended")?
    }

    async fn follow(&mut self) -> Result<Instant> {
        loop {
            if let Event::Is(set) = self.0.next().await?
                && set.has_ended()
            {
                return Ok(Instant::now());
            }
        }
    }
}

/// The fields of a PodCliqueSet that this reads.
#[derive(Clone, Debug, Deserialize)]
struct Set {
    metadata: Metadata,
    #[serde(default)]
    status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    update_progress: Option<UpdateProgress>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateProgress {
    update_ended_at: Option<IgnoredAny>,
}

impl Set {
    fn has_ended(&self) -> bool {
        let progress = self.status.update_progress.as_ref();
        progress.is_some_and(|progress| progress.update_ended_at.is_some())
    }
}

impl Object for Set {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}
