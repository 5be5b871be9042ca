//! How many connections there are: whoever can reach the pod can connect, and must not keep the API
//! server out.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Connections in all.
const MAX_CONNECTIONS: usize = 512;
/// Connections from one address. An API server opens one for each question under way.
const MAX_OF_ADDRESS: usize = 128;

/// Accepts connections as long as there are not too many.
#[derive(Clone, Debug, Default)]
pub struct Limited(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub struct Counted {
    stream: TcpStream,
    address: IpAddr,
    open: Limited,
}

impl Limited {
    fn enter(&self, address: IpAddr) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.entry(address).or_default();
        let may = all < MAX_CONNECTIONS && *own < MAX_OF_ADDRESS;
        *own += usize::from(may);
        if *own == 0 {
            open.remove(&address);
        }
        may
    }

    fn leave(&self, address: IpAddr) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&address) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.remove(&address);
            }
        }
    }
}

impl<S> Accept<TcpStream, S> for Limited {
    type Stream = Counted;
    type Service = S;
    type Future = Ready<io::Result<(Counted, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let peer = stream.peer_addr();
        let counted = peer.and_then(|peer| {
            stream.set_nodelay(true)?;
            if !self.enter(peer.ip()) {
                return Err(io::Error::other("too many connections"));
            }
            Ok(Counted {
                stream,
                address: peer.ip(),
                open: self.clone(),
            })
        });
        ready(counted.map(|counted| (counted, service)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.leave(self.address);
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
