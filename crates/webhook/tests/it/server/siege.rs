//! Many clients that begin requests and do not end them, so that no other client gets an answer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::future::join_all;
use http::StatusCode;
use rstest::rstest;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};
use webhook::server::Bounds;

use super::caller::{HOME, connect, pieces, whole};
use super::running::Running;
use super::{PATIENCE, VALIDATE, good_question, is_allowed};

/// The number of connections in one process that the tests leave free.
const PLACES: usize = 64;
const CALLERS: usize = 8;
const QUESTIONS: usize = 5;

/// Sends the head of a request and its first bytes, waits for the end of the connection, and begins
/// again.
async fn besiege(from: IpAddr, server: (SocketAddr, String), bytes: usize) {
    let (address, authority) = server;
    loop {
        if let Ok(mut connection) = connect(from, address, &authority).await {
            let (sender, body) = pieces();
            let sent = sender.unbounded_send(vec![b' '; bytes].into());
            let ended = connection.post(VALIDATE, body).await;
            drop((sent, ended, sender));
        }
        tokio::task::yield_now().await;
    }
}

/// On its own threads: an API server does not compete with the tests for their processor time.
struct Siege(Option<Runtime>);

impl Siege {
    fn begin(
        from: &[IpAddr],
        besiegers: usize,
        bytes: usize,
        server: &(SocketAddr, String),
    ) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        for from in from.iter().cycle().take(besiegers) {
            runtime.spawn(besiege(*from, server.clone(), bytes));
        }
        Self(Some(runtime))
    }
}

impl Drop for Siege {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A thread that runs every few milliseconds, and records when the machine last delayed it. A
/// client delayed by the machine is late for the server too.
struct Pulse(Arc<Mutex<Option<Instant>>>);

impl Pulse {
    const BEAT: Duration = Duration::from_millis(5);
    const STALL: Duration = Duration::from_millis(50);

    fn begin() -> Self {
        let last_stall = Arc::new(Mutex::new(None));
        let noted = Arc::downgrade(&last_stall);
        std::thread::spawn(move || {
            let mut before = Instant::now();
            while let Some(noted) = noted.upgrade() {
                std::thread::sleep(Self::BEAT);
                if before.elapsed() > Self::STALL {
                    *noted.lock().unwrap() = Some(Instant::now());
                }
                before = Instant::now();
            }
        });
        Self(last_stall)
    }

    /// Whether the machine delayed a thread since then.
    fn stalled_since(&self, time: Instant) -> bool {
        self.0.lock().unwrap().is_some_and(|stall| stall > time)
    }
}

/// Sends each request on a new connection, like an API server whose other connections are busy.
/// When the machine delays everything for a while, the API server is late too, and repeats the
/// request.
async fn ask_often(server: &Running, pulse: &Pulse) {
    let mut answered = 0;
    while answered < QUESTIONS {
        let began = Instant::now();
        match ask(server).await {
            Ok(text) => {
                assert!(is_allowed(&text));
                answered += 1;
            }
            Err(why) => assert!(pulse.stalled_since(began), "no answer: {why}"),
        }
    }
}

async fn ask(server: &Running) -> Result<String, String> {
    let connected = server.connect_from(HOME).await;
    let mut connection = connected.map_err(|e| e.to_string())?;
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    match answer.map_err(|e| e.to_string())? {
        (StatusCode::OK, text) => Ok(text),
        (status, text) => Err(format!("{status}: {text}")),
    }
}

fn strangers(count: u8) -> Vec<IpAddr> {
    let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 1, last));
    (1..=count).map(address).collect()
}

/// The second case is longer than a body's first piece of the budget; together they find too little
/// room.
#[rstest]
#[case::at_the_address_of_the_api_server(vec![HOME], PLACES, 1)]
#[case::at_one_other(strangers(1), PLACES, 1)]
#[case::at_four(strangers(4), PLACES, 1)]
#[case::at_eight(strangers(8), PLACES, 1)]
#[case::at_sixty_four(strangers(64), PLACES, 1)]
#[case::twice_as_many_as_there_are_places(vec![HOME], 2 * PLACES, 1)]
#[case::with_much(strangers(2), PLACES, 100_000)]
#[case::with_much_at_the_address_of_the_api_server(vec![HOME], PLACES, 100_000)]
#[tokio::test]
async fn an_api_server_is_answered_while_others_begin_questions_and_wait(
    #[case] from: Vec<IpAddr>,
    #[case] besiegers: usize,
    #[case] bytes: usize,
) {
    let server = Running::start(Bounds {
        connections: PLACES,
        kib_under_way: 10 * 1024,
        // On a machine that runs many tests, an API server becomes late more slowly.
        patience: Duration::from_millis(700),
        ..Bounds::default()
    });
    let server_of_siege = (server.address, server.authority.clone());
    let siege = Siege::begin(&from, besiegers, bytes, &server_of_siege);
    sleep(Duration::from_millis(500)).await;
    let pulse = Pulse::begin();
    let callers = join_all((0..CALLERS).map(|_| ask_often(&server, &pulse)));
    timeout(3 * PATIENCE, callers).await.unwrap();
    drop(siege);
}
