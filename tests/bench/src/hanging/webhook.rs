//! An admission webhook that accepts requests about pods and never answers.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::calls;

const CONFIGURATIONS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
/// Namespaces with this label go through the webhook.
const LABEL: (&str, &str) = ("bench.example.com/pods", "hang");
/// The longest that an API server waits.
const TIMEOUT_SECONDS: u32 = 30;

/// It listens for as long as this is kept.
pub struct HangingWebhook {
    asked: Arc<AtomicUsize>,
    listening: JoinHandle<()>,
}

impl HangingWebhook {
    /// Registers it.
    pub async fn register(user: &Client) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let own = rcgen::generate_simple_self_signed([address.ip().to_string()])?;
        let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key.into())
            .context("the certificate of the webhook that hangs")?;
        let tls = TlsAcceptor::from(Arc::new(config));
        let asked = Arc::<AtomicUsize>::default();
        let listening = tokio::spawn(take_all(listener, tls, asked.clone()));
        let configuration = json!({
            "metadata": {"name": "bench-hangs"},
            "webhooks": [{
                "name": "hangs.example.com",
                "clientConfig": {
                    "url": format!("https://{address}"),
                    "caBundle": STANDARD.encode(own.cert.pem()),
                },
                "namespaceSelector": {"matchLabels": {LABEL.0: LABEL.1}},
                "rules": [{
                    "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                    "resources": ["pods"],
                }],
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": TIMEOUT_SECONDS,
            }],
        });
        calls::send::<IgnoredAny>(user, calls::post(CONFIGURATIONS, &configuration)?).await?;
        Ok(Self { asked, listening })
    }

    /// Labels of the namespaces that go through it.
    pub fn labels() -> BTreeMap<&'static str, &'static str> {
        BTreeMap::from([LABEL])
    }

    /// Requests that hang now.
    pub fn hanging(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Drop for HangingWebhook {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn take_all(listener: TcpListener, tls: TlsAcceptor, asked: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(hold(stream, tls.clone(), asked.clone()));
    }
}

/// Reads until the other side gives up.
async fn hold(stream: TcpStream, tls: TlsAcceptor, asked: Arc<AtomicUsize>) {
    let Ok(mut stream) = tls.accept(stream).await else {
        return;
    };
    if stream.read_u8().await.is_err() {
        return;
    }
    asked.fetch_add(1, Ordering::SeqCst);
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    asked.fetch_sub(1, Ordering::SeqCst);
}
