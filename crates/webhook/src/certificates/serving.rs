//! A certificate and its key, in the form of TLS.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::error::Unusable;
use super::secret_content::{self, PairKeys};

/// The served certificate.
#[derive(Debug)]
pub struct Serving {
    /// The chain in `tls.crt`, as DER.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its key, which prints as nothing.
    pub key: PrivateKeyDer<'static>,
    /// Both, as a rustls certificate resolver hands them out.
    pub certified_key: Arc<CertifiedKey>,
    /// From when the certificate is valid.
    pub not_before: Timestamp,
    /// When the certificate expires.
    pub not_after: Timestamp,
}

impl Serving {
    /// The certificate that this Secret serves.
    pub fn read(secret: &Secret) -> Result<Self, Unusable> {
        Self::from_keys(secret, secret_content::SERVING)
    }

    /// A certificate and its key, which have to fit each other.
    pub(super) fn from_keys(secret: &Secret, keys: PairKeys) -> Result<Self, Unusable> {
        let chain = chain(secret, keys.certificate)?;
        let (not_before, not_after) =
            secret_content::validity(&secret_content::first_of(&chain, keys.certificate)?);
        let key = PrivateKeyDer::from_pem_slice(secret_content::value(secret, keys.key)?);
        let key = key.map_err(|error| Unusable::Unreadable {
            key: keys.key,
            problem: error.to_string(),
        })?;
        let provider = ring::default_provider();
        let certified = CertifiedKey::from_der(chain.clone(), key.clone_key(), &provider);
        let certified = certified.map_err(|error| Unusable::KeyDoesNotFit {
            key: keys.key,
            certificate: keys.certificate,
            problem: error.to_string(),
        })?;
        Ok(Self {
            not_before,
            not_after,
            certified_key: Arc::new(certified),
            chain,
            key,
        })
    }

    /// Whether clients with this time accept it.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.not_before <= now && now < self.not_after
    }

    /// Whether it is the same as that.
    pub fn is(&self, other: &Self) -> bool {
        self.chain == other.chain && self.key == other.key
    }
}

fn chain(secret: &Secret, key: &'static str) -> Result<Vec<CertificateDer<'static>>, Unusable> {
    let text = secret_content::value(secret, key)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    chain.map_err(|error| Unusable::Unreadable {
        key,
        problem: error.to_string(),
    })
}
