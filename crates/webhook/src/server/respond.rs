//! A question and its answer as HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use strum::IntoEnumIterator as _;
use tokio::time::Instant;

use super::bounds::Bounds;
use super::connections::Connections;
use super::limits::{Limits, TooMuch};
use crate::answers::{Hook, Judge};
use crate::metrics::{ByAnswer, ByWebhook, Metrics};
use crate::review::{self, Answer, Review};

/// What all answers need.
pub(super) struct Shared {
    judge: Judge,
    metrics: Metrics,
    limits: Limits,
    connections: Connections,
    deadline: Duration,
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
            limits: Limits::new(bounds),
            connections,
            deadline: bounds.deadline,
        })
    }

    /// Every way to fail says why: the API server passes it on to the user.
    async fn respond(&self, hook: Hook, peer: SocketAddr, request: Request<Body>) -> Response {
        let _busy = self.connections.begin_question(peer);
        let answered = self.read_and_answer(hook, peer, request);
        let answered = tokio::time::timeout(self.deadline, answered);
        let (result, response) = match answered.await {
            Ok(Ok(answered)) => answered,
            Ok(Err(refusal)) => (ByAnswer::failed(hook.word()), refusal.into_response()),
            Err(_) => {
                let deadline = self.deadline;
                let text = format!("no answer within {deadline:?}: the operator is overloaded\n");
                let response = (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
                (ByAnswer::failed(hook.word()), response)
            }
        };
        self.metrics.answers.get_or_create(&result).inc();
        response
    }

    async fn read_and_answer(
        &self,
        hook: Hook,
        peer: SocketAddr,
        request: Request<Body>,
    ) -> Result<(ByAnswer, Response), TooMuch> {
        let (body, _room) = self.limits.read(peer.ip(), request).await?;
        let started = Instant::now();
        let review: Review<'_> = match serde_json::from_slice(&body) {
            Ok(review) => review,
            Err(error) => {
                let text = format!("no AdmissionReview of admission.k8s.io/v1: {error}\n");
                let response = (StatusCode::BAD_REQUEST, text).into_response();
                return Ok((ByAnswer::failed(hook.word()), response));
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
