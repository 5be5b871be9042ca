//! The open connections, and those that wait for a place.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::connection::Connection;
use crate::server::victim::{Candidate, choose_victim};

/// When this many times the number of places wait, no connection gets time to become late.
const MANY_WAIT: usize = 4;

/// Connections with a place, and waiting ones.
#[derive(Debug)]
pub(super) struct Book {
    connections: HashMap<SocketAddr, Arc<Connection>>,
    queue: Vec<Waiting>,
    /// Places of unknown clients; known clients have as many again.
    places: usize,
    patience: Duration,
}

#[derive(Debug)]
struct Waiting {
    peer: SocketAddr,
    place: oneshot::Sender<Arc<Connection>>,
}

impl Book {
    /// No connections.
    pub(super) fn new(places: usize, patience: Duration) -> Self {
        Self {
            connections: HashMap::new(),
            queue: Vec::new(),
            places,
            patience,
        }
    }

    /// Adds a connection that waits for a place.
    pub(super) fn enqueue(&mut self, peer: SocketAddr) -> oneshot::Receiver<Arc<Connection>> {
        let (place, given) = oneshot::channel();
        self.queue.push(Waiting { peer, place });
        given
    }

    pub(super) fn find(&self, peer: SocketAddr) -> Option<Arc<Connection>> {
        self.connections.get(&peer).cloned()
    }

    pub(super) fn remove(&mut self, peer: SocketAddr) {
        self.connections.remove(&peer);
    }

    /// Gives away the free places, and closes connections for the waiting ones. Returns the number
    /// of closed ones.
    pub(super) fn settle(&mut self) -> u64 {
        self.queue.retain(|waiting| !waiting.place.is_closed());
        while self.count_unknown() < self.places && !self.queue.is_empty() {
            self.give_place();
        }
        let leaving = self
            .unknown()
            .filter(|(_, connection)| connection.is_ending())
            .count();
        let is_pressed = self.queue.len() > MANY_WAIT * self.places;
        let newcomers = self.queue.iter().skip(leaving);
        newcomers
            .map_while(|waiting| {
                let unknown = self.unknown();
                end_one(unknown, waiting.peer.ip(), is_pressed, self.patience, |_| 1)
            })
            .fold(0, |count, ()| count + 1)
    }

    /// The client is known: it gets a reserved place. Returns whether another connection was
    /// closed.
    pub(super) fn promote(&mut self, peer: SocketAddr) -> bool {
        let Some(connection) = self.connections.get(&peer) else {
            return false;
        };
        connection.set_known();
        let known = || {
            self.connections
                .iter()
                .filter(|(_, connection)| connection.is_known())
        };
        known().count() > self.places
            && end_one(known(), peer.ip(), true, self.patience, |_| 1).is_some()
    }

    /// A request from that address finds no room: a late request that holds some is closed. Returns
    /// whether there was one: one is closed at a time.
    pub(super) fn free_budget(&mut self, address: IpAddr) -> bool {
        let holding = || {
            self.connections
                .iter()
                .filter(|(_, connection)| connection.holds() > 0)
        };
        !holding().any(|(_, connection)| connection.is_ending())
            && end_one(holding(), address, false, self.patience, Connection::holds).is_some()
    }

    /// Gives the place to the address with the fewest, and there to the first in the queue.
    fn give_place(&mut self) {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for (peer, _) in self.unknown() {
            *counts.entry(peer.ip()).or_default() += 1;
        }
        let count = |waiting: &Waiting| counts.get(&waiting.peer.ip()).copied();
        let Some((next, _)) = self
            .queue
            .iter()
            .enumerate()
            .min_by_key(|(_, waiting)| count(waiting))
        else {
            return;
        };
        let next = self.queue.remove(next);
        let connection = Arc::<Connection>::default();
        if next.place.send(connection.clone()).is_ok() {
            self.connections.insert(next.peer, connection);
        }
    }

    fn unknown(&self) -> impl Iterator<Item = (&SocketAddr, &Arc<Connection>)> {
        self.connections
            .iter()
            .filter(|(_, connection)| !connection.is_known())
    }

    fn count_unknown(&self) -> usize {
        self.unknown().count()
    }
}

fn end_one<'a>(
    connections: impl Iterator<Item = (&'a SocketAddr, &'a Arc<Connection>)>,
    newcomer: IpAddr,
    is_pressed: bool,
    patience: Duration,
    holds: impl Fn(&Connection) -> usize,
) -> Option<()> {
    let (connections, all): (Vec<&Arc<Connection>>, Vec<Candidate>) = connections
        .filter(|(_, connection)| !connection.is_ending())
        .map(|(peer, connection)| {
            let candidate = connection.as_candidate(peer.ip(), patience);
            let holds = holds(connection);
            (connection, Candidate { holds, ..candidate })
        })
        .unzip();
    let victim = choose_victim(&all, newcomer, is_pressed)?;
    connections.get(victim).map(|connection| connection.end())
}
