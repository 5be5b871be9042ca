//! The stream of a connection, which counts while it is open.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::Connections;
use super::connection::Connection;

/// A connection that counts until this is dropped.
#[derive(Debug)]
pub(in crate::server) struct CountedStream {
    stream: TcpStream,
    peer: SocketAddr,
    connection: Arc<Connection>,
    connections: Connections,
    /// Part of an answer waits for the peer to read.
    is_writing: bool,
}

impl CountedStream {
    pub(super) fn new(
        stream: TcpStream,
        peer: SocketAddr,
        connection: Arc<Connection>,
        connections: Connections,
    ) -> Self {
        Self {
            stream,
            peer,
            connection,
            connections,
            is_writing: false,
        }
    }

    /// The peer has shown a certificate that is trusted.
    pub(in crate::server) fn promote(&self) {
        self.connections.promote(self.peer);
    }
}

impl Drop for CountedStream {
    fn drop(&mut self) {
        self.connections.leave(self.peer);
    }
}

impl AsyncRead for CountedStream {
    /// Data that has arrived is read before the connection closes.
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            self.connection.hear(buffer.filled().len() - before);
        } else if self.connection.is_to_end(cx.waker()) && !self.is_writing {
            return Poll::Ready(Ok(()));
        }
        read
    }
}

impl AsyncWrite for CountedStream {
    /// A client that does not read its answers does not keep its place by that.
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.is_writing = written.is_pending();
        if self.is_writing && self.connection.is_to_end(cx.waker()) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
