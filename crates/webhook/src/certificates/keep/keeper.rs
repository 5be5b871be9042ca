//! Observe, plan, write; then wait for a change or for what is due.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::Options;
use crate::certificates::configurations;
use crate::certificates::error::Error;
use crate::certificates::made::make;
use crate::certificates::observe::Objects;
use crate::certificates::plan::{Patch, Plan, SecretWrite, plan};
use crate::certificates::request::answer;
use crate::certificates::{Target, secret};

/// How long it waits after a failure, doubling; less if a watch shows what may have ended it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Between two looks: many changes make one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
/// So many plans in a row that all have something to write, and somebody writes against us.
const MAX_PLANS: usize = 8;
/// The clock may be set while it waits.
const CLOCK_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// It looks so often though nothing tells of a change: an event may be lost.
const LOOK_INTERVAL: Duration = Duration::from_mins(30);

/// Who keeps the Secret and the bundles right.
pub(super) struct Keeper {
    pub(super) client: Client,
    pub(super) options: Options,
    pub(super) lifetime: SignedDuration,
    /// A watch showed something.
    pub(super) changed: Notify,
    /// Configurations that were reported as absent.
    pub(super) absent: Mutex<BTreeSet<Target>>,
}

impl Keeper {
    /// Never ends.
    pub(super) async fn keep(&self) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.put_right().await {
                Ok(wake_at) => {
                    pause = FIRST_PAUSE;
                    sleep(SHORTEST_PAUSE).await;
                    self.wait(wake_at).await;
                }
                Err(error) => {
                    report(&error, pause);
                    let rest = pause.saturating_sub(FIRST_PAUSE);
                    sleep(FIRST_PAUSE).await;
                    let _ = timeout(rest, self.changed.notified()).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Writes until nothing is left to be written, and says when something is due.
    async fn put_right(&self) -> Result<Option<Timestamp>, Error> {
        for _ in 0..MAX_PLANS {
            let objects = Objects::read(&self.client, &self.options).await?;
            self.report_absent(&objects);
            let plan = plan(&objects.observe(&self.options, self.lifetime));
            self.execute(&plan, &objects).await?;
            if plan.is_settled() {
                return match objects.into_failure() {
                    Some(error) => Err(error),
                    None => Ok(plan.wake_at),
                };
            }
        }
        Err(Error::Unsettled)
    }

    /// One patch that fails holds up no other.
    async fn execute(&self, plan: &Plan, objects: &Objects) -> Result<(), Error> {
        if let Some(write) = &plan.secret {
            self.write_secret(write, &objects.secret).await?;
        }
        let mut result = Ok(());
        for patch in &plan.patches {
            result = result.and(self.patch(patch, objects).await);
        }
        result
    }

    async fn write_secret(&self, write: &SecretWrite, seen: &Secret) -> Result<(), Error> {
        let Options {
            namespace,
            names,
            clock,
            ..
        } = &self.options;
        let name = &self.options.secret_name;
        let made = write
            .needs_pair()
            .then(|| make(names, self.lifetime, clock()));
        let content = secret::rewrite(seen.clone(), write, made.transpose()?.as_ref());
        self.ask_for_leave()?;
        let api = Api::<Secret>::namespaced(self.client.clone(), namespace);
        let params = PostParams::default();
        let replaced = api.replace(name, &params, &content);
        answer("update", &format!("Secret {namespace}/{name}"), replaced).await?;
        tracing::info!(secret = format!("{namespace}/{name}"), "{}", write.step);
        Ok(())
    }

    async fn patch(&self, patch: &Patch, objects: &Objects) -> Result<(), Error> {
        let Some(seen) = objects.of(patch) else {
            return Ok(());
        };
        self.ask_for_leave()?;
        configurations::write(self.client.clone(), patch, seen).await?;
        tracing::info!(configuration = %patch.target, "webhooks trust what the Secret says");
        Ok(())
    }

    fn ask_for_leave(&self) -> Result<(), Error> {
        let may_write = (self.options.may_write)();
        may_write.then_some(()).ok_or(Error::NotLeading)
    }

    /// Each is reported once, and again if it goes again.
    fn report_absent(&self, objects: &Objects) {
        let absent: BTreeSet<Target> = objects.absent().cloned().collect();
        let mut known = self.absent.lock().unwrap_or_else(PoisonError::into_inner);
        for target in absent.difference(&known) {
            tracing::warn!(
                configuration = %target,
                "it does not exist, so nothing is asked of the webhook for it: install it (helm \
                 upgrade) if it is wanted"
            );
        }
        *known = absent;
    }

    /// Until a watch shows something, or this time.
    async fn wait(&self, wake_at: Option<Timestamp>) {
        let began = Instant::now();
        while began.elapsed() < LOOK_INTERVAL {
            let now = (self.options.clock)();
            let left = wake_at.map_or(CLOCK_INTERVAL, |at| at.duration_since(now));
            let Ok(left) = Duration::try_from(left.min(CLOCK_INTERVAL)) else {
                return;
            };
            if left.is_zero() || timeout(left, self.changed.notified()).await.is_ok() {
                return;
            }
        }
    }
}

fn report(error: &Error, pause: Duration) {
    if error.is_expected() {
        tracing::debug!(%error, "certificates are looked at again");
    } else {
        tracing::warn!(%error, ?pause, "certificates of the webhook are not right, trying again");
    }
}
