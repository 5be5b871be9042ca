//! Real certificates: a new pair can be served, and clients that trust its CA accept it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use rstest::rstest;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use webhook::certificates::{IssuedPair, SecretContent, Serving, Unusable, make};

const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 90);

pub fn names() -> Vec<String> {
    ["grove-operator.grove.svc", "127.0.0.1", "::1"]
        .map(String::from)
        .into()
}

pub fn now() -> Timestamp {
    "2026-11-23T10:00:00.5Z".parse().unwrap()
}

pub fn secret(made: &IssuedPair) -> Secret {
    let data = [
        ("tls.crt", &made.certificate),
        ("tls.key", &made.key),
        ("ca.crt", &made.authority),
    ];
    let data = data.map(|(key, value)| (key.to_owned(), ByteString(value.clone().into_bytes())));
    Secret {
        data: Some(BTreeMap::from(data)),
        ..Secret::default()
    }
}

/// Whether a client that trusts these CAs accepts the pair for this name at that time.
pub fn is_believed(serving: &Serving, authorities: &[u8], name: &str, at: Timestamp) -> bool {
    let mut roots = RootCertStore::empty();
    for ca in CertificateDer::pem_slice_iter(authorities) {
        roots.add(ca.unwrap()).unwrap();
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    let Ok(verifier) = verifier.build() else {
        return false;
    };
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let seconds = Duration::from_secs(at.as_second().try_into().unwrap());
    let time = UnixTime::since_unix_epoch(seconds);
    let certificate = &serving.chain[0];
    verifier
        .verify_server_cert(certificate, &[], &name, &[], time)
        .is_ok()
}

#[rstest]
#[case::of_90_days(LIFETIME, SignedDuration::from_hours(24))]
#[case::of_20_seconds(SignedDuration::from_secs(20), SignedDuration::from_secs(10))]
fn a_pair_is_valid_from_a_day_ago_to_the_end_of_its_lifetime(
    #[case] lifetime: SignedDuration,
    #[case] skew: SignedDuration,
) {
    let made = make(&names(), lifetime, now()).unwrap();
    let stored = SecretContent::read(&secret(&made), &names());
    let pair = stored.serving.unwrap();
    let second = Timestamp::from_second(now().as_second()).unwrap();
    assert_eq!(pair.not_before, second - skew);
    assert_eq!(pair.not_after, second + lifetime);
    assert_eq!(pair.signed_by, made.authority);
    assert_eq!(stored.bundle[0].id, made.authority);
}

#[rstest]
#[case::by_its_name("grove-operator.grove.svc", true)]
#[case::by_its_address("127.0.0.1", true)]
#[case::by_its_long_address("::1", true)]
#[case::not_by_another_name("grove-operator.other.svc", false)]
fn a_client_that_trusts_the_ca_accepts_the_certificate(#[case] name: &str, #[case] expected: bool) {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let serving = Serving::read(&secret(&made)).unwrap();
    let ca = made.authority.as_bytes();
    assert_eq!(is_believed(&serving, ca, name, now()), expected);
}

#[test]
fn a_client_with_another_ca_or_after_expiry_refuses_it() {
    let [made, other] = [(); 2].map(|()| make(&names(), LIFETIME, now()).unwrap());
    let serving = Serving::read(&secret(&made)).unwrap();
    let both = made.authority.clone() + &other.authority;
    let late = now() + LIFETIME + SignedDuration::from_secs(1);
    let believed = |cas: &str, at| is_believed(&serving, cas.as_bytes(), "127.0.0.1", at);
    assert!(believed(&both, now()));
    assert!(!believed(&other.authority, now()));
    assert!(!believed(&both, late));
    let early = serving.not_before - SignedDuration::from_secs(1);
    let valid = [early, now(), late].map(|at| serving.is_valid_at(at));
    assert_eq!(valid, [false, true, false]);
}

#[test]
fn a_name_that_the_certificate_does_not_have_is_noticed() {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let wanted = [
        "127.0.0.1",
        "10.0.0.1",
        "Grove-Operator.grove.svc",
        "new.svc",
    ];
    let stored = SecretContent::read(&secret(&made), &wanted.map(String::from));
    let missing = vec!["10.0.0.1".into(), "new.svc".into()];
    assert_eq!(stored.serving, Err(Unusable::NamesMissing(missing)));
}

#[test]
fn the_key_of_another_certificate_is_noticed() {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let key = make(&names(), LIFETIME, now()).unwrap().key;
    let stored = SecretContent::read(&secret(&IssuedPair { key, ..made }), &names());
    let problem = stored.serving.unwrap_err().to_string();
    assert!(
        problem.starts_with("tls.key does not fit tls.crt"),
        "{problem}"
    );
}

#[test]
fn a_certificate_that_no_ca_of_the_bundle_signed_is_noticed() {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let authority = make(&names(), LIFETIME, now()).unwrap().authority;
    let stored = SecretContent::read(&secret(&IssuedPair { authority, ..made }), &names());
    assert_eq!(stored.serving, Err(Unusable::NotSigned));
}

#[rstest]
#[case::missing("tls.key", "", "tls.key is missing")]
#[case::no_key("tls.key", "junk", "tls.key cannot be read")]
#[case::no_pem(
    "tls.crt",
    "junk",
    "tls.crt cannot be read: there is no certificate in it"
)]
#[case::no_certificate(
    "tls.crt",
    "-----BEGIN CERTIFICATE-----\nanVuaw==\n-----END CERTIFICATE-----\n",
    "tls.crt cannot be read"
)]
fn unreadable_keys_are_named(#[case] key: &str, #[case] value: &str, #[case] expected: &str) {
    let mut secret = secret(&make(&names(), LIFETIME, now()).unwrap());
    let value = ByteString(value.as_bytes().to_vec());
    secret.data.as_mut().unwrap().insert(key.into(), value);
    let problem = Serving::read(&secret).unwrap_err().to_string();
    assert!(problem.starts_with(expected), "{problem}");
}

#[test]
fn a_key_is_never_printed() {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let printed = format!("{:?}", Serving::read(&secret(&made)).unwrap());
    let serving = Serving::read(&secret(&made)).unwrap();
    let key = format!("{:?}", serving.key.secret_der());
    assert!(!printed.contains(key.trim_matches(['[', ']'])));
}
