//! More connections and questions than there is room for.

use std::time::Duration;

use hyper::body::Bytes;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use webhook::server::Bounds;

use super::caller::{ELSEWHERE, HOME, pieces, whole};
use super::running::Running;
use super::{PATIENCE, VALIDATE, good_question, impatient, is_allowed};

#[tokio::test]
async fn an_address_with_too_many_connections_is_refused_and_another_one_is_served() {
    let server = Running::start(Bounds {
        connections_of_address: 3,
        ..Bounds::default()
    });
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(server.connect().await);
    }
    assert!(server.connect_from(HOME).await.is_err());
    let mut other = server.connect_from(ELSEWHERE).await.unwrap();
    let answer = other.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
    for connection in &mut open {
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
    open.pop();
    let admitted = async { while server.connect_from(HOME).await.is_err() {} };
    timeout(PATIENCE, admitted).await.unwrap();
}

#[tokio::test]
async fn there_are_not_more_connections_than_allowed_in_all() {
    let server = Running::start(Bounds {
        connections: 2,
        ..Bounds::default()
    });
    let _open = [server.connect().await, server.connect().await];
    assert!(server.connect_from(ELSEWHERE).await.is_err());
}

#[tokio::test]
async fn who_connects_and_says_nothing_loses_the_place() {
    let server = Running::start(Bounds {
        connections_of_address: 1,
        idle: Duration::from_millis(300),
        ..impatient()
    });
    let _silent = TcpStream::connect(server.address).await.unwrap();
    let admitted = async {
        loop {
            match server.connect_from(HOME).await {
                Ok(connection) => return connection,
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let mut connection = timeout(PATIENCE, admitted).await.unwrap();
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
    timeout(PATIENCE, connection.closed()).await.unwrap();
}

#[tokio::test]
async fn questions_for_which_there_is_no_room_wait_and_are_answered() {
    let server = Running::start(Bounds {
        kib_under_way: 0,
        deadline: PATIENCE,
        ..Bounds::default()
    });
    let [mut first, mut second] = [server.connect().await, server.connect().await];
    // Its length is unknown: it takes all the room.
    let (sender, body) = pieces();
    let text = Bytes::from(good_question());
    sender.unbounded_send(text.slice(..20)).unwrap();
    let taking = tokio::spawn(first.post(VALIDATE, body));
    let mut waiting = tokio::spawn(async move {
        sleep(Duration::from_millis(100)).await;
        second.ask(VALIDATE, whole(good_question())).await
    });
    assert!(
        timeout(Duration::from_millis(400), &mut waiting)
            .await
            .is_err()
    );
    sender.unbounded_send(text.slice(20..)).unwrap();
    drop(sender);
    assert!(is_allowed(&taking.await.unwrap().unwrap().1));
    assert!(is_allowed(&waiting.await.unwrap().unwrap().1));
}
