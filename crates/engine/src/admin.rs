//! `/healthz`, `/readyz` and `/metrics`.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::census;
use crate::hub::Hub;

/// Serves health on one address and metrics on another, or both on one, for ever.
pub async fn serve(hub: Arc<Hub>, health: SocketAddr, metrics: SocketAddr) -> std::io::Result<()> {
    let probes = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz));
    let numbers = Router::new().route("/metrics", get(metrics_text));
    if health == metrics {
        return listen(health, probes.merge(numbers).with_state(hub)).await;
    }
    let probes = listen(health, probes.with_state(hub.clone()));
    let numbers = listen(metrics, numbers.with_state(hub));
    tokio::try_join!(probes, numbers).map(|_| ())
}

async fn listen(address: SocketAddr, router: Router) -> std::io::Result<()> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|e| std::io::Error::new(e.kind(), format!("cannot listen on {address}: {e}")))?;
    axum::serve(listener, router).await
}

/// Alive as long as it answers: when a part that must run for ever ends, the process ends.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready once every kind was listed, and while it can be watched; else it says what is missing.
async fn readyz(State(hub): State<Arc<Hub>>) -> (StatusCode, String) {
    let unsynced = hub.unsynced();
    if unsynced.is_empty() {
        return (StatusCode::OK, "ok\n".into());
    }
    let lines: Vec<String> = unsynced
        .iter()
        .map(|(kind, why)| format!("{kind}: {why}\n"))
        .collect();
    (StatusCode::SERVICE_UNAVAILABLE, lines.concat())
}

async fn metrics_text(State(hub): State<Arc<Hub>>) -> String {
    hub.measure_silence();
    hub.metrics.encode(&census::registry(&hub.world))
}
