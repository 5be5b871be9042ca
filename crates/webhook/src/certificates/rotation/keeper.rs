//! Observes, plans and writes; then waits for a change or for the next due time.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
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
use crate::certificates::issued_pair::make;
use crate::certificates::observe::{Grace, Objects};
use crate::certificates::plan::{Patch, Plan, RotationStep, SecretWrite, plan};
use crate::certificates::request::answer;
use crate::certificates::rivals::{Rewrite, Rivals, explain};
use crate::certificates::{Target, secret};
use crate::metrics::ByConfiguration;

/// The pause after a failure, doubling; shorter if a watch shows a relevant change.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// The pause between two rounds: many changes make one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
/// After this many consecutive plans with writes, another writer must be changing the same objects.
const MAX_PLANS: usize = 8;
/// The clock may be set while it waits.
const CLOCK_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// The interval of checks without a change: an event may be lost.
const LOOK_INTERVAL: Duration = Duration::from_mins(30);

/// Keeps the Secret and the bundles up to date.
pub(super) struct Keeper {
    pub(super) client: Client,
    pub(super) options: Options,
    pub(super) lifetime: SignedDuration,
    /// A watch showed something.
    pub(super) changed: Notify,
    /// Configurations that were reported as absent.
    pub(super) absent: Mutex<BTreeSet<Target>>,
    /// The last grace that this process began.
    pub(super) grace: Mutex<Option<Grace>>,
    /// Other writers of the bundles.
    pub(super) rivals: Mutex<Rivals>,
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

    /// Writes until the plan is empty, and returns the next due time.
    async fn put_right(&self) -> Result<Option<Timestamp>, Error> {
        for _ in 0..MAX_PLANS {
            let objects = Objects::read(&self.client, &self.options).await?;
            self.report_absent(&objects);
            let plan = self.plan(&objects);
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

    /// The grace period is stored here before it is written: the answer may be lost.
    fn plan(&self, objects: &Objects) -> Plan {
        let mut grace = lock(&self.grace);
        let began = Instant::now();
        let plan = plan(&objects.observe(&self.options, self.lifetime, *grace));
        let write = plan.secret.as_ref();
        if let Some(since) = write.filter(|write| write.step == RotationStep::BeginGrace) {
            *grace = since.trusted_since.map(|since| Grace { since, began });
        }
        plan
    }

    /// A failed patch does not block the others.
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
        let api = Api::<Secret>::namespaced(self.client.clone(), namespace);
        let (name, path) = (name.clone(), format!("{namespace}/{name}"));
        let what = format!("Secret {path}");
        self.send(async move {
            let params = PostParams::default();
            answer("update", &what, api.replace(&name, &params, &content)).await
        })
        .await?;
        tracing::info!(secret = path, "{}", write.step);
        Ok(())
    }

    async fn patch(&self, patch: &Patch, objects: &Objects) -> Result<(), Error> {
        let Some(seen) = objects.of(patch) else {
            return Ok(());
        };
        self.report_rival(patch);
        let (client, sent, seen) = (self.client.clone(), patch.clone(), seen.clone());
        self.send(async move { configurations::write(client, &sent, &seen).await })
            .await?;
        lock(&self.rivals).remember(patch);
        tracing::info!(configuration = %patch.target, "webhooks trust the CAs of the Secret");
        Ok(())
    }

    /// A sent request cannot be taken back: it counts as under way until its answer, even if this
    /// process stops leading and the waiting task is gone.
    async fn send<T: Send + 'static>(
        &self,
        request: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = (self.options.enter_write)().ok_or(Error::NotLeading)?;
        let sent = tokio::spawn(async move {
            let answer = request.await;
            drop(turn);
            answer
        });
        // The answer is missing only if the whole process ends.
        sent.await.unwrap_or(Err(Error::NotLeading))
    }

    fn report_rival(&self, patch: &Patch) {
        let rewrite = lock(&self.rivals).judge(patch, Instant::now());
        if rewrite == Rewrite::Own {
            return;
        }
        let configuration = patch.target.to_string();
        let rewrites = &self.options.metrics.bundle_rewrites;
        let rewrites = rewrites.get_or_create(&ByConfiguration { configuration });
        rewrites.inc();
        if rewrite == Rewrite::Rival {
            tracing::warn!("{}", explain(patch));
        }
    }

    /// Each is reported once, and again after it reappeared.
    fn report_absent(&self, objects: &Objects) {
        let absent: BTreeSet<Target> = objects.absent().cloned().collect();
        let mut known = lock(&self.absent);
        for target in absent.difference(&known) {
            tracing::warn!(
                configuration = %target,
                "it does not exist, so the API server does not call its webhooks: install it (helm upgrade) if it is wanted"
            );
        }
        *known = absent;
    }

    /// Waits for a change of a watch, or until this time.
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn report(error: &Error, pause: Duration) {
    if error.is_expected() {
        tracing::debug!(%error, "checking the certificates again");
    } else {
        tracing::warn!(%error, ?pause, "certificates of the webhook are not right, trying again");
    }
}
