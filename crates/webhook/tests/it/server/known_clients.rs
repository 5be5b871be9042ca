//! API servers with a client certificate.

use rcgen::{
    CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use rstest::rstest;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use webhook::server::{Bounds, ClientAuthority, NoClientAuthority};

use super::caller::{HOME, Shown, connect_as, whole};
use super::running::Running;
use super::{PATIENCE, VALIDATE, good_question, is_allowed, patient};

/// A CA of clients as PEM, and a client with its certificate.
fn authority_and_client() -> (String, Shown) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["kube-apiserver".to_owned()]).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let certificate = params.signed_by(&key, &issuer).unwrap();
    let shown = Shown {
        chain: vec![CertificateDer::from(certificate.der().to_vec())],
        key: PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap(),
    };
    (issuer.pem(), shown)
}

fn start(bounds: Bounds, authority: &str) -> Running {
    let clients = ClientAuthority::read(authority).unwrap();
    Running::start_for(bounds, Some(clients))
}

/// Whether a request gets an answer.
async fn is_answered(server: &Running, shown: Option<&Shown>) -> bool {
    let connection = connect_as(shown, HOME, server.address, &server.authority).await;
    let Ok(mut connection) = connection else {
        return false;
    };
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    answer.is_ok_and(|(_, text)| is_allowed(&text))
}

#[tokio::test]
async fn only_clients_of_the_ca_are_answered() {
    let (authority, client) = authority_and_client();
    let (_, stranger) = authority_and_client();
    let server = start(patient(), &authority);
    assert!(is_answered(&server, Some(&client)).await);
    assert!(!is_answered(&server, Some(&stranger)).await);
    assert!(!is_answered(&server, None).await);
}

#[tokio::test]
async fn without_a_ca_everybody_is() {
    let (_, client) = authority_and_client();
    let server = Running::start(patient());
    assert!(is_answered(&server, Some(&client)).await);
    assert!(is_answered(&server, None).await);
}

#[tokio::test]
async fn strangers_take_no_place_of_known_clients() {
    const PLACES: usize = 4;
    let (authority, client) = authority_and_client();
    let server = start(
        Bounds {
            connections: PLACES,
            patience: std::time::Duration::from_millis(100),
            ..patient()
        },
        &authority,
    );
    let connect = || connect_as(Some(&client), HOME, server.address, &server.authority);
    let mut known = Vec::new();
    for _ in 0..PLACES {
        known.push(connect().await.unwrap());
    }
    for connection in &mut known {
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
    let mut strangers = Vec::new();
    for _ in 0..3 * PLACES {
        strangers.push(TcpStream::connect(server.address).await.unwrap());
    }
    // One more: the known connection that is idle for longest goes.
    let mut new = timeout(PATIENCE, connect()).await.unwrap().unwrap();
    let answer = new.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
    timeout(PATIENCE, known[0].closed()).await.unwrap();
    for connection in &mut known[1..] {
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
}

#[rstest]
#[case::nothing("", "there is no certificate in it")]
#[case::no_pem("junk", "there is no certificate in it")]
#[case::no_certificate(
    "-----BEGIN CERTIFICATE-----\nanVuaw==\n-----END CERTIFICATE-----\n",
    "it cannot be read: "
)]
fn a_file_without_a_ca_is_reported(#[case] pem: &str, #[case] expected: &str) {
    let error: NoClientAuthority = ClientAuthority::read(pem).unwrap_err();
    assert!(error.to_string().starts_with(expected), "{error}");
}
