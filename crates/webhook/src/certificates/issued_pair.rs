//! A new pair, with a CA of its own.

use jiff::{SignedDuration, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use time::OffsetDateTime;

/// The tolerated difference of clocks: a certificate is valid before its creation. A short-lived
/// one is not valid for longer before than after, or it would be due for renewal at once.
const MAX_SKEW: SignedDuration = SignedDuration::from_hours(24);
/// How the name of each CA begins.
pub(super) const AUTHORITY_NAME: &str = "grove-operator webhook CA";

/// A certificate, its key, and the CA that signed it, as PEM. The key of the CA is gone.
#[derive(Clone)]
pub struct IssuedPair {
    /// The served certificate.
    pub certificate: String,
    /// Its key.
    pub key: String,
    /// The CA to trust.
    pub authority: String,
}

/// Makes a pair for these DNS names and IP addresses.
pub fn make(
    names: &[String],
    lifetime: SignedDuration,
    now: Timestamp,
) -> Result<IssuedPair, rcgen::Error> {
    let issuer = CertifiedIssuer::self_signed(authority(lifetime, now), KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let certificate = leaf(names, lifetime, now)?.signed_by(&key, &issuer)?;
    Ok(IssuedPair {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
        authority: issuer.pem(),
    })
}

/// Each CA has a unique name, so that a verifier finds the signing one without trying all.
fn authority(lifetime: SignedDuration, now: Timestamp) -> CertificateParams {
    let mut params = valid_for(CertificateParams::default(), lifetime, now);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let name = format!("{AUTHORITY_NAME} {now}");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn leaf(
    names: &[String],
    lifetime: SignedDuration,
    now: Timestamp,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = valid_for(CertificateParams::new(names)?, lifetime, now);
    params.is_ca = IsCa::ExplicitNoCa;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let name = "grove-operator webhook";
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}

fn valid_for(
    mut params: CertificateParams,
    lifetime: SignedDuration,
    now: Timestamp,
) -> CertificateParams {
    let skew = MAX_SKEW.min(lifetime / 2);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.not_before = date(now.checked_sub(skew).unwrap_or(now));
    params.not_after = date(now.checked_add(lifetime).unwrap_or(Timestamp::MAX));
    params
}

/// In whole seconds, as certificates have it.
fn date(at: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(at.as_second()).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
