//! The watches of a kind: one per scope, each listed again when it is lost.
//!
//! An event of a watch goes into the cache first and then to the queues; the watch never waits for
//! a controller.

mod failures;
mod optional;
mod unreadable;
mod unreadable_events;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use api::labels;
use domain::object::ownership;
use domain::plan::Kind;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use kube::runtime::watcher::{self, watcher};
use kube::{Client, Resource};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};

use crate::caches::Gap;
use crate::caches::watched::{Selection, Watched, WatchedScope};
use crate::context::Context;
use crate::list_item::ListItem;
use crate::metrics::ByKind;
use crate::pages;
use crate::scope::Scope;
use crate::sync_state::{Watch, WatchProblem, watch_of};
use crate::watch_liveness::{self, WatchLiveness};
use failures::{FAILURES_BEFORE_RELIST, Failures};
use unreadable::Unreadable;
use unreadable_events::publish_unreadable;

/// How often own writes are checked for having been shown by the watch.
const VERIFY_INTERVAL: Duration = Duration::from_secs(5);
/// How often a kind is listed again though its watch is in order: nothing else notices an event
/// that an API server or etcd lost, as watches go on from version to version.
const RELIST_INTERVAL: Duration = Duration::from_mins(30);
/// A full list that takes longer than this hangs.
const LIST_TIMEOUT: Duration = Duration::from_mins(2);

/// Watches one kind for ever.
pub async fn watch<K: Watched>(context: Arc<Context>, client: Client) {
    let scopes = context.scopes_of::<K>();
    let informers: Vec<Informer> = scopes
        .into_iter()
        .map(|scope| Informer {
            context: context.clone(),
            watch: watch_of(Kind::of::<K>(), &scope),
            unreadable: Arc::new(Unreadable::new(&context.metrics, Kind::of::<K>().name())),
            scope,
        })
        .collect();
    let unreadable: Vec<_> = informers.iter().map(|i| i.unreadable.clone()).collect();
    let watches = informers.into_iter().map(|informer| {
        let client = client.clone();
        async move { informer.watch_forever::<K>(client).await }
    });
    let watches = futures::future::join_all(watches);
    let verifications = async {
        loop {
            context.verify_expired::<K>().await;
            let doubted = context.doubted::<K>();
            let _ = tokio::time::timeout(VERIFY_INTERVAL, doubted).await;
        }
    };
    let publishing = publish_unreadable::<K>(&context, &unreadable);
    futures::future::join3(watches, verifications, publishing).await;
}

/// An object of ours that lacks the managed-by label, so the watch does not report it.
pub fn found_unlabelled<K: Watched>(context: &Context, object: K) {
    if ownership::is_controlled_by_us(object.meta()) {
        context.wrote(object);
    }
}

/// The watch of one kind in one scope.
struct Informer {
    context: Arc<Context>,
    scope: Scope,
    watch: Watch,
    unreadable: Arc<Unreadable>,
}

impl Informer {
    async fn watch_forever<K: Watched>(&self, client: Client) {
        let mut failures = Failures::default();
        loop {
            let liveness = self.context.sync.liveness(self.watch.clone());
            let client = pages::bounded(watch_liveness::report_liveness(
                client.clone(),
                liveness.clone(),
            ));
            self.watch_until_stuck::<K>(&client, &liveness, &mut failures)
                .await;
            // Changes from here until the next list ends are unknown, and that may take long.
            self.lose_view::<K>();
        }
    }

    /// Lists, and watches until the watch has to be restarted.
    async fn watch_until_stuck<K: Watched>(
        &self,
        client: &Client,
        liveness: &WatchLiveness,
        failures: &mut Failures,
    ) {
        let mut events = pin!(watcher(
            K::Scope::api::<K>(client.clone(), &self.scope),
            config::<K>()
        ));
        let relist_at = Instant::now() + RELIST_INTERVAL;
        let mut is_listed = false;
        // Beside the watch: a list that fails here must not delay the events of the watch.
        let mut unlabelled: Option<BoxFuture<'_, ()>> = None;
        let mut list_orders = self.context.sync.list_orders();
        failures.begin();
        while !failures.is_lost() {
            // An open watch has limits of its own, a list as a whole has none.
            let limit = (!is_listed).then_some(LIST_TIMEOUT);
            let event = tokio::select! {
                event = within(limit, events.next()) => event,
                () = end_of(&mut unlabelled) => {
                    unlabelled = None;
                    self.set_listed::<K>(&list_orders);
                    continue;
                }
                () = sleep_until(relist_at), if is_listed && unlabelled.is_none() => return,
                _ = list_orders.changed(), if is_listed && unlabelled.is_none() => return,
            };
            match event {
                Some(Ok(event)) => {
                    if is_listed && matches!(&event, watcher::Event::Init) {
                        // The search that belongs to the previous list proves nothing about this
                        // one.
                        unlabelled = None;
                        self.lose_view::<K>();
                    }
                    // Init comes before every attempt to list: it is no success yet.
                    is_listed =
                        !matches!(&event, watcher::Event::Init | watcher::Event::InitApply(_));
                    if is_listed {
                        *failures = Failures::default();
                    }
                    if matches!(&event, watcher::Event::InitDone) {
                        unlabelled = Some(self.find_unlabelled::<K>().boxed());
                    }
                    self.take_in::<K>(event);
                }
                Some(Err(error)) if may_be_absent::<K>(&error, is_listed) => {
                    return self.look_for_definition::<K>(is_listed, failures).await;
                }
                failed => {
                    if !is_listed {
                        self.abandon_list::<K>();
                    }
                    let error = failed.and_then(Result::err);
                    self.count_failure::<K>(error, liveness, failures).await;
                }
            }
        }
    }

    async fn count_failure<K: Watched>(
        &self,
        error: Option<watcher::Error>,
        liveness: &WatchLiveness,
        failures: &mut Failures,
    ) {
        let is_refused = error.as_ref().is_some_and(failures::is_refused);
        let why = if let Some(error) = error {
            failures.count(failures::weight(&error, liveness.was_silent()));
            failures::explain::<K>(&self.scope, &error)
        } else {
            failures.count(FAILURES_BEFORE_RELIST);
            format!("its list did not end within {LIST_TIMEOUT:?}")
        };
        self.report_failure::<K>(WatchProblem { why, is_refused }, failures.is_lost());
        failures.pause().await;
    }

    /// The kind is listed here: keys that waited for the list are handed on, unless another list
    /// was requested meanwhile.
    fn set_listed<K: Watched>(&self, list_orders: &Receiver<u64>) {
        if list_orders.has_changed().unwrap_or(false) {
            return;
        }
        self.context.close_gap::<K>(&self.scope);
        self.open_gate();
    }

    fn open_gate(&self) {
        for (controller, key) in self.context.sync.is_listed(&self.watch) {
            self.context.enqueue(controller, key);
        }
    }

    /// Lists the objects of ours that lack the managed-by label, by which the watch selects.
    async fn find_unlabelled<K: Watched>(&self) {
        let Selection::Managed { fallback_selector } = K::SELECTION else {
            return;
        };
        let selector = format!(
            "{fallback_selector},{}!={}",
            labels::MANAGED_BY,
            labels::MANAGER
        );
        let mut failures = Failures::default();
        loop {
            let requests = &self.context.requests;
            let found = |object| found_unlabelled::<K>(&self.context, object);
            let Err(error) = requests.list(&self.scope, &selector, found).await else {
                return;
            };
            failures.count(1);
            let problem = WatchProblem {
                why: format!("objects that lost their label cannot be listed: {error}"),
                is_refused: false,
            };
            self.report_failure::<K>(problem, failures.is_lost());
            failures.pause().await;
        }
    }

    fn take_in<K: Watched>(&self, event: watcher::Event<ListItem<K>>) {
        let context = &self.context;
        let cache = context.caches.of::<K>();
        self.unreadable.note(&event);
        match event {
            watcher::Event::Init => cache.begin_list(&self.scope),
            watcher::Event::InitApply(guarded) => {
                self.warn_of_unread(&guarded);
                match guarded.object {
                    Ok(object) => {
                        K::notice(&object, &context.caches);
                        cache.list_item(&self.scope, object);
                    }
                    Err(invalid) => cache.list_unreadable(&self.scope, &invalid.metadata),
                }
            }
            watcher::Event::InitDone => {
                for change in cache.end_list(&self.scope) {
                    context.publish(Some(change));
                }
                context.publish::<K>(None);
                context.doubt::<K>();
            }
            watcher::Event::Apply(guarded) => {
                self.warn_of_unread(&guarded);
                if let Ok(object) = guarded.object {
                    context.show(object);
                }
            }
            watcher::Event::Delete(guarded) => match cache.delete(guarded.meta()) {
                Some(change) => context.publish(Some(change)),
                None => context.doubt::<K>(),
            },
        }
    }

    /// An object that cannot be decoded does not delay any other. It is left alone, unless it is
    /// being deleted.
    fn warn_of_unread<K: Watched>(&self, shown: &ListItem<K>) {
        let Some(error) = shown.problem() else {
            return;
        };
        let (kind, ..) = self.watch;
        let then = if shown.object.is_ok() {
            "is being deleted: it is removed by its metadata"
        } else {
            "is ignored until it is corrected"
        };
        tracing::warn!(
            kind,
            name = ownership::name(shown.meta()),
            namespace = shown.meta().namespace.as_deref(),
            error,
            "object cannot be decoded; it {then}"
        );
    }

    /// Only the next list shows the changes from now on, and those since an unknown time before.
    fn lose_view<K: Watched>(&self) {
        self.context
            .caches
            .open_gap::<K>(&self.scope, Gap::Outdated);
    }

    /// The next attempt begins with the first page.
    fn abandon_list<K: Watched>(&self) {
        self.lose_view::<K>();
        self.context.caches.of::<K>().abandon_list(&self.scope);
    }

    /// A lost watch is restarted with a full list.
    fn report_failure<K: Watched>(&self, problem: WatchProblem, is_lost: bool) {
        if is_lost {
            self.lose_view::<K>();
        }
        let (kind, _, scope) = &self.watch;
        let counter = &self.context.metrics.watch_restarts;
        counter.get_or_create(&ByKind { kind }).inc();
        let namespace = scope.namespace();
        // An API server that is down ends the watches of all kinds, again and again.
        if self.context.log_limit.is_news(&problem.why) {
            let problem = &problem.why;
            tracing::warn!(kind, namespace, problem, "watch failed, trying again");
        }
        self.context
            .sync
            .failed(self.watch.clone(), problem, is_lost);
    }
}

/// Whether the answer means that the kind is not served. Only a list is conclusive: a watch that cannot
/// be restarted may have reached an API server that is not up yet, and does not know the permissions.
fn may_be_absent<K: Watched>(error: &watcher::Error, is_listed: bool) -> bool {
    let is_meant = if is_listed {
        failures::is_not_found(error)
    } else {
        failures::is_not_served(error)
    };
    K::IS_OPTIONAL && is_meant
}

fn config<K: Watched>() -> watcher::Config {
    let config = watcher::Config::default()
        .timeout(watch_liveness::WATCH_SECONDS)
        .page_size(pages::MOST);
    if K::SELECTION.is_by_label() {
        return config.labels(labels::MANAGED_SELECTOR);
    }
    config
}

/// The next item; `None` if it takes too long.
async fn within<T>(limit: Option<Duration>, next: impl Future<Output = Option<T>>) -> Option<T> {
    match limit {
        None => next.await,
        Some(limit) => tokio::time::timeout(limit, next).await.unwrap_or(None),
    }
}

/// Waits for the end of a task that may be under way.
async fn end_of(under_way: &mut Option<BoxFuture<'_, ()>>) {
    match under_way {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
