//! Probes and metrics, also on a busy runtime.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use api::PodClique;
use engine::admin::{Page, Server};
use engine::heartbeat::{Heartbeat, LONGEST_SILENCE};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::server::context;

/// Starts a server; the address of its probes.
fn start() -> SocketAddr {
    let (probes, _) = start_both();
    probes
}

/// The same, with that of its metrics.
fn start_both() -> (SocketAddr, SocketAddr) {
    let (context, _) = context(Vec::new());
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(any, any).unwrap();
    let addresses = (server.address().unwrap(), server.metrics_address().unwrap());
    tokio::spawn(server.serve(context));
    addresses
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).unwrap();
    stream
}

/// Sends a request while no other task of this runtime can run.
fn is_healthy(address: SocketAddr) -> bool {
    let mut stream = connect(address);
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("ok\n")
}

#[tokio::test]
async fn a_long_decision_fails_no_probe() {
    let address = start();
    tokio::task::yield_now().await;
    // This thread is the whole runtime, and it is busy.
    assert!(is_healthy(address));
}

#[test]
fn a_runtime_that_stands_still_is_noticed_and_a_busy_one_is_not() {
    let heartbeat = Heartbeat::default();
    let now = Instant::now();
    assert_eq!(heartbeat.silence(now + Duration::from_secs(29)), None);
    let silence = heartbeat.silence(now + Duration::from_secs(31));
    assert!(silence.is_some_and(|silence| silence > LONGEST_SILENCE));
}

#[tokio::test]
async fn connections_that_are_held_open_shut_nobody_out() {
    let address = start();
    tokio::task::yield_now().await;
    let mut held: Vec<_> = (0..200).map(|_| connect(address)).collect();
    assert!(is_healthy(address));
    let mut oldest = held.remove(0);
    let ended = oldest.read(&mut [0]);
    assert!(!matches!(ended, Ok(1..)), "it is closed: {ended:?}");
}

#[tokio::test]
async fn a_client_that_sends_no_request_is_not_waited_for() {
    let address = start();
    tokio::task::yield_now().await;
    let mut slow = connect(address);
    slow.write_all(b"GET /heal").unwrap();
    // The answer before the connection is closed does not matter.
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).unwrap();
}

#[tokio::test(start_paused = true)]
async fn objects_are_counted_once_a_second_however_often_clients_ask() {
    let (context, _) = context(Vec::new());
    let page = Page::new(context.clone());
    let before = page.text();
    let metadata = ObjectMeta {
        name: Some("a".into()),
        resource_version: Some("1".into()),
        ..ObjectMeta::default()
    };
    context.caches.of::<PodClique>().apply(PodClique {
        metadata,
        ..PodClique::default()
    });
    assert_eq!(page.text(), before);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_ne!(page.text(), before);
}

/// The content type that a scraper gets, and a text that conforms to it.
#[tokio::test]
async fn metrics_are_announced_in_their_format() {
    let (_, address) = start_both();
    tokio::task::yield_now().await;
    let mut stream = connect(address);
    let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let announced = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n";
    assert!(answer.contains(announced), "{answer}");
    assert!(answer.ends_with("# EOF\n"), "{answer}");
}
