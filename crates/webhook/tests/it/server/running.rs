//! A running server.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use futures::FutureExt as _;
use jiff::SignedDuration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use webhook::certificates::{Serving, make};
use webhook::metrics::Metrics;
use webhook::server::{Bounds, ClientAuthority, Server};

use super::caller::{Connection, HOME, connect};
use crate::made_up::judge_of_nothing;
use crate::pairs::{names, now, secret};

const LIFETIME: SignedDuration = SignedDuration::from_hours(1);

/// A usable pair, and its CA.
pub fn pair() -> (Arc<Serving>, String) {
    let made = make(&names(), LIFETIME, now()).unwrap();
    let serving = Serving::read(&secret(&made)).unwrap();
    (Arc::new(serving), made.authority)
}

/// A server with its settings.
pub struct Running {
    pub address: SocketAddr,
    /// The CA of the served certificate.
    pub authority: String,
    pub identity: watch::Sender<Option<Arc<Serving>>>,
    pub metrics: Metrics,
    pub stop: oneshot::Sender<()>,
    pub ended: JoinHandle<io::Result<()>>,
}

impl Running {
    /// Starts it.
    pub fn start(bounds: Bounds) -> Self {
        Self::start_for(bounds, None)
    }

    /// Starts it for clients of that CA.
    pub fn start_for(bounds: Bounds, clients: Option<ClientAuthority>) -> Self {
        let server = Server::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
        let server = server.unwrap().within(bounds).answering(clients);
        let port = server.address().unwrap().port();
        let (serving, authority) = pair();
        let (identity, seen) = watch::channel(Some(serving));
        let (stop, stopped) = oneshot::channel();
        let metrics = Metrics::default();
        let stopped = stopped.map(drop);
        let ended = server.serve(judge_of_nothing(), metrics.clone(), seen, stopped);
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            authority,
            identity,
            metrics,
            stop,
            ended: tokio::spawn(ended),
        }
    }

    /// A connection from the usual address.
    pub async fn connect(&self) -> Connection {
        self.connect_from(HOME).await.unwrap()
    }

    /// A connection from that address, if the server accepts it.
    pub async fn connect_from(&self, from: IpAddr) -> io::Result<Connection> {
        connect(from, self.address, &self.authority).await
    }
}
