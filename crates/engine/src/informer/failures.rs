//! Interprets failures of a watch, and decides when it is restarted.

use std::time::Duration;

use kube::core::Status;
use kube::runtime::watcher;
use tokio::time::Instant;

use crate::caches::watched::Watched;
use crate::connection_error;
use crate::scope::Scope;
use crate::watch_liveness::NoHead;

const INITIAL_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// After this many failures in a row the watch is restarted with a full list: a watch that is
/// answered by 410 at its start would otherwise be repeated for ever.
pub(super) const FAILURES_BEFORE_RELIST: u32 = 5;
/// The weight of a start without any answer: five of them would take too long.
const UNANSWERED: u32 = 3;
/// A failure that comes this long after another is the first of a new row.
const MAX_GAP: Duration = Duration::from_mins(1);

/// Failures in a row.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// The failures of the present watch, weighed.
    attempts: u32,
    /// All failures: pauses grow with their number.
    in_a_row: u32,
    last: Option<Instant>,
}

impl Failures {
    /// A new watch begins.
    pub(super) fn begin(&mut self) {
        self.attempts = 0;
    }

    pub(super) fn count(&mut self, weight: u32) {
        if self.last.is_some_and(|last| last.elapsed() > MAX_GAP) {
            *self = Self::default();
        }
        self.attempts = self.attempts.saturating_add(weight);
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.last = Some(Instant::now());
    }

    pub(super) fn is_lost(&self) -> bool {
        self.attempts >= FAILURES_BEFORE_RELIST
    }

    /// Waits a little longer after each failure.
    pub(super) async fn pause(&self) {
        self.pause_between(INITIAL_PAUSE, MAX_PAUSE).await;
    }

    /// The same with another first and another longest pause.
    pub(super) async fn pause_between(&self, first: Duration, longest: Duration) {
        let doublings = self.in_a_row.saturating_sub(1).min(16);
        let pause = first.saturating_mul(1 << doublings);
        tokio::time::sleep(pause.min(longest)).await;
    }
}

/// The weight of a failure. An open watch that is silent may have been silent for long: only a full
/// list shows the changes since.
pub(super) fn weight(error: &watcher::Error, was_silent: bool) -> u32 {
    let (watcher::Error::InitialListFailed(error)
    | watcher::Error::WatchStartFailed(error)
    | watcher::Error::WatchFailed(error)) = error
    else {
        return 1;
    };
    match error {
        _ if was_silent => FAILURES_BEFORE_RELIST,
        kube::Error::Service(error) if error.is::<NoHead>() => UNANSWERED,
        _ => 1,
    }
}

/// Whether the API server does not serve the kind, or refuses it: an operator of some namespaces
/// may read nothing of the cluster.
pub(super) fn is_not_served(error: &watcher::Error) -> bool {
    answer(error).is_some_and(|status| matches!(status.code, 403 | 404))
}

/// Whether the API server does not serve the kind.
pub(super) fn is_not_found(error: &watcher::Error) -> bool {
    answer(error).is_some_and(|status| status.code == 404)
}

/// Whether the API server refuses this operator access.
pub(super) fn is_refused(error: &watcher::Error) -> bool {
    answer(error).is_some_and(|status| status.code == 403)
}

/// The API server's answer to a list, or to the start of a watch.
fn answer(error: &watcher::Error) -> Option<&Status> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status)) => Some(status),
        _ => None,
    }
}

/// The message about a failed watch for the administrator of the operator.
pub(super) fn explain<K: Watched>(scope: &Scope, error: &watcher::Error) -> String {
    let Some(status) = answer(error) else {
        return connection_error::explain(error);
    };
    let resource = match K::group(&()) {
        group if group.is_empty() => K::plural(&()).into_owned(),
        group => format!("{}.{group}", K::plural(&())),
    };
    match status.code {
        404 => format!(
            "CustomResourceDefinition {resource} is not installed: `helm upgrade` with \
             crds.install=true, or `kubectl apply -f config/crd`"
        ),
        403 => match scope.namespace() {
            None => {
                format!("not allowed to list and watch {resource}: grant it in the ClusterRole")
            }
            Some(namespace) => format!(
                "not allowed to list and watch {resource}: grant it in a Role in namespace \
                 {namespace}, or take {namespace} off watchNamespaces"
            ),
        },
        _ => status.message.clone(),
    }
}
