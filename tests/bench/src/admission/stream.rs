//! Creations at a steady rate, independent of their durations.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::future::try_join_all;
use kube::Client;
use serde::de::IgnoredAny;
use testkit::good_set::good;

use super::durations::Durations;
use crate::calls::{self, Call};
use crate::operator::Operator;
use crate::site::Site;

const A_SECOND: u32 = 200;
const SECONDS: u32 = 20;
/// The number of measured creations.
pub const CREATIONS: u32 = A_SECOND * SECONDS;
/// The creations of the first second do not count.
const WARM_UP: u32 = A_SECOND;
const DEADLINE: Duration = Duration::from_mins(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Sends them, and returns the duration of each from its due time: a creation that is late because
/// of others counts too.
pub async fn create(client: &Client, namespace: &str) -> Result<Vec<Duration>> {
    send(client, namespace, WARM_UP).await?;
    send(client, namespace, CREATIONS).await
}

async fn send(client: &Client, namespace: &str, count: u32) -> Result<Vec<Duration>> {
    let began = Instant::now();
    let mut sent = Vec::new();
    for index in 0..count {
        let due = began + Duration::from_secs(1) / A_SECOND * index;
        tokio::time::sleep_until(due.into()).await;
        let (client, call) = (client.clone(), creation(namespace)?);
        sent.push(tokio::spawn(async move {
            calls::send::<IgnoredAny>(&client, call).await?;
            anyhow::Ok(due.elapsed())
        }));
    }
    let answers = try_join_all(sent).await?;
    let answers: Result<_> = answers.into_iter().collect();
    answers.context("a creation failed")
}

/// A dry run: validated, but not stored.
fn creation(namespace: &str) -> Result<Call> {
    let path = calls::path("apis/grove.io/v1alpha1", namespace, "podcliquesets");
    calls::post(&format!("{path}?dryRun=All"), &good())
}

/// Waits until the API server calls the webhook, or until it no longer does. A creation fails until
/// the certificate of the webhook is trusted.
pub async fn until_asked(
    site: &Site,
    operator: &Operator,
    namespace: &str,
    is_asked: bool,
) -> Result<()> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let before = Durations::parse(&operator.metrics().await?)?;
        let created: Result<IgnoredAny> = calls::send(&site.user, creation(namespace)?).await;
        let after = Durations::parse(&operator.metrics().await?)?;
        match created {
            Ok(_) if (before != after) == is_asked => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error),
            Ok(_) if Instant::now() > deadline => bail!("asked is not {is_asked}"),
            _ => tokio::time::sleep(BETWEEN_LOOKS).await,
        }
    }
}
