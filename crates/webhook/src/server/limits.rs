//! Limits on the size of a request, its speed, and concurrent validations.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::body_budget::{BodyBudget, BudgetShare};
use super::bounds::Bounds;
use super::connections::{Busy, Connections};

/// The longest request, in bytes. API servers accept objects of up to 3 MiB and send the new and
/// the stored one.
pub const MAX_BODY: usize = 8 * MIB;
const MIB: usize = 1024 * 1024;
/// Bytes that a connection may send before the budget admits it: most requests are shorter, and
/// wait for nothing.
pub(super) const MAX_UNCOUNTED: usize = 64 * 1024;
/// A decoded request is many times its text: of requests longer than this, one is validated at a
/// time.
const LARGE: usize = 256 * 1024;

/// Admits requests while the budget lasts; the others wait.
pub(super) struct Limits {
    budget: Arc<BodyBudget>,
    connections: Connections,
    large: Arc<Semaphore>,
    /// How far behind a body may be.
    lag: Duration,
    /// How long a request may wait for the budget and for its turn, in total.
    deadline: Duration,
}

/// A received request, and its share of the budget until it is answered.
pub(super) struct Read {
    pub(super) text: Vec<u8>,
    _share: Option<BudgetShare>,
    _turn: Option<OwnedSemaphorePermit>,
}

/// Why a request is not read.
#[derive(Debug)]
pub(super) enum TooMuch {
    /// It is too long.
    Long,
    /// It stopped.
    Broken,
    /// It arrives too slowly.
    Slow,
    /// Others wait, and it delayed them.
    Cut,
    /// The budget had no room for it for this long.
    Crowded(Duration),
}

impl IntoResponse for TooMuch {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Long => {
                let mib = MAX_BODY / MIB;
                let text = format!("the object is too large: at most {mib} MiB are read\n");
                (StatusCode::PAYLOAD_TOO_LARGE, text)
            }
            Self::Broken => (
                StatusCode::BAD_REQUEST,
                "the request is not complete\n".into(),
            ),
            Self::Slow => (
                StatusCode::REQUEST_TIMEOUT,
                "the request came too slowly: look at the network between the API server and the \
                 operator\n"
                    .into(),
            ),
            Self::Cut => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many connections, and this one was the slowest: restrict access to the webhook by a NetworkPolicy\n"
                    .into(),
            ),
            Self::Crowded(deadline) => {
                let text = format!("no answer within {deadline:?}: the operator is overloaded\n");
                (StatusCode::SERVICE_UNAVAILABLE, text)
            }
        };
        (status, text).into_response()
    }
}

impl Limits {
    /// Without requests yet.
    pub(super) fn new(connections: Connections, bounds: &Bounds) -> Self {
        Self {
            budget: BodyBudget::new(bounds.kib_under_way),
            connections,
            large: Arc::new(Semaphore::new(1)),
            lag: bounds.lag,
            deadline: bounds.deadline,
        }
    }

    /// Reads the body while the budget has room for it; dropping the result frees the room.
    pub(super) async fn read(
        &self,
        address: IpAddr,
        busy: &Busy,
        request: Request<Body>,
    ) -> Result<Read, TooMuch> {
        let mut body = request.into_body();
        let read = self.read_body(address, busy, &mut body).await;
        match read {
            Err(TooMuch::Broken) if busy.is_cut() => return Err(TooMuch::Cut),
            Err(TooMuch::Long) => {
                // A client that still writes when the connection ends would lose the answer.
                let rest = timeout(self.lag, drop_rest(body));
                rest.await.unwrap_or_default();
            }
            _ => {}
        }
        read
    }

    /// A request uses the budget only for data that has arrived: announcing a large body keeps no
    /// other client out.
    async fn read_body(
        &self,
        address: IpAddr,
        busy: &Busy,
        body: &mut Body,
    ) -> Result<Read, TooMuch> {
        let sizes = body.size_hint();
        let announced = usize::try_from(sizes.lower()).unwrap_or(usize::MAX);
        if announced > MAX_BODY {
            return Err(TooMuch::Long);
        }
        let all = if sizes.exact().is_some() {
            announced
        } else {
            MAX_BODY
        };
        let mut waits = self.deadline;
        let mut share = None;
        let mut text = Vec::new();
        while let Some(frame) = next_frame(body, busy.due(self.lag)).await? {
            let length = text.len() + frame.len();
            if length > MAX_BODY {
                return Err(TooMuch::Long);
            }
            if length > MAX_UNCOUNTED && share.is_none() {
                let give_way = || self.connections.free_budget(address);
                let taken = self.budget.take(address, all, give_way);
                share = Some(self.wait(busy, &mut waits, taken).await?);
                busy.hold(all);
            }
            text.extend_from_slice(&frame);
        }
        let turn = self.wait_for_turn(busy, &mut waits, text.len()).await?;
        Ok(Read {
            text,
            _share: share,
            _turn: turn,
        })
    }

    async fn wait_for_turn(
        &self,
        busy: &Busy,
        waits: &mut Duration,
        length: usize,
    ) -> Result<Option<OwnedSemaphorePermit>, TooMuch> {
        if length <= LARGE {
            return Ok(None);
        }
        let turn = self.large.clone().acquire_owned();
        Ok(self.wait(busy, waits, turn).await?.ok())
    }

    /// Waits for something within the remaining time.
    async fn wait<T>(
        &self,
        busy: &Busy,
        left: &mut Duration,
        wanted: impl Future<Output = T>,
    ) -> Result<T, TooMuch> {
        let began = Instant::now();
        let got = timeout(*left, busy.take_turn(wanted)).await;
        *left = left.saturating_sub(began.elapsed());
        got.map_err(|_| TooMuch::Crowded(self.deadline))
    }
}

async fn next_frame(body: &mut Body, due: Instant) -> Result<Option<axum::body::Bytes>, TooMuch> {
    loop {
        let frame = timeout_at(due, body.frame()).await;
        let frame = frame.map_err(|_| TooMuch::Slow)?;
        match frame.transpose().map_err(|_| TooMuch::Broken)? {
            None => return Ok(None),
            Some(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

async fn drop_rest(mut body: Body) {
    while let Some(Ok(_)) = body.frame().await {}
}
