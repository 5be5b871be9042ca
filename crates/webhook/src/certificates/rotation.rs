//! The leading process keeps the Secret and the bundles up to date.

mod keeper;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use futures::future::{join_all, pending};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use tokio::sync::{Notify, watch};

use super::Target;
use super::named_watch::watch_by_name;
use crate::metrics::Metrics;
use keeper::Keeper;

/// Returns the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
/// A write that is under way, until this is dropped.
pub type WriteTurn = Box<dyn Send>;
/// Begins a write if this process may write; checked before each.
pub type EnterWrite = Arc<dyn Fn() -> Option<WriteTurn> + Send + Sync>;

/// The provider of the certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The operator.
    Auto {
        /// Lifetime of a certificate; it is replaced after two thirds of that.
        lifetime: SignedDuration,
    },
    /// Another program, such as cert-manager: nothing is written.
    Manual,
}

/// Settings of the keeper.
#[derive(Clone)]
pub struct Options {
    /// The provider of the certificates.
    pub mode: Mode,
    /// The namespace of the Secret.
    pub namespace: String,
    /// The name of the Secret.
    pub secret_name: String,
    /// The DNS names and IP addresses of the webhook.
    pub names: Vec<String>,
    /// The configurations whose webhooks must trust it. A missing one may be created later.
    pub configurations: Vec<Target>,
    /// Begins a write, if this process may write.
    pub enter_write: EnterWrite,
    /// Returns the time.
    pub clock: Clock,
    /// Counters.
    pub metrics: Metrics,
}

/// Keeps the Secret and the bundles up to date while this process leads. Never ends; may be dropped
/// at any moment.
pub async fn keep(
    client: Client,
    options: Options,
    secret: watch::Receiver<Option<Arc<Secret>>>,
    mut is_leader: watch::Receiver<bool>,
) {
    let Mode::Auto { lifetime } = options.mode else {
        return pending().await;
    };
    let keeper = Keeper {
        client,
        options,
        lifetime,
        changed: Notify::new(),
        absent: Mutex::new(BTreeSet::new()),
        grace: Mutex::default(),
        rivals: Mutex::default(),
    };
    while is_leader.wait_for(|leads| *leads).await.is_ok() {
        tokio::select! {
            () = keeper.keep() => {}
            () = watch_configurations(&keeper) => {}
            () = tell_of_changes(secret.clone(), &keeper.changed) => {}
            _ = is_leader.wait_for(|leads| !leads) => {}
        }
    }
    pending::<()>().await;
}

async fn watch_configurations(keeper: &Keeper) {
    let watches = keeper.options.configurations.iter().map(|target| {
        let api = target.api(keeper.client.clone());
        watch_by_name(api, &target.name, |_| keeper.changed.notify_one())
    });
    join_all(watches).await;
    pending::<()>().await;
}

async fn tell_of_changes(mut secret: watch::Receiver<Option<Arc<Secret>>>, changed: &Notify) {
    while secret.changed().await.is_ok() {
        changed.notify_one();
    }
    pending::<()>().await;
}
