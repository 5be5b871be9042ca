//! The HTTPS server that the API server calls.
//!
//! It runs on threads of its own: what is decided elsewhere delays no answer, and a template that
//! takes long to judge holds up one of them. What is read at the same time is bounded.

mod connections;
mod limits;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum_server::Handle;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::rt::TokioTimer;
use strum::IntoEnumIterator as _;
use tokio::runtime;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::sign::SingleCertAndKey;

use crate::answers::{Hook, Judge};
use crate::certificates::Serving;
use crate::metrics::{ByAnswer, ByWebhook, Metrics};
use crate::review::{self, Answer, Review};
use connections::Limited;
use limits::Limits;

/// How long a question may take, until all of it is read and answered.
pub const DEADLINE: Duration = Duration::from_secs(3);
/// How long a connection may wait for its next question: longer than the API server keeps one that
/// it does not use (90 s), which closes it without a question being lost.
const IDLE: Duration = Duration::from_mins(2);
/// How long questions under way may take after the server was told to stop.
const GRACE: Duration = Duration::from_secs(3);
const THREADS: usize = 2;

/// What is served with, as it changes.
pub type Identity = watch::Receiver<Option<Arc<Serving>>>;

/// The server, before it runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
}

struct Shared {
    judge: Judge,
    metrics: Metrics,
    limits: Limits,
}

impl Server {
    /// Listens there.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let failed =
            |e: io::Error| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` ends, and then for as long as questions are under way.
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
            // Nobody may be there any more to be told.
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
        // Nothing is served before there is something to be trusted.
        let first = tokio::select! {
            first = identity.wait_for(Option::is_some) => first.ok().and_then(|i| i.clone()),
            () = &mut stop => None,
        };
        let Some(first) = first else { return Ok(()) };
        let tls = RustlsConfig::from_config(configure(&first)?);
        let handle = Handle::new();
        let shared = Arc::new(Shared {
            judge,
            metrics,
            limits: Limits::default(),
        });
        let acceptor = RustlsAcceptor::new(tls.clone())
            .handshake_timeout(DEADLINE)
            .acceptor(Limited::default());
        let mut server = axum_server::from_tcp(self.listener)?
            .handle(handle.clone())
            .http1_only()
            .acceptor(acceptor);
        let http = server.http_builder();
        http.http1()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE);
        let serving = server.serve(router(shared).into_make_service());
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
                        tls.reload_from_config(configure(&serving)?);
                    }
                }
                () = &mut stop => break,
            }
        }
        handle.graceful_shutdown(Some(GRACE));
        serving.await
    }
}

/// API servers call webhooks by HTTP/1.1 only.
fn configure(serving: &Serving) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(io::Error::other)?.with_no_client_auth();
    let certificate = SingleCertAndKey::from(serving.certified_key.clone());
    let mut config = builder.with_cert_resolver(Arc::new(certificate));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new();
    for hook in Hook::iter() {
        let answer = move |State(shared): State<Arc<Shared>>, request: Request<Body>| async move {
            shared.respond(hook, request).await
        };
        router = router.route(hook.path(), post(answer));
    }
    router.with_state(shared)
}

impl Shared {
    /// Every way to fail says why: the API server passes it on to the user.
    async fn respond(&self, hook: Hook, request: Request<Body>) -> Response {
        let answered = tokio::time::timeout(DEADLINE, self.read_and_answer(hook, request));
        let (result, response) = match answered.await {
            Ok(Ok(answered)) => answered,
            Ok(Err(refusal)) => (fail("unknown"), refusal.into_response()),
            Err(_) => {
                let text = format!("no answer within {DEADLINE:?}: the operator is overloaded\n");
                let response = (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
                (fail("unknown"), response)
            }
        };
        let labels = ByAnswer {
            webhook: hook.word(),
            ..result
        };
        self.metrics.answers.get_or_create(&labels).inc();
        response
    }

    async fn read_and_answer(
        &self,
        hook: Hook,
        request: Request<Body>,
    ) -> Result<(ByAnswer, Response), limits::TooMuch> {
        let (body, _room) = self.limits.read(request).await?;
        let started = Instant::now();
        let review: Review<'_> = match serde_json::from_slice(&body) {
            Ok(review) => review,
            Err(error) => {
                let text = format!("no AdmissionReview of admission.k8s.io/v1: {error}\n");
                let response = (StatusCode::BAD_REQUEST, text).into_response();
                return Ok((fail("unknown"), response));
            }
        };
        let answer = self.judge.answer(hook, &review.request);
        let result = match &answer {
            Answer::Allowed { .. } => "allowed",
            Answer::Invalid(errors) => {
                self.metrics.count_refusals(hook.word(), errors);
                "refused"
            }
            Answer::Refused { .. } => "refused",
        };
        let json = [(header::CONTENT_TYPE, "application/json")];
        let text = review::encode(&review.request, &answer).to_string();
        let webhook = hook.word();
        let duration = self.metrics.durations.get_or_create(&ByWebhook { webhook });
        duration.observe(started.elapsed().as_secs_f64());
        let labels = ByAnswer {
            webhook,
            operation: review.request.operation.word(),
            result,
        };
        Ok((labels, (json, text).into_response()))
    }
}

fn fail(operation: &'static str) -> ByAnswer {
    ByAnswer {
        webhook: "",
        operation,
        result: "failed",
    }
}
