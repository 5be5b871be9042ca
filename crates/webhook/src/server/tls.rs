//! The served certificate, and the known clients.

use std::io;
use std::sync::Arc;

use axum_server::accept::Accept;
use axum_server::tls_rustls::RustlsAcceptor;
use futures::future::{BoxFuture, FutureExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::sign::SingleCertAndKey;
use tokio_rustls::rustls::{ConfigBuilder, ServerConfig, WantsVerifier, server::WantsServerCert};

use super::client_authority::ClientAuthority;
use super::connections::Connections;
use crate::certificates::Serving;

/// API servers call webhooks by HTTP/1.1 only.
pub(super) fn configure(
    serving: &Serving,
    clients: Option<&ClientAuthority>,
) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = verify_clients(builder.map_err(io::Error::other)?, clients)?;
    let certificate = SingleCertAndKey::from(serving.certified_key.clone());
    let mut config = builder.with_cert_resolver(Arc::new(certificate));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn verify_clients(
    builder: ConfigBuilder<ServerConfig, WantsVerifier>,
    clients: Option<&ClientAuthority>,
) -> io::Result<ConfigBuilder<ServerConfig, WantsServerCert>> {
    let Some(clients) = clients else {
        return Ok(builder.with_no_client_auth());
    };
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(clients.roots(), provider).build();
    Ok(builder.with_client_cert_verifier(verifier.map_err(io::Error::other)?))
}

/// Accepts connections, and gives known clients a reserved place.
#[derive(Clone, Debug)]
pub(super) struct Handshakes(pub(super) RustlsAcceptor<Connections>);

impl<S: Send + 'static> Accept<TcpStream, S> for Handshakes {
    type Stream = <RustlsAcceptor<Connections> as Accept<TcpStream, S>>::Stream;
    type Service = <RustlsAcceptor<Connections> as Accept<TcpStream, S>>::Service;
    type Future = BoxFuture<'static, io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let shaken = self.0.accept(stream, service);
        async move {
            let (stream, service) = shaken.await?;
            let (counted, tls) = stream.get_ref();
            // A server without a client CA requests no certificate.
            if tls.peer_certificates().is_some() {
                counted.promote();
            }
            Ok((stream, service))
        }
        .boxed()
    }
}
