//! The CA of the API servers' client certificates.

use std::sync::Arc;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// The CA of the API servers' client certificates: other clients get no answer.
#[derive(Clone, Debug)]
pub struct ClientAuthority(Arc<RootCertStore>);

/// Why a text is not a CA.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NoClientAuthority {
    /// The text is empty.
    #[error("there is no certificate in it")]
    Empty,
    /// The text is not PEM, or not a certificate of a CA.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl ClientAuthority {
    /// Reads one or more certificates in PEM.
    pub fn read(pem: &str) -> Result<Self, NoClientAuthority> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let unreadable = |problem: String| NoClientAuthority::Unreadable(problem);
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| unreadable(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(NoClientAuthority::Empty);
        }
        Ok(Self(Arc::new(roots)))
    }

    pub(super) fn roots(&self) -> Arc<RootCertStore> {
        self.0.clone()
    }
}
