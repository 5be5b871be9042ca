//! How much is read.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::bounds::Bounds;

/// The longest question, in bytes. API servers take objects of up to 3 MiB and ask with the new and
/// the stored one.
pub const MAX_BODY: usize = 8 * 1024 * 1024;
const KIB: usize = 1024;

/// Lets in as much as there is room for; the others wait.
pub struct Limits {
    room: Arc<Semaphore>,
    /// How long the rest of what is not read may take to arrive.
    patience: Duration,
}

impl Limits {
    /// With nothing under way.
    pub fn new(bounds: &Bounds) -> Self {
        let kib = usize::try_from(bounds.kib_under_way).unwrap_or(usize::MAX);
        let kib = kib.clamp(MAX_BODY / KIB, Semaphore::MAX_PERMITS);
        Self {
            room: Arc::new(Semaphore::new(kib)),
            patience: bounds.deadline / 2,
        }
    }
}

/// Why a question is not read.
#[derive(Debug)]
pub enum TooMuch {
    /// It is too long.
    Long,
    /// It stopped.
    Broken,
}

impl IntoResponse for TooMuch {
    fn into_response(self) -> Response {
        match self {
            Self::Long => {
                let mib = MAX_BODY / KIB / KIB;
                let text = format!("the object is too large: at most {mib} MiB are read\n");
                (StatusCode::PAYLOAD_TOO_LARGE, text).into_response()
            }
            Self::Broken => {
                (StatusCode::BAD_REQUEST, "the request is not complete\n").into_response()
            }
        }
    }
}

impl Limits {
    /// Reads the body as soon as there is room for it; the room is free again once the second part
    /// is dropped.
    pub async fn read(
        &self,
        request: Request<Body>,
    ) -> Result<(Bytes, OwnedSemaphorePermit), TooMuch> {
        let mut body = request.into_body();
        let read = self.read_body(&mut body).await;
        if let Err(TooMuch::Long) = read {
            // Who still writes when the connection ends would lose the answer.
            let rest = timeout(self.patience, drop_rest(body));
            rest.await.unwrap_or_default();
        }
        read
    }

    async fn read_body(&self, body: &mut Body) -> Result<(Bytes, OwnedSemaphorePermit), TooMuch> {
        // Who does not say how long it is gets as much room as the longest.
        let length = body.size_hint().exact();
        let length = length.map_or(MAX_BODY, |n| usize::try_from(n).unwrap_or(usize::MAX));
        if length > MAX_BODY {
            return Err(TooMuch::Long);
        }
        let kib = u32::try_from(length.div_ceil(KIB).max(1)).unwrap_or(u32::MAX);
        let room = self.room.clone().acquire_many_owned(kib).await;
        let room = room.map_err(|_| TooMuch::Broken)?;
        let whole = Limited::new(body, MAX_BODY).collect().await;
        let whole = whole.map_err(|error| {
            if error.is::<LengthLimitError>() {
                TooMuch::Long
            } else {
                TooMuch::Broken
            }
        })?;
        Ok((whole.to_bytes(), room))
    }
}

async fn drop_rest(mut body: Body) {
    while let Some(Ok(_)) = body.frame().await {}
}
