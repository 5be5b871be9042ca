//! The HTTPS server that the API server calls.
//!
//! The server has its own threads: decisions elsewhere delay no answer, and a template that takes
//! long to validate blocks one thread. Concurrent reads are bounded.

mod body_budget;
mod bounds;
mod client_authority;
mod connections;
mod limits;
mod router;
mod tls;
pub mod victim;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum_server::Handle;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::rt::TokioTimer;
use tokio::runtime;
use tokio::sync::{oneshot, watch};

use crate::answers::Judge;
use crate::certificates::Serving;
use crate::metrics::Metrics;
use connections::Connections;
use router::{Shared, router};
use tls::{Handshakes, configure};

pub use bounds::Bounds;
pub use client_authority::{ClientAuthority, NoClientAuthority};
pub use limits::MAX_BODY;
use limits::MAX_UNCOUNTED;

const THREADS: usize = 2;

/// The served certificate, and its changes.
pub type Identity = watch::Receiver<Option<Arc<Serving>>>;

/// The server, before it runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    bounds: Bounds,
    clients: Option<ClientAuthority>,
}

impl Server {
    /// Listens at that address.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let failed =
            |e: io::Error| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            bounds: Bounds::default(),
            clients: None,
        })
    }

    /// The same with other bounds.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The same, but only clients with a certificate of that CA get an answer. Without a CA all
    /// clients do.
    #[must_use]
    pub fn answering(self, clients: Option<ClientAuthority>) -> Self {
        Self { clients, ..self }
    }

    /// The address at which it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` ends, and then until the current requests are answered.
    pub async fn serve(
        self,
        judge: Judge,
        metrics: Metrics,
        identity: Identity,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let (sender, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name("webhook".to_owned());
        thread.spawn(move || {
            let runtime = runtime::Builder::new_multi_thread()
                .worker_threads(THREADS)
                .thread_name("webhook")
                .enable_all()
                .build();
            let result = runtime
                .and_then(|runtime| runtime.block_on(self.answer(judge, metrics, identity, stop)));
            // The receiver may be gone.
            drop(sender.send(result));
        })?;
        let is_gone = |_| io::Error::other("the threads of the webhook are gone");
        ended.await.map_err(is_gone)?
    }

    async fn answer(
        self,
        judge: Judge,
        metrics: Metrics,
        mut identity: Identity,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let mut stop = std::pin::pin!(stop);
        // Nothing is served before there is a certificate that clients trust.
        let first = tokio::select! {
            first = identity.wait_for(Option::is_some) => first.ok().and_then(|i| i.clone()),
            () = &mut stop => None,
        };
        let Some(first) = first else { return Ok(()) };
        let tls = RustlsConfig::from_config(configure(&first, self.clients.as_ref())?);
        metrics.show_certificate(&first);
        let (handle, grace, clients) = (Handle::new(), self.bounds.grace, self.clients.clone());
        let serving = self.accept(judge, metrics.clone(), tls.clone(), handle.clone());
        tokio::pin!(serving);
        loop {
            tokio::select! {
                ended = &mut serving => return ended,
                changed = identity.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    let serving = identity.borrow_and_update().clone();
                    if let Some(serving) = serving {
                        tls.reload_from_config(configure(&serving, clients.as_ref())?);
                        metrics.show_certificate(&serving);
                    }
                }
                () = &mut stop => break,
            }
        }
        handle.graceful_shutdown(Some(grace));
        serving.await
    }

    async fn accept(
        self,
        judge: Judge,
        metrics: Metrics,
        tls: RustlsConfig,
        handle: Handle<SocketAddr>,
    ) -> io::Result<()> {
        let bounds = self.bounds;
        let connections = Connections::new(&bounds, metrics.connections_cut.clone());
        let acceptor = RustlsAcceptor::new(tls)
            .handshake_timeout(bounds.deadline)
            .acceptor(connections.clone());
        let mut server = axum_server::from_tcp(self.listener)?
            .handle(handle)
            .http1_only()
            .acceptor(Handshakes(acceptor));
        let http = server.http_builder();
        http.http1()
            .timer(TokioTimer::new())
            .max_buf_size(MAX_UNCOUNTED)
            .header_read_timeout(bounds.idle);
        let router = router(Shared::new(judge, metrics, connections, &bounds));
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        server.serve(service).await
    }
}
