//! An admission webhook that accepts requests and never answers.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use super::control_plane::{ControlPlane, fed};
use super::{Namespace, wait};

/// A webhook that is called for each creation of a resource in one namespace, and hangs. Dropping
/// the value removes its configuration and all requests.
pub struct HangingWebhook<'a> {
    control_plane: &'a ControlPlane,
    name: String,
    asked: Arc<Asked>,
    runtime: Option<Runtime>,
}

/// Requests to the webhook.
#[derive(Default)]
struct Asked {
    ever: AtomicUsize,
    /// The requests that their client has not given up.
    now: AtomicUsize,
}

impl<'a> HangingWebhook<'a> {
    /// Registers it for the kind of this example, and waits until the API server calls it.
    pub fn register(ns: &Namespace<'a>, resource: &str, example: &Value) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let listener = listener.unwrap();
        let address = listener.local_addr().unwrap();
        let (tls, certificate) = identity(address.ip());
        let asked = Arc::<Asked>::default();
        runtime.spawn(take_all(listener, tls, asked.clone()));
        let webhook = Self {
            control_plane: ns.control_plane,
            name: format!("{}-{resource}", ns.name),
            asked,
            runtime: Some(runtime),
        };
        let client = json!({
            "url": format!("https://{address}"),
            "caBundle": STANDARD.encode(certificate),
        });
        webhook.configure(&ns.name, resource, &client);
        webhook.wait_until_heeded(ns, example);
        webhook
    }

    fn configure(&self, namespace: &str, resource: &str, client: &Value) {
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": self.name},
            "webhooks": [{
                "name": "hangs.example.com",
                "clientConfig": client,
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "rules": [{
                    "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"],
                    "resources": [resource],
                }],
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": 30,
            }],
        });
        let mut apply = self.control_plane.tool("kubectl", ["apply", "-f", "-"]);
        let applied = fed(&mut apply, &configuration);
        let error = String::from_utf8_lossy(&applied.stderr);
        assert!(applied.status.success(), "{configuration}: {error}");
    }

    /// Sends a dry-run request until one hangs, and gives it up.
    fn wait_until_heeded(&self, ns: &Namespace<'_>, example: &Value) {
        let create = ["create", "--dry-run=server", "--request-timeout=1s"];
        let create = [&create[..], &["-f", "-"]].concat();
        let heeded = wait::until(|| {
            let output = ns.feed(&create, example);
            let has_hung = !output.status.success() && self.asked.ever.load(Ordering::SeqCst) > 0;
            has_hung.then_some(()).ok_or_else(|| format!("{output:?}"))
        });
        heeded.unwrap();
        self.wait_until(0..=0);
    }

    /// The number of hanging requests.
    pub fn hanging(&self) -> usize {
        self.asked.now.load(Ordering::SeqCst)
    }

    /// Waits until that many requests hang.
    pub fn wait_until(&self, counts: RangeInclusive<usize>) {
        let hang = wait::until(|| {
            let now = self.hanging();
            let is_so = counts.contains(&now).then_some(());
            is_so.ok_or_else(|| format!("{now} requests hang, not {counts:?}"))
        });
        hang.unwrap();
    }
}

impl Drop for HangingWebhook<'_> {
    fn drop(&mut self) {
        let what = ["delete", "validatingwebhookconfiguration", &self.name];
        let deleted = self.control_plane.tool("kubectl", what).output();
        // Ends the connections.
        drop(self.runtime.take());
        if !thread::panicking() {
            assert!(deleted.unwrap().status.success());
        }
    }
}

/// A certificate for this address, ready to serve and as PEM.
fn identity(address: IpAddr) -> (TlsAcceptor, String) {
    let own = rcgen::generate_simple_self_signed([address.to_string()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key.into());
    (TlsAcceptor::from(Arc::new(config.unwrap())), own.cert.pem())
}

async fn take_all(listener: TcpListener, tls: TlsAcceptor, asked: Arc<Asked>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(hold(stream, tls.clone(), asked.clone()));
    }
}

/// Reads until the other side gives up.
async fn hold(stream: TcpStream, tls: TlsAcceptor, asked: Arc<Asked>) {
    let Ok(mut stream) = tls.accept(stream).await else {
        return;
    };
    if stream.read_u8().await.is_err() {
        return;
    }
    asked.ever.fetch_add(1, Ordering::SeqCst);
    asked.now.fetch_add(1, Ordering::SeqCst);
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    asked.now.fetch_sub(1, Ordering::SeqCst);
}
