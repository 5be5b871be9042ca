//! More connections and requests than there is room for.

use std::net::IpAddr;
use std::time::Duration;

use futures::channel::mpsc::UnboundedSender;
use futures::future::join_all;
use http::StatusCode;
use hyper::body::Bytes;
use rstest::rstest;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use webhook::server::{Bounds, MAX_BODY};

use super::caller::{Answered, Connection, ELSEWHERE, HOME, pieces, whole};
use super::running::Running;
use super::{MIB, PATIENCE, VALIDATE, good_question, impatient, is_allowed, patient};

/// A request that is under way until its rest is sent.
struct UnderWay {
    _connection: Connection,
    rest: UnboundedSender<Bytes>,
    answer: JoinHandle<Answered>,
}

async fn begin_question(server: &Running) -> UnderWay {
    begin_question_from(server, HOME).await
}

async fn begin_question_from(server: &Running, from: IpAddr) -> UnderWay {
    let mut connection = server.connect_from(from).await.unwrap();
    let (rest, body) = pieces();
    let text = Bytes::from(good_question());
    rest.unbounded_send(text.slice(..20)).unwrap();
    let answer = tokio::spawn(connection.post(VALIDATE, body));
    sleep(Duration::from_millis(200)).await;
    UnderWay {
        _connection: connection,
        rest,
        answer,
    }
}

impl UnderWay {
    async fn answer_allows(self) -> bool {
        let text = Bytes::from(good_question());
        self.rest.unbounded_send(text.slice(20..)).unwrap();
        drop(self.rest);
        is_allowed(&self.answer.await.unwrap().unwrap().1)
    }
}

/// A client that is never late for even a moment keeps its place for that long.
fn short_of_places(connections: usize) -> Bounds {
    Bounds {
        connections,
        patience: Duration::from_millis(100),
        ..patient()
    }
}

#[tokio::test]
async fn the_address_with_most_places_gives_some_up_to_another() {
    let server = Running::start(short_of_places(3));
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(begin_question(&server).await);
    }
    let mut other = server.connect_from(ELSEWHERE).await.unwrap();
    let answer = other.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
    // The connection that kept the server waiting for longest.
    let (status, text) = open.remove(0).answer.await.unwrap().unwrap();
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.starts_with("too many connections"), "{text}");
    assert_eq!(server.metrics.connections_cut.get(), 1);
    for question in open {
        assert!(question.answer_allows().await);
    }
}

#[tokio::test]
async fn an_address_with_many_takes_no_place_of_one_that_has_few() {
    let server = Running::start(short_of_places(3));
    let few = begin_question_from(&server, ELSEWHERE).await;
    let mut many = Vec::new();
    for _ in 0..6 {
        many.push(begin_question(&server).await);
    }
    assert!(few.answer_allows().await);
    let kept = many.split_off(4);
    for question in many {
        let (status, _) = question.answer.await.unwrap().unwrap();
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    }
    for question in kept {
        assert!(question.answer_allows().await);
    }
}

/// The new connection waits until another is late, or more wait than there are places.
#[tokio::test]
async fn no_connection_loses_its_place_before_it_had_time_for_a_request() {
    let server = Running::start(Bounds {
        connections: 1,
        ..patient()
    });
    let first = begin_question(&server).await;
    let waiting = server.connect_from(HOME);
    let waited = timeout(Duration::from_millis(300), waiting).await;
    assert!(waited.is_err());
    assert!(first.answer_allows().await);
    let waiting = timeout(PATIENCE, server.connect_from(HOME)).await;
    assert!(waiting.unwrap().is_ok());
}

#[rstest]
#[case::for_its_own_address(HOME)]
#[case::for_another_one(ELSEWHERE)]
#[tokio::test]
async fn a_new_connection_ends_the_one_that_is_idle_for_longest(#[case] from: IpAddr) {
    let server = Running::start(Bounds {
        connections: 3,
        ..patient()
    });
    let busy = begin_question(&server).await;
    let [mut first, mut second] = [server.connect().await, server.connect().await];
    for connection in [&mut second, &mut first] {
        sleep(Duration::from_millis(20)).await;
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
    let mut new = server.connect_from(from).await.unwrap();
    timeout(PATIENCE, second.closed()).await.unwrap();
    for connection in [&mut first, &mut new] {
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
    assert!(busy.answer_allows().await);
}

#[tokio::test]
async fn many_new_connections_at_once_find_places_of_idle_ones() {
    const MANY: usize = 16;
    let server = Running::start(Bounds {
        connections: MANY,
        ..Bounds::default()
    });
    let mut idle = Vec::new();
    for _ in 0..MANY {
        let mut connection = server.connect().await;
        // The server may first have to read the end of the handshake; until then this connection is
        // not idle for longer than a new one.
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
        idle.push(connection);
    }
    let new = join_all((0..MANY).map(|_| server.connect_from(HOME))).await;
    for connection in new {
        let mut connection = connection.unwrap();
        let answer = connection.ask(VALIDATE, whole(good_question())).await;
        assert!(is_allowed(&answer.unwrap().1));
    }
}

#[tokio::test]
async fn a_silent_connection_loses_its_place() {
    let server = Running::start(Bounds {
        connections: 1,
        idle: Duration::from_millis(300),
        deadline: Duration::from_millis(300),
        ..impatient()
    });
    let _silent = TcpStream::connect(server.address).await.unwrap();
    // On a busy machine this connection may be late too, and lose its place before its request.
    let answered = async {
        loop {
            if let Ok(mut connection) = server.connect_from(HOME).await
                && let Ok(answer) = connection.ask(VALIDATE, whole(good_question())).await
            {
                return (connection, answer);
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    let (mut connection, answer) = timeout(PATIENCE, answered).await.unwrap();
    assert!(is_allowed(&answer.1));
    timeout(PATIENCE, connection.closed()).await.unwrap();
}

#[tokio::test]
async fn an_announced_body_that_is_not_sent_keeps_no_client_out() {
    let server = Running::start(patient());
    let mut silent = Vec::new();
    for _ in 0..16 {
        let mut connection = server.connect().await;
        let (sender, answer) = connection.announce(VALIDATE, MAX_BODY);
        silent.push((connection, sender, tokio::spawn(answer)));
    }
    sleep(Duration::from_millis(200)).await;
    let mut connection = server.connect().await;
    let asked = connection.ask(VALIDATE, whole(good_question()));
    let answer = timeout(PATIENCE / 4, asked).await.unwrap();
    assert!(is_allowed(&answer.unwrap().1));
}

/// A request after that many spaces.
fn padded(spaces: usize) -> Bytes {
    Bytes::from(" ".repeat(spaces) + &good_question())
}

#[tokio::test]
async fn one_address_does_not_take_all_the_room() {
    let server = Running::start(Bounds {
        patience: Duration::from_millis(100),
        ..patient()
    });
    // Three of them hold all the room.
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let mut connection = server.connect().await;
        let (sender, body) = pieces();
        sender.unbounded_send(padded(6 * MIB)).unwrap();
        let answer = tokio::spawn(connection.post(VALIDATE, body));
        waiting.push((connection, sender, answer));
    }
    sleep(Duration::from_millis(500)).await;
    let mut other = server.connect_from(ELSEWHERE).await.unwrap();
    let asked = other.ask(VALIDATE, whole(padded(5 * MIB)));
    let answer = timeout(PATIENCE / 2, asked).await.unwrap();
    assert!(is_allowed(&answer.unwrap().1));
}

#[tokio::test]
async fn bodies_that_are_half_read_do_not_wait_for_each_other() {
    let server = Running::start(patient());
    let mut connections = Vec::new();
    for _ in 0..6 {
        connections.push(server.connect().await);
    }
    let asked = connections
        .iter_mut()
        .map(|connection| connection.ask(VALIDATE, whole(padded(7 * MIB))));
    for answer in timeout(PATIENCE, join_all(asked)).await.unwrap() {
        assert!(is_allowed(&answer.unwrap().1));
    }
}

#[tokio::test]
async fn questions_for_which_there_is_no_room_wait_and_are_answered() {
    let server = Running::start(Bounds {
        kib_under_way: 0,
        ..patient()
    });
    let [mut first, mut second] = [server.connect().await, server.connect().await];
    // There is room for one large request at a time.
    let (sender, body) = pieces();
    let text = padded(100_000);
    sender.unbounded_send(text.slice(..90_000)).unwrap();
    let taking = tokio::spawn(first.post(VALIDATE, body));
    let mut waiting = tokio::spawn(async move {
        sleep(Duration::from_millis(100)).await;
        second.ask(VALIDATE, whole(padded(100_000))).await
    });
    assert!(
        timeout(Duration::from_millis(400), &mut waiting)
            .await
            .is_err()
    );
    sender.unbounded_send(text.slice(90_000..)).unwrap();
    drop(sender);
    assert!(is_allowed(&taking.await.unwrap().unwrap().1));
    assert!(is_allowed(&waiting.await.unwrap().unwrap().1));
}

/// The rule for sharing the room: each of that many addresses gets an answer while all others
/// stall.
#[rstest]
#[case(1)]
#[case(4)]
#[case(8)]
#[case(64)]
#[tokio::test]
async fn a_stalled_large_body_keeps_no_client_out_of_the_room(#[case] addresses: u8) {
    let server = Running::start(Bounds {
        kib_under_way: 10 * 1024,
        patience: Duration::from_millis(100),
        ..patient()
    });
    let mut stalling = Vec::new();
    for last in 1..=addresses {
        let from = IpAddr::from([127, 0, 2, last]);
        for _ in 0..(64 / addresses) {
            let mut connection = server.connect_from(from).await.unwrap();
            let (sender, answer) = connection.announce(VALIDATE, MIB);
            sender.unbounded_send(padded(100_000)).unwrap();
            stalling.push((connection, sender, tokio::spawn(answer)));
        }
    }
    for from in [HOME, IpAddr::from([127, 0, 2, 1])] {
        let mut connection = server.connect_from(from).await.unwrap();
        let asked = connection.ask(VALIDATE, whole(padded(200_000)));
        let answer = timeout(PATIENCE / 4, asked).await.unwrap();
        assert!(is_allowed(&answer.unwrap().1));
    }
}
