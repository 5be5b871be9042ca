//! How much is read.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

use super::bounds::Bounds;
use super::room::{Room, Taken};

/// The longest question, in bytes. API servers take objects of up to 3 MiB and ask with the new and
/// the stored one.
pub const MAX_BODY: usize = 8 * MIB;
const MIB: usize = 1024 * 1024;

/// Lets in as much as there is room for; the others wait.
pub struct Limits {
    room: Arc<Room>,
    /// How long the rest of what is not read may take to arrive.
    patience: Duration,
}

impl Limits {
    /// With nothing under way.
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            room: Arc::new(Room::new(bounds.kib_under_way)),
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
                let mib = MAX_BODY / MIB;
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
    /// Reads the body as far as there is room for it; the room is free again once the second part
    /// is dropped.
    pub async fn read(
        &self,
        address: IpAddr,
        request: Request<Body>,
    ) -> Result<(Vec<u8>, Taken), TooMuch> {
        let mut body = request.into_body();
        let read = self.read_body(address, &mut body).await;
        if let Err(TooMuch::Long) = read {
            // Who still writes when the connection ends would lose the answer.
            let rest = timeout(self.patience, drop_rest(body));
            rest.await.unwrap_or_default();
        }
        read
    }

    /// Room is taken for what has arrived: who only announces much keeps nobody out.
    async fn read_body(
        &self,
        address: IpAddr,
        body: &mut Body,
    ) -> Result<(Vec<u8>, Taken), TooMuch> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > MAX_BODY {
            return Err(TooMuch::Long);
        }
        let mut taken = self.room.begin(address);
        let mut text = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| TooMuch::Broken)?;
            let Ok(piece) = frame.into_data() else {
                continue;
            };
            let length = text.len() + piece.len();
            if length > MAX_BODY {
                return Err(TooMuch::Long);
            }
            taken.grow(length).await;
            text.extend_from_slice(&piece);
        }
        Ok((text, taken))
    }
}

async fn drop_rest(mut body: Body) {
    while let Some(Ok(_)) = body.frame().await {}
}
