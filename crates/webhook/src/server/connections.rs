//! How many connections there are: whoever can reach the pod can connect, and must not keep the API
//! server out.
//!
//! Behind a translation of addresses all API servers may have one. So at a limit the connection
//! that has been idle for longest goes, rather than the new one.

mod counted;
mod line;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum_server::accept::Accept;
use futures::future::{BoxFuture, FutureExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::bounds::Bounds;
pub(super) use counted::Counted;
use line::{Busy, Line};

/// An idle connection ends within this time, or has become busy.
const LEAVE_TIME: Duration = Duration::from_millis(200);
/// So many idle ones may become busy before a new one is refused.
const MAX_TRIES: usize = 5;

/// Accepts connections as long as there are not too many that are busy.
#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Open>);

#[derive(Debug)]
struct Open {
    lines: Mutex<HashMap<SocketAddr, Arc<Line>>>,
    /// One ended.
    left: Notify,
    most: usize,
    most_of_address: usize,
}

/// What becomes of a new connection.
enum Place {
    Given(Arc<Line>),
    /// Once an idle one has ended.
    Awaited,
    Refused,
}

impl Connections {
    /// With no connection yet.
    pub(super) fn new(bounds: &Bounds) -> Self {
        Self(Arc::new(Open {
            lines: Mutex::default(),
            left: Notify::new(),
            most: bounds.connections,
            most_of_address: bounds.connections_of_address,
        }))
    }

    /// A question of this connection is under way until the result is dropped.
    pub(super) fn begin_question(&self, peer: SocketAddr) -> Option<Busy> {
        let line = self.0.lock().get(&peer).cloned();
        line.map(Busy::new)
    }

    async fn enter(&self, stream: TcpStream) -> io::Result<Counted> {
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?;
        for attempt in 0..MAX_TRIES {
            let left = self.0.left.notified();
            match self.0.find_place(peer, attempt == 0) {
                Place::Given(line) => return Ok(Counted::new(stream, peer, line, self.clone())),
                // Who waits in vain looks again.
                Place::Awaited => timeout(LEAVE_TIME, left).await.unwrap_or_default(),
                Place::Refused => break,
            }
        }
        Err(io::Error::other("too many connections"))
    }

    fn leave(&self, peer: SocketAddr) {
        self.0.lock().remove(&peer);
        self.0.left.notify_one();
    }
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, HashMap<SocketAddr, Arc<Line>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_place(&self, peer: SocketAddr, is_first: bool) -> Place {
        let mut lines = self.lock();
        let is_own = |other: &&SocketAddr| other.ip() == peer.ip();
        let is_address_full = lines.keys().filter(is_own).count() >= self.most_of_address;
        if !is_address_full && lines.len() < self.most {
            let line = Arc::<Line>::default();
            lines.insert(peer, line.clone());
            return Place::Given(line);
        }
        let rivals = lines.iter();
        let rivals = rivals.filter(|(other, _)| !is_address_full || is_own(other));
        close_longest_idle(rivals.map(|(_, line)| line), is_first)
    }
}

/// Each new connection has one closed, and another only if that has become busy meanwhile.
fn close_longest_idle<'a>(
    lines: impl Iterator<Item = &'a Arc<Line>> + Clone,
    is_first: bool,
) -> Place {
    let is_one_leaving = lines.clone().any(|line| line.is_closing());
    if is_one_leaving && !is_first {
        return Place::Awaited;
    }
    let idle = lines.filter_map(|line| Some((line.idle_since()?, line)));
    if let Some((_, line)) = idle.min_by_key(|(since, _)| *since) {
        line.close_if_idle();
        return Place::Awaited;
    }
    if is_one_leaving {
        Place::Awaited
    } else {
        Place::Refused
    }
}

impl<S: Send + 'static> Accept<TcpStream, S> for Connections {
    type Stream = Counted;
    type Service = S;
    type Future = BoxFuture<'static, io::Result<(Counted, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let connections = self.clone();
        async move { Ok((connections.enter(stream).await?, service)) }.boxed()
    }
}
