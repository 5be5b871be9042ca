//! Limits the number of connections: any client that reaches the pod can connect, and must not keep
//! the API server out.
//!
//! Behind NAT all API servers may share one address with other clients. So at a limit an existing
//! connection is closed, not the new one ([`super::victim`], decision 120). A client with a trusted
//! certificate has a reserved place.

mod book;
mod connection;
mod counted_stream;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum_server::accept::Accept;
use futures::future::{BoxFuture, FutureExt};
use prometheus_client::metrics::counter::Counter;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::bounds::Bounds;
use book::Book;
pub(super) use connection::Busy;
pub(super) use counted_stream::CountedStream;

/// A waiting connection checks again after this time: others become late meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Assigns a place to each new connection.
#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Open>);

#[derive(Debug)]
struct Open {
    book: Mutex<Book>,
    /// Closed connections.
    cuts: Counter,
}

impl Connections {
    /// Without a connection yet.
    pub(super) fn new(bounds: &Bounds, cuts: Counter) -> Self {
        let book = Mutex::new(Book::new(bounds.connections, bounds.patience));
        Self(Arc::new(Open { book, cuts }))
    }

    /// A request of this connection is under way until the result is dropped.
    pub(super) fn begin_question(&self, peer: SocketAddr) -> Busy {
        let connection = self.lock().find(peer);
        Busy::new(connection.unwrap_or_default())
    }

    /// A request from that address finds no room.
    pub(super) fn free_budget(&self, address: IpAddr) {
        if self.lock().free_budget(address) {
            self.0.cuts.inc();
        }
    }

    fn promote(&self, peer: SocketAddr) {
        if self.lock().promote(peer) {
            self.0.cuts.inc();
        }
        self.settle();
    }

    async fn enter(&self, stream: TcpStream) -> io::Result<CountedStream> {
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?;
        let mut place = self.lock().enqueue(peer);
        loop {
            self.settle();
            if let Ok(given) = timeout(LOOK_AGAIN, &mut place).await {
                let connection = given.map_err(io::Error::other)?;
                return Ok(CountedStream::new(stream, peer, connection, self.clone()));
            }
        }
    }

    fn leave(&self, peer: SocketAddr) {
        self.lock().remove(peer);
        self.settle();
    }

    fn settle(&self) {
        let cut = self.lock().settle();
        self.0.cuts.inc_by(cut);
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Send + 'static> Accept<TcpStream, S> for Connections {
    type Stream = CountedStream;
    type Service = S;
    type Future = BoxFuture<'static, io::Result<(CountedStream, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let connections = self.clone();
        async move { Ok((connections.enter(stream).await?, service)) }.boxed()
    }
}
