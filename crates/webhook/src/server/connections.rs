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

use super::bounds::Bounds;

/// Accepts connections as long as there are not too many.
#[derive(Clone, Debug)]
pub struct Limited {
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
    most: usize,
    most_of_address: usize,
}

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub struct Counted {
    stream: TcpStream,
    address: IpAddr,
    open: Limited,
}

impl Limited {
    /// With no connection yet.
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            open: Arc::default(),
            most: bounds.connections,
            most_of_address: bounds.connections_of_address,
        }
    }

    fn enter(&self, address: IpAddr) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.entry(address).or_default();
        let may = all < self.most && *own < self.most_of_address;
        *own += usize::from(may);
        if *own == 0 {
            open.remove(&address);
        }
        may
    }

    fn leave(&self, address: IpAddr) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
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
