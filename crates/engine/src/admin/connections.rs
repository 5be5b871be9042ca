//! Connections to the probes: as many as kubelets and scrapers need, each limited in time.
//!
//! Any client that can reach the pod can connect. When there are too many connections, the oldest
//! is closed, whatever it does: a probe is answered within milliseconds, so its connection is never
//! the oldest for long.

use std::collections::VecDeque;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Connections that are open at once.
const MAX_CONNECTIONS: usize = 64;
/// Longest time until the head of a request is complete, also of the next request of a connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(3);
/// Pause after a connection could not be accepted: file descriptors may be short.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves for ever.
pub(super) async fn serve(listener: TcpListener, router: Router) {
    let mut open = VecDeque::<AbortHandle>::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.is_finished());
        if open.len() >= MAX_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let connection = tokio::spawn(answer(stream, router.clone()));
        open.push_back(connection.abort_handle());
    }
}

async fn answer(stream: TcpStream, router: Router) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to the probes ended");
    }
}
