//! A request and its answer as HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use strum::IntoEnumIterator as _;
use tokio::time::Instant;

use super::bounds::Bounds;
use super::connections::{Busy, Connections};
use super::limits::{Limits, TooMuch};
use crate::answers::{Hook, Judge};
use crate::metrics::{ByAnswer, ByWebhook, Metrics};
use crate::review::{self, Answer, Review};

/// Inputs of all answers.
pub(super) struct Shared {
    judge: Judge,
    metrics: Metrics,
    limits: Limits,
    connections: Connections,
}

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new();
    for hook in Hook::iter() {
        shared.metrics.begin(hook.word());
        let answer = move |State(shared): State<Arc<Shared>>,
                           ConnectInfo(peer): ConnectInfo<SocketAddr>,
                           request: Request<Body>| async move {
            shared.respond(hook, peer, request).await
        };
        router = router.route(hook.path(), post(answer));
    }
    router.with_state(shared)
}

impl Shared {
    pub(super) fn new(
        judge: Judge,
        metrics: Metrics,
        connections: Connections,
        bounds: &Bounds,
    ) -> Arc<Self> {
        Arc::new(Self {
            judge,
            metrics,
            limits: Limits::new(connections.clone(), bounds),
            connections,
        })
    }

    /// Every failure has a text: the API server passes it on to the user.
    async fn respond(&self, hook: Hook, peer: SocketAddr, request: Request<Body>) -> Response {
        let busy = self.connections.begin_question(peer);
        let answered = tokio::select! {
            biased;
            () = busy.cut() => Err(TooMuch::Cut),
            answered = self.read_and_answer(hook, peer, &busy, request) => answered,
        };
        let failed = |refusal: TooMuch| (ByAnswer::failed(hook.word()), refusal.into_response());
        let (result, response) = answered.unwrap_or_else(failed);
        self.metrics.answers.get_or_create(&result).inc();
        response
    }

    async fn read_and_answer(
        &self,
        hook: Hook,
        peer: SocketAddr,
        busy: &Busy,
        request: Request<Body>,
    ) -> Result<(ByAnswer, Response), TooMuch> {
        let read = self.limits.read(peer.ip(), busy, request).await?;
        let answered = busy.take_turn(async { self.answer(hook, &read.text) });
        Ok(answered.await)
    }

    fn answer(&self, hook: Hook, text: &[u8]) -> (ByAnswer, Response) {
        let started = Instant::now();
        let review: Review<'_> = match serde_json::from_slice(text) {
            Ok(review) => review,
            Err(error) => {
                let text = format!("no AdmissionReview of admission.k8s.io/v1: {error}\n");
                let response = (StatusCode::BAD_REQUEST, text).into_response();
                return (ByAnswer::failed(hook.word()), response);
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
        (labels, (json, text).into_response())
    }
}
