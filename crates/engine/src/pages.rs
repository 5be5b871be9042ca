//! Limits pages of lists in bytes: an object may have a hundred bytes or a megabyte.
//!
//! kube asks for 500 objects, whatever their size; of 500 sets of 1.3 MB the text, a copy of it and
//! the objects were in memory at once, and the operator needed twice the memory of its cache
//! (decision 129). So a list asks through a client that sets the limit of each page from the size
//! of the previous page, and that drops a page which becomes too long all the same, and asks for
//! fewer.

use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use http::{Method, Request, Response, Uri};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Objects of the first page: their size is unknown.
const FIRST: u32 = 25;
/// Objects of a page at most, as in client-go.
pub const MOST: u32 = 500;
/// Bytes that a page should have.
const WANTED_BYTES: usize = 2 << 20;
/// Bytes that a page has at most, unless it is of one object.
pub const MAX_BYTES: usize = 4 * WANTED_BYTES;

/// The number of objects that the next page of a list requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit(u32);

impl Default for PageLimit {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl PageLimit {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }

    /// Bytes that a page of this many objects may have. A single object may have any size.
    pub fn max_bytes(self) -> usize {
        if self.0 == 1 { usize::MAX } else { MAX_BYTES }
    }

    /// The limit after a page with as many objects as requested, in this many bytes. Not more than
    /// twice as many: large objects may follow small ones.
    #[must_use]
    pub fn after(self, bytes: usize) -> Self {
        let fitting = self.fitting(bytes);
        Self(fitting.min(self.0.saturating_mul(2)))
    }

    /// The limit after a page that became too long.
    #[must_use]
    pub fn after_too_many(self) -> Self {
        Self(self.fitting(MAX_BYTES))
    }

    /// Objects of a page of the right size, if this many objects take this many bytes.
    fn fitting(self, bytes: usize) -> u32 {
        let objects = usize::try_from(self.0).unwrap_or(usize::MAX);
        let fitting = objects.saturating_mul(WANTED_BYTES) / bytes.max(1);
        u32::try_from(fitting).unwrap_or(MOST).clamp(1, MOST)
    }
}

/// This client with bounded pages of lists.
pub fn bounded(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let limit = Arc::new(Mutex::new(PageLimit::default()));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, limit) = (client.clone(), limit.clone());
        async move {
            if !is_page(&request) {
                return Ok::<_, Error>(client.send(request).await?);
            }
            ask_for_page(&client, &request.map(drop), &limit).await
        }
    });
    Client::new(service, namespace)
}

fn is_page(request: &Request<Body>) -> bool {
    let mut parts = request.uri().query().into_iter().flat_map(parts_of);
    request.method() == Method::GET && parts.any(is_limit)
}

/// Requests a page that is short enough, with as many objects as fit.
async fn ask_for_page(
    client: &Client,
    request: &Request<()>,
    limit: &Mutex<PageLimit>,
) -> Result<Response<Body>, Error> {
    let lock = || limit.lock().unwrap_or_else(PoisonError::into_inner);
    let query = request.uri().query().unwrap_or_default();
    if !parts_of(query).any(|part| part.starts_with("continue=")) {
        *lock() = PageLimit::default();
    }
    loop {
        let asked = *lock();
        let answer = client.send(with_limit(request, asked)?).await?;
        if !answer.status().is_success() {
            return Ok(answer);
        }
        let (head, body) = answer.into_parts();
        if let Some(text) = read_up_to(body, asked.max_bytes()).await? {
            *lock() = asked.after(text.len());
            return Ok(Response::from_parts(head, Body::from(text)));
        }
        *lock() = asked.after_too_many();
    }
}

/// The whole body; `None` if it is longer.
async fn read_up_to(body: Body, max_bytes: usize) -> Result<Option<Vec<u8>>, Error> {
    let mut pieces = body.into_data_stream();
    let mut text = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        if text.len() + piece.len() > max_bytes {
            return Ok(None);
        }
        text.extend_from_slice(&piece);
    }
    Ok(Some(text))
}

fn with_limit(request: &Request<()>, limit: PageLimit) -> Result<Request<Body>, Error> {
    let mut next = Request::new(Body::empty());
    *next.method_mut() = request.method().clone();
    next.headers_mut().clone_from(request.headers());
    *next.uri_mut() = limited(request.uri(), limit)?;
    Ok(next)
}

fn limited(uri: &Uri, limit: PageLimit) -> Result<Uri, Error> {
    let own = format!("limit={}", limit.get());
    let parts = parts_of(uri.query().unwrap_or_default());
    let parts = parts.map(|part| if is_limit(part) { &own } else { part });
    let query = parts.collect::<Vec<_>>().join("&");
    let mut next = uri.clone().into_parts();
    next.path_and_query = Some(format!("{}?{query}", uri.path()).try_into()?);
    Ok(Uri::from_parts(next)?)
}

fn is_limit(part: &str) -> bool {
    part.starts_with("limit=")
}

fn parts_of(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|part| !part.is_empty())
}
