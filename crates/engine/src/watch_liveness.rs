//! Records the last message of a watch, and decides when the watch is hung.
//!
//! kube does not limit the time until a request is answered. It limits the silence of an open
//! watch, but does not show that to its user; and a bookmark is no event of it. So a watch uses a
//! client that listens: an answer whose head does not come, or whose body stops, becomes an error.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use http::{Request, Response};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use tokio::time::{Instant, sleep_until, timeout};

/// How long the head of an answer may take. API servers let a request wait for up to 15 s.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The server-side timeout of a watch, in seconds. The API server sends a bookmark before.
pub const WATCH_SECONDS: u32 = 55;
/// A watch silent for longer than its server-side timeout is dead, and this is the limit. A second
/// later kube would restart the watch at its last version without a report.
pub const MAX_SILENCE: Duration = Duration::from_secs(59);

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A watch that ends sooner than this ends at this time: kube restarts it without a pause, and
/// without this limit a server that ends it at once would be asked as often as it can answer.
pub const SHORTEST_WATCH: Duration = Duration::from_secs(1);

/// The head of an answer did not come.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {HEAD_TIMEOUT:?}")]
pub struct NoHead;

/// The body of an answer stopped.
#[derive(Debug, thiserror::Error)]
#[error("the answer stopped: no data for {MAX_SILENCE:?}")]
struct Silence;

/// The time of the last message of a watch.
#[derive(Debug)]
pub struct WatchLiveness(Mutex<WatchState>);

#[derive(Debug)]
struct WatchState {
    last: Instant,
    was_silent: bool,
}

impl Default for WatchLiveness {
    fn default() -> Self {
        Self(Mutex::new(WatchState {
            last: Instant::now(),
            was_silent: false,
        }))
    }
}

impl WatchLiveness {
    /// The time since the last message.
    pub fn silence(&self) -> Duration {
        self.state().last.elapsed()
    }

    /// Whether a body stopped since the last call.
    pub fn was_silent(&self) -> bool {
        std::mem::take(&mut self.state().was_silent)
    }

    fn note(&self) {
        self.state().last = Instant::now();
    }

    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// This client, with limits; it reports to `liveness` each message.
pub fn report_liveness(client: Client, liveness: Arc<WatchLiveness>) -> Client {
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, liveness) = (client.clone(), liveness.clone());
        let is_watch = request.uri().query().is_some_and(is_of_watch);
        async move {
            let answer = timeout(HEAD_TIMEOUT, client.send(request)).await;
            let answer: Response<Body> = answer.map_err(|_| Error::from(NoHead))??;
            let liveness = answer.status().is_success().then_some(liveness);
            let earliest_end = is_watch.then(|| Instant::now() + SHORTEST_WATCH);
            Ok::<_, Error>(answer.map(|body| {
                let frames = limited(body, liveness)
                    .chain(pause_until(earliest_end))
                    .map_ok(Frame::data);
                StreamBody::new(frames.boxed())
            }))
        }
    });
    Client::new(service, namespace)
}

fn is_of_watch(query: &str) -> bool {
    query.split('&').any(|part| part == "watch=true")
}

/// A stream without items that ends at this time.
fn pause_until(at: Option<Instant>) -> impl Stream<Item = Result<Bytes, Error>> {
    let pause = async move {
        if let Some(at) = at {
            sleep_until(at).await;
        }
        None
    };
    futures::stream::once(pause).filter_map(std::future::ready)
}

/// The pieces of a body, with an error at its end if they stop. A refusal is no message of the
/// watched objects; the regular end of a stream is one.
fn limited(
    body: Body,
    liveness: Option<Arc<WatchLiveness>>,
) -> impl Stream<Item = Result<Bytes, Error>> {
    let pieces = body.into_data_stream();
    futures::stream::unfold(Some((pieces, liveness)), |state| async {
        let (mut pieces, liveness) = state?;
        let next = timeout(MAX_SILENCE, pieces.next()).await;
        let note = || {
            if let Some(liveness) = &liveness {
                liveness.note();
            }
        };
        match next {
            Ok(Some(Ok(piece))) => {
                note();
                Some((Ok(piece), Some((pieces, liveness))))
            }
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => {
                note();
                None
            }
            Err(_) => {
                if let Some(liveness) = liveness {
                    liveness.state().was_silent = true;
                }
                Some((Err(Silence.into()), None))
            }
        }
    })
}
