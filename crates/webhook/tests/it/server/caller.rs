//! A client of the server, like an API server.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http::request::Builder;
use http::{Request, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpSocket;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::time_provider::TimeProvider;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::pairs::now;

pub const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// A connection to the server.
pub struct Connection {
    sender: SendRequest<Body>,
    /// The certificate of the server.
    pub certificate: CertificateDer<'static>,
}

/// An answer: its status and text.
pub type Answered = Result<(StatusCode, String), hyper::Error>;

/// The client's own certificate and key.
pub struct Shown {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
}

/// Connects from that address, and trusts certificates of these CAs.
pub async fn connect(from: IpAddr, to: SocketAddr, authorities: &str) -> io::Result<Connection> {
    connect_as(None, from, to, authorities).await
}

/// The same, with a client certificate.
pub async fn connect_as(
    shown: Option<&Shown>,
    from: IpAddr,
    to: SocketAddr,
    authorities: &str,
) -> io::Result<Connection> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from, 0))?;
    let stream = socket.connect(to).await?;
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connector = TlsConnector::from(trusting(authorities, shown));
    let stream = connector.connect(name, stream).await?;
    let shown = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let certificate = shown[0].clone().into_owned();
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(connection);
    Ok(Connection {
        sender,
        certificate,
    })
}

fn trusting(authorities: &str, shown: Option<&Shown>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for ca in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        roots.add(ca.unwrap()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_root_certificates(roots);
    let mut config = match shown {
        None => builder.with_no_client_auth(),
        Some(shown) => builder
            .with_client_auth_cert(shown.chain.clone(), shown.key.clone_key())
            .unwrap(),
    };
    config.time_provider = Arc::new(WhenMade);
    Arc::new(config)
}

/// The time of the certificates' creation.
#[derive(Debug)]
struct WhenMade;

impl TimeProvider for WhenMade {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = now().as_second().try_into().ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

/// A body of this text, with its length in the head.
pub fn whole(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).boxed_unsync()
}

/// A body that is sent in pieces, and ends when its sender is dropped.
pub fn pieces() -> (UnboundedSender<Bytes>, Body) {
    let (sender, pieces) = unbounded();
    let frames = pieces.map(|piece| Ok(Frame::data(piece)));
    (sender, StreamBody::new(frames).boxed_unsync())
}

impl Connection {
    /// Sends a request and reads the whole answer. Waits until the connection is free.
    pub async fn ask(&mut self, path: &str, body: Body) -> Answered {
        self.sender.ready().await?;
        self.post(path, body).await
    }

    /// Sends a request at once, without waiting for its turn.
    pub fn post(&mut self, path: &str, body: Body) -> impl Future<Output = Answered> + use<> {
        self.send(Request::post(path), body)
    }

    /// Sends a request with that length in its head, and the pieces given to the returned sender.
    pub fn announce(
        &mut self,
        path: &str,
        length: usize,
    ) -> (
        UnboundedSender<Bytes>,
        impl Future<Output = Answered> + use<>,
    ) {
        let (sender, body) = pieces();
        let request = Request::post(path).header("content-length", length);
        (sender, self.send(request, body))
    }

    fn send(&mut self, request: Builder, body: Body) -> impl Future<Output = Answered> + use<> {
        let request = request.header("host", "127.0.0.1");
        let answer = self.sender.send_request(request.body(body).unwrap());
        async move {
            let (head, body) = answer.await?.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok((head.status, String::from_utf8_lossy(&body).into_owned()))
        }
    }

    /// Ends once the server has closed the connection.
    pub async fn closed(&mut self) {
        while self.sender.ready().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
