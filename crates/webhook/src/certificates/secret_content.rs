//! The Secret as certificates.

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use pem::{EncodeConfig, LineEnding, Pem};
use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use super::error::Unusable;
use super::issued_pair::AUTHORITY_NAME;
use super::plan::{Ca, Pair};
use super::serving::Serving;

/// The annotation with the time since when all webhooks trust the next pair (RFC 3339).
pub const NEXT_TRUSTED_SINCE: &str = "grove.io/next-trusted-since";
/// The CAs that are to be trusted.
pub(super) const AUTHORITIES: &str = "ca.crt";
pub(super) const SERVING: PairKeys = PairKeys {
    certificate: "tls.crt",
    key: "tls.key",
};
pub(super) const NEXT: PairKeys = PairKeys {
    certificate: "next.crt",
    key: "next.key",
};

/// The two keys of the Secret that hold one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairKeys {
    pub(super) certificate: &'static str,
    pub(super) key: &'static str,
}

/// The content of the Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretContent {
    /// The served pair.
    pub serving: Result<Pair, Unusable>,
    /// The pair to serve next, if one is stored.
    pub next: Option<Result<Pair, Unusable>>,
    /// The CAs that are to be trusted.
    pub bundle: Vec<Ca>,
    /// When all webhooks were seen to trust the next pair.
    pub next_trusted_since: Option<Timestamp>,
}

impl SecretContent {
    /// Reads it. A pair has to have all of these DNS names and IP addresses.
    pub fn read(secret: &Secret, names: &[String]) -> Self {
        let authorities = value(secret, AUTHORITIES).map(authorities_in);
        let bundle = authorities.unwrap_or_default();
        let is_next_there = [NEXT.certificate, NEXT.key]
            .into_iter()
            .any(|key| value(secret, key).is_ok());
        let since = secret.annotations().get(NEXT_TRUSTED_SINCE);
        Self {
            serving: pair(secret, SERVING, names, &bundle),
            next: is_next_there.then(|| pair(secret, NEXT, names, &bundle)),
            next_trusted_since: since.and_then(|since| since.parse().ok()),
            bundle,
        }
    }
}

/// The CAs in this PEM text, each once. Unreadable entries are skipped.
pub fn authorities_in(text: &[u8]) -> Vec<Ca> {
    let mut seen = BTreeSet::new();
    let blocks = pem::parse_many(text).unwrap_or_default();
    let authorities = blocks.iter().filter_map(authority);
    authorities
        .filter(|ca| seen.insert(ca.id.clone()))
        .collect()
}

/// Whether the operator made this CA, by its name.
pub(super) fn is_own(ca: &Ca) -> bool {
    let Ok(block) = pem::parse(&ca.id) else {
        return false;
    };
    X509Certificate::from_der(block.contents()).is_ok_and(|(_, certificate)| {
        let mut names = certificate.subject().iter_common_name();
        names.any(|name| name.as_str().is_ok_and(|n| n.starts_with(AUTHORITY_NAME)))
    })
}

/// Written always the same way, so that two bundles can be compared.
fn authority(block: &Pem) -> Option<Ca> {
    let (_, certificate) = X509Certificate::from_der(block.contents()).ok()?;
    let block = Pem::new("CERTIFICATE", block.contents());
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    Some(Ca {
        id: pem::encode_config(&block, config),
        not_after: validity(&certificate).1,
    })
}

fn pair(
    secret: &Secret,
    keys: PairKeys,
    names: &[String],
    bundle: &[Ca],
) -> Result<Pair, Unusable> {
    let chain = Serving::from_keys(secret, keys)?.chain;
    let certificate = first_of(&chain, keys.certificate)?;
    let missing = missing_names(&certificate, names);
    if !missing.is_empty() {
        return Err(Unusable::NamesMissing(missing));
    }
    let signer = bundle.iter().find(|ca| has_signed(ca, &certificate));
    let signer = signer.ok_or(Unusable::NotSigned)?;
    let (not_before, not_after) = validity(&certificate);
    Ok(Pair {
        not_before,
        not_after: not_after.min(signer.not_after),
        signed_by: signer.id.clone(),
    })
}

/// The value under a key.
pub(super) fn value<'a>(secret: &'a Secret, key: &'static str) -> Result<&'a [u8], Unusable> {
    let value = secret.data.as_ref().and_then(|data| data.get(key));
    let value = value.filter(|value| !value.0.is_empty());
    value.map(|value| &*value.0).ok_or(Unusable::Missing(key))
}

/// The leaf certificate of the chain.
pub(super) fn first_of<'a>(
    chain: &'a [CertificateDer<'static>],
    key: &'static str,
) -> Result<X509Certificate<'a>, Unusable> {
    let unreadable = |problem: String| Unusable::Unreadable { key, problem };
    let first = chain
        .first()
        .ok_or_else(|| unreadable("there is no certificate in it".into()))?;
    let (_, certificate) =
        X509Certificate::from_der(first).map_err(|error| unreadable(error.to_string()))?;
    Ok(certificate)
}

/// From when and until when it is valid.
pub(super) fn validity(certificate: &X509Certificate<'_>) -> (Timestamp, Timestamp) {
    let at = |time: x509_parser::time::ASN1Time| Timestamp::from_second(time.timestamp());
    let validity = certificate.validity();
    (
        at(validity.not_before).unwrap_or(Timestamp::MIN),
        at(validity.not_after).unwrap_or(Timestamp::MAX),
    )
}

fn missing_names(certificate: &X509Certificate<'_>, wanted: &[String]) -> Vec<String> {
    let extension = certificate.subject_alternative_name().ok().flatten();
    let held: BTreeSet<String> = extension
        .iter()
        .flat_map(|names| &names.value.general_names)
        .filter_map(name)
        .collect();
    wanted
        .iter()
        .filter(|name| !held.contains(&normal(name)))
        .cloned()
        .collect()
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some(name.to_lowercase()),
        GeneralName::IPAddress(bytes) => address(bytes).map(|address| address.to_string()),
        _ => None,
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    let v6 = || <[u8; 16]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| v6()).ok()
}

fn normal(name: &str) -> String {
    let address = name.parse().map(|address: IpAddr| address.to_string());
    address.unwrap_or_else(|_| name.to_lowercase())
}

fn has_signed(ca: &Ca, certificate: &X509Certificate<'_>) -> bool {
    let Ok(block) = pem::parse(&ca.id) else {
        return false;
    };
    X509Certificate::from_der(block.contents()).is_ok_and(|(_, ca)| {
        let is_named = ca.subject() == certificate.issuer();
        is_named && certificate.verify_signature(Some(ca.public_key())).is_ok()
    })
}
