//! `/healthz`, `/readyz` and `/metrics`, on a thread of their own: the kubelet gets its answer
//! however long a decision takes elsewhere, also the answer that no decision is made any more.

mod connections;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use prometheus_client::registry::Registry;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::context::Context;
use crate::{metrics, state_metrics};

/// How long counts are valid: counting reads all objects.
const LIFETIME: Duration = Duration::from_secs(1);

/// The addresses of the probes and of the metrics.
#[derive(Debug)]
pub struct Server {
    probes: TcpListener,
    /// `None` if it is the address of the probes.
    metrics: Option<TcpListener>,
}

impl Server {
    /// Listens for probes on one address and for scrapers on another, or for both on one.
    pub fn bind(probes: SocketAddr, metrics: SocketAddr) -> io::Result<Self> {
        let is_one = probes == metrics && probes.port() != 0;
        Ok(Self {
            probes: bind(probes)?,
            metrics: (!is_one).then(|| bind(metrics)).transpose()?,
        })
    }

    /// The address of the probes.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.probes.local_addr()
    }

    /// The address of the metrics.
    pub fn metrics_address(&self) -> io::Result<SocketAddr> {
        self.metrics.as_ref().unwrap_or(&self.probes).local_addr()
    }

    /// Serves until this is dropped; an error means that serving failed.
    pub async fn serve(self, context: Arc<Context>) -> io::Result<()> {
        let (mut sender, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name("probes".to_owned());
        thread.spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let result = runtime.and_then(|runtime| {
                runtime.block_on(async {
                    tokio::select! {
                        result = self.answer(context) => result,
                        () = sender.closed() => Ok(()),
                    }
                })
            });
            // The receiver may be gone.
            drop(sender.send(result));
        })?;
        let is_gone = |_| io::Error::other("the probe thread ended");
        ended.await.map_err(is_gone)?
    }

    async fn answer(self, context: Arc<Context>) -> io::Result<()> {
        let page = Page::new(context.clone());
        let probes = Router::new()
            .route("/healthz", get(healthz))
            .route("/readyz", get(readyz))
            .with_state(context);
        let numbers = Router::new()
            .route("/metrics", get(metrics_text))
            .with_state(Arc::new(page));
        let Some(metrics) = self.metrics else {
            connections::serve(usable(self.probes)?, probes.merge(numbers)).await;
            return Ok(());
        };
        let probes = connections::serve(usable(self.probes)?, probes);
        let numbers = connections::serve(usable(metrics)?, numbers);
        futures::future::join(probes, numbers).await;
        Ok(())
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address);
    listener.map_err(|e| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}")))
}

fn usable(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

/// The text of `/metrics`. Objects are counted at most once a second, however often a client asks.
pub struct Page {
    context: Arc<Context>,
    states: Mutex<Option<(Instant, Registry)>>,
}

impl Page {
    /// A page without any counts yet.
    pub fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            states: Mutex::default(),
        }
    }

    /// All counts up to now, and counts of objects that are less than a second old.
    pub fn text(&self) -> String {
        self.context.measure();
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = states.take().filter(|(made, _)| made.elapsed() < LIFETIME);
        let count = || (Instant::now(), self.count_objects());
        let (_, registry) = states.insert(recent.unwrap_or_else(count));
        self.context.metrics.encode(registry)
    }

    /// The object counts are summed up over all operators, so only the leader counts objects.
    fn count_objects(&self) -> Registry {
        if self.context.is_standby() {
            return Registry::default();
        }
        state_metrics::registry(&self.context)
    }
}

/// Alive as long as the runtime that decides runs, however busy it is. If a part that must run for
/// ever ends, the process ends.
async fn healthz(State(context): State<Arc<Context>>) -> (StatusCode, String) {
    let Some(silence) = context.heartbeat.silence(std::time::Instant::now()) else {
        return (StatusCode::OK, "ok\n".into());
    };
    let seconds = silence.as_secs();
    let stuck = format!("nothing has been decided for {seconds} s: this process is stuck\n");
    (StatusCode::SERVICE_UNAVAILABLE, stuck)
}

/// Ready once every kind was listed, and while every kind can be watched, except in namespaces that
/// the operator may not read (decision 45). The answer names the missing kinds.
async fn readyz(State(context): State<Arc<Context>>) -> (StatusCode, String) {
    let unsynced = context.unsynced();
    let missing = unsynced
        .iter()
        .map(|(kind, why)| format!("{kind}: {why}\n"));
    let missing: String = missing.collect();
    match (context.is_ready(), missing.is_empty()) {
        (true, true) => (StatusCode::OK, "ok\n".into()),
        (true, false) => (StatusCode::OK, format!("ok, but for\n{missing}")),
        (false, _) => (StatusCode::SERVICE_UNAVAILABLE, missing),
    }
}

async fn metrics_text(State(page): State<Arc<Page>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], page.text())
}
