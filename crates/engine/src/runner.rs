//! Runs a controller: takes the next keys, reconciles each on a task of its own.
//!
//! The loop is kube-runtime's `applier`, so that a controller starts its reconciles, and finishes
//! them when it stops, like every controller of kube-rs; the order, the limit and the retries are
//! those of the work queue (decision 73).

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use domain::Key;
use futures::{FutureExt, Stream, StreamExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube::runtime::controller::{Action, Config, applier};
use kube::runtime::reflector::{ObjectRef, store::Writer};
use kube::runtime::watcher;
use tokio_util::task::AbortOnDropHandle;

use crate::context::Context;
use crate::controllers::Reconciler;
use crate::metrics::ByController;
use crate::work_queue::TurnEnd;
use crate::worker::Worker;

/// How often all keys are decided again, whatever the watches showed.
const RESYNC_INTERVAL: Duration = Duration::from_mins(10);
/// How long an object waits after its reconcile panicked.
const PANIC_PAUSE: Duration = Duration::from_secs(5);

/// Runs the controller until `stop`. At most `slots` objects at once, never one object twice.
pub async fn run<R: Reconciler>(
    reconciler: R,
    context: Arc<Context>,
    slots: u16,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let worker = Arc::new(Worker::new(reconciler, context.clone()));
    let keys = stream_keys::<R>(&context, slots.into()).take_until(stop);
    // The queue has decided the order and limits the number: kube's scheduler gets only keys that
    // start at once, and its default limit is none.
    let mut writer = Writer::<PartialObjectMeta<R::Object>>::new(());
    let store = writer.as_reader();
    writer.apply_watcher_event(&watcher::Event::Init);
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let requests = requests::<R>(worker.clone(), writer, keys);
    let results = applier(
        |object, worker: Arc<Worker<R>>| {
            let key = Key::of(&object.metadata);
            take_turn(worker, key).map(Ok::<_, Infallible>).boxed()
        },
        |_, never, _| match *never {},
        worker,
        store,
        requests,
        Config::default(),
    );
    let resync = resync_forever::<R>(context);
    tokio::select! {
        () = results.for_each(|_| std::future::ready(())) => {}
        () = resync => {}
    }
}

/// The keys in the order of the queue.
fn stream_keys<R: Reconciler>(context: &Context, slots: usize) -> impl Stream<Item = Key> + use<R> {
    let queue = context.queue(R::NAME);
    let labels = ByController {
        controller: R::NAME.0,
    };
    let metrics = context.metrics.clone();
    let requests = context.requests.clone();
    let waits = metrics.queue_waits.get_or_create_owned(&labels);
    futures::stream::unfold(
        (queue, requests, waits, metrics),
        move |(queue, requests, waits, metrics)| async move {
            let health = |namespace: &str| requests.write_health(namespace);
            let turn = queue.next(slots, health).await;
            let waited = turn.waited.as_secs_f64();
            waits.observe(waited);
            metrics.usual.note_wait(R::NAME.0, waited);
            Some((turn.key, (queue, requests, waits, metrics)))
        },
    )
}

/// The applier runs only for objects in its store; ours holds names and nothing else.
fn requests<R: Reconciler>(
    worker: Arc<Worker<R>>,
    mut writer: Writer<PartialObjectMeta<R::Object>>,
    keys: impl Stream<Item = Key>,
) -> impl Stream<Item = Result<ObjectRef<PartialObjectMeta<R::Object>>, Infallible>> {
    let request = move |key: Key| {
        let exists = worker.exists(&key);
        let name = name_of::<R>(&key);
        let reference = ObjectRef::from_obj(&name);
        if exists {
            writer.apply_watcher_event(&watcher::Event::Apply(name));
        } else {
            writer.apply_watcher_event(&watcher::Event::Delete(name));
            worker.forget(&key);
            worker.finish(&key, TurnEnd::default());
        }
        std::future::ready(exists.then_some(reference))
    };
    keys.filter_map(request).map(Ok)
}

fn name_of<R: Reconciler>(key: &Key) -> PartialObjectMeta<R::Object> {
    let metadata = ObjectMeta {
        name: Some(key.name.clone()),
        namespace: Some(key.namespace.clone()),
        ..ObjectMeta::default()
    };
    PartialObjectMeta {
        types: None,
        metadata,
        _phantom: PhantomData,
    }
}

/// Reconciles the object on a task of its own, which ends if its caller is dropped.
async fn take_turn<R: Reconciler>(worker: Arc<Worker<R>>, key: Key) -> Action {
    let task = {
        let (worker, key) = (worker.clone(), key.clone());
        tokio::spawn(async move { worker.reconcile(&key).await })
    };
    let end = AbortOnDropHandle::new(task).await;
    let end = end.unwrap_or_else(|error| {
        let (namespace, name) = (&key.namespace, &key.name);
        tracing::error!(controller = %R::NAME, namespace, name, %error, "a reconcile failed; this is a bug, please report it");
        worker.count_panic();
        TurnEnd {
            again: Some(PANIC_PAUSE),
            ..TurnEnd::default()
        }
    });
    worker.finish(&key, end);
    Action::await_change()
}

async fn resync_forever<R: Reconciler>(context: Arc<Context>) {
    loop {
        tokio::time::sleep(RESYNC_INTERVAL).await;
        context.enqueue_all(R::NAME);
    }
}
