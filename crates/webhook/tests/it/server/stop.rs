//! How the server ends.

use std::time::Duration;

use hyper::body::Bytes;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use webhook::server::Bounds;

use super::caller::{pieces, whole};
use super::running::Running;
use super::{PATIENCE, VALIDATE, good_question, is_allowed};

fn patient() -> Bounds {
    Bounds {
        grace: PATIENCE,
        ..super::patient()
    }
}

async fn until_refused(server: &Running) {
    let refused = async {
        while TcpStream::connect(server.address).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, refused).await.unwrap();
}

#[tokio::test]
async fn running_requests_are_answered_and_new_connections_are_refused() {
    let mut server = Running::start(patient());
    let mut connection = server.connect().await;
    let mut idle = server.connect().await;
    let (sender, body) = pieces();
    let text = Bytes::from(good_question());
    sender.unbounded_send(text.slice(..20)).unwrap();
    let asked = tokio::spawn(connection.post(VALIDATE, body));
    sleep(Duration::from_millis(200)).await;
    let (stop, _) = tokio::sync::oneshot::channel();
    std::mem::replace(&mut server.stop, stop).send(()).unwrap();
    until_refused(&server).await;
    timeout(PATIENCE, idle.closed()).await.unwrap();
    assert!(!server.ended.is_finished());
    sender.unbounded_send(text.slice(20..)).unwrap();
    drop(sender);
    assert!(is_allowed(&asked.await.unwrap().unwrap().1));
    let ended = timeout(PATIENCE, server.ended).await.unwrap();
    ended.unwrap().unwrap();
}

#[tokio::test]
async fn requests_that_run_for_too_long_are_given_up() {
    let server = Running::start(Bounds {
        grace: Duration::from_millis(200),
        ..patient()
    });
    let mut connection = server.connect().await;
    let (_sender, body) = pieces();
    let asked = tokio::spawn(connection.post(VALIDATE, body));
    sleep(Duration::from_millis(100)).await;
    let began = Instant::now();
    server.stop.send(()).unwrap();
    let ended = timeout(PATIENCE / 2, server.ended).await.unwrap();
    ended.unwrap().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(200));
    assert!(asked.await.unwrap().is_err());
}

#[tokio::test]
async fn it_ends_without_a_source_of_certificates() {
    let server = Running::start(patient());
    let mut connection = server.connect().await;
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
    drop(server.identity);
    let ended = timeout(PATIENCE, server.ended).await.unwrap();
    ended.unwrap().unwrap();
}
