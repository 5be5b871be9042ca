//! The admission webhook.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use api::GoDuration;
use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::IgnoredAny;
use webhook::server::ClientAuthority;

use super::{ConfigError, positive, problem};

const SECONDS_OF_90_DAYS: i64 = 90 * 24 * 60 * 60;

/// The admission webhook (Grove, `server.webhooks`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Webhooks {
    bind_address: Option<IpAddr>,
    port: Option<u16>,
    secret_name: Option<String>,
    /// The provider of the certificate. Default `auto`.
    pub cert_provision_mode: CertProvisionMode,
    cert_lifetime: Option<GoDuration>,
    service_name: Option<String>,
    /// The address at which the API server calls the webhook of an operator that is outside its
    /// cluster: `https://<host>:<port>`. Default: by the Service.
    pub url: Option<String>,
    #[serde(rename = "clientCA")]
    client_ca: Option<String>,
    mutating_configurations: Option<Vec<String>>,
    validating_configurations: Option<Vec<String>>,
    server_cert_dir: Option<IgnoredAny>,
}

/// The provider of the certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CertProvisionMode {
    /// The leading operator creates it, replaces it in time, and makes the API server trust it.
    #[default]
    Auto,
    /// Another program, such as cert-manager, writes the Secret and the configurations' `caBundle`.
    Manual,
}

impl Webhooks {
    /// The address to listen on. Default: port 2750 of all addresses.
    pub fn address(&self) -> SocketAddr {
        let ip = self
            .bind_address
            .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        SocketAddr::new(ip, self.port.unwrap_or(2750))
    }

    /// The Secret with the certificate. Default `grove-webhook-server-cert`.
    pub fn secret_name(&self) -> String {
        let named = self.secret_name.as_deref();
        named.unwrap_or("grove-webhook-server-cert").to_owned()
    }

    /// How long a certificate is valid. Default 90 days.
    pub fn cert_lifetime(&self) -> SignedDuration {
        let parsed = self.cert_lifetime.as_ref().and_then(|d| d.parse().ok());
        parsed.unwrap_or(SignedDuration::from_secs(SECONDS_OF_90_DAYS))
    }

    /// The names in its certificate: the Service's names, and the host of the URL.
    pub fn names(&self, namespace: &str) -> Vec<String> {
        let service = self.service_name.as_deref().unwrap_or("grove-operator");
        let host = self.url.as_deref().and_then(host_of);
        let of_service = [
            format!("{service}.{namespace}.svc"),
            service.to_owned(),
            format!("{service}.{namespace}"),
            format!("{service}.{namespace}.svc.cluster.local"),
        ];
        of_service.into_iter().chain(host).collect()
    }

    /// The CA of the client certificates of API servers; then only these clients are answered.
    /// Default: all clients are.
    pub fn clients(&self) -> Option<ClientAuthority> {
        ClientAuthority::read(self.client_ca.as_deref()?).ok()
    }

    /// Names of the mutating configurations with a `caBundle` to maintain. Default: Grove's name.
    pub fn mutating_configurations(&self) -> Vec<String> {
        let named = self.mutating_configurations.clone();
        named.unwrap_or_else(|| vec!["podcliqueset-defaulting-webhook".into()])
    }

    /// Names of the validating configurations with a `caBundle` to maintain. Default: Grove's
    /// names.
    pub fn validating_configurations(&self) -> Vec<String> {
        let grove = [
            "podcliqueset-validating-webhook",
            "clustertopology-validating-webhook",
            "authorizer-webhook",
        ];
        let named = self.validating_configurations.clone();
        named.unwrap_or_else(|| grove.map(str::to_owned).to_vec())
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let key = |name: &str| format!("server.webhooks.{name}");
        if self.server_cert_dir.is_some() {
            let text = "the certificate is read from the Secret secretName; remove this key";
            return Err(problem(&key("serverCertDir"), text));
        }
        positive(&key("certLifetime"), self.cert_lifetime.as_ref(), "2160h")?;
        if let Some(Err(error)) = self.client_ca.as_deref().map(ClientAuthority::read) {
            let text = format!(
                "{error}; give the PEM of the CA that signs the client certificates of API servers, or \
                 remove this key: then the webhook answers every client"
            );
            return Err(problem(&key("clientCA"), &text));
        }
        match &self.url {
            Some(url) if host_of(url).is_none() => {
                let text = format!("{url:?} must be https://<host>:<port>");
                Err(problem(&key("url"), &text))
            }
            _ => Ok(()),
        }
    }
}

fn host_of(url: &str) -> Option<String> {
    let uri: http::Uri = url.parse().ok()?;
    let is_https = uri.scheme_str() == Some("https");
    let host = uri.host().filter(|_| is_https)?;
    Some(host.trim_matches(['[', ']']).to_owned())
}
