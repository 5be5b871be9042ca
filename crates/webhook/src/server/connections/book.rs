//! The open connections, and those that wait for a place.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::line::Line;
use crate::server::victim::{Standing, choose_victim};

/// When this many times the number of places wait, no connection gets time to become late.
const MANY_WAIT: usize = 4;

/// Connections with a place, and waiting ones.
#[derive(Debug)]
pub(super) struct Book {
    lines: HashMap<SocketAddr, Arc<Line>>,
    queue: Vec<Waiting>,
    /// Places of unknown clients; known clients have as many again.
    places: usize,
    patience: Duration,
}

#[derive(Debug)]
struct Waiting {
    peer: SocketAddr,
    place: oneshot::Sender<Arc<Line>>,
}

impl Book {
    /// No connections.
    pub(super) fn new(places: usize, patience: Duration) -> Self {
        Self {
            lines: HashMap::new(),
            queue: Vec::new(),
            places,
            patience,
        }
    }

    /// Adds a connection that waits for a place.
    pub(super) fn enqueue(&mut self, peer: SocketAddr) -> oneshot::Receiver<Arc<Line>> {
        let (place, given) = oneshot::channel();
        self.queue.push(Waiting { peer, place });
        given
    }

    pub(super) fn find(&self, peer: SocketAddr) -> Option<Arc<Line>> {
        self.lines.get(&peer).cloned()
    }

    pub(super) fn remove(&mut self, peer: SocketAddr) {
        self.lines.remove(&peer);
    }

    /// Gives away the free places, and closes connections for the waiting ones. Returns the number
    /// of closed ones.
    pub(super) fn settle(&mut self) -> u64 {
        self.queue.retain(|waiting| !waiting.place.is_closed());
        while self.count_unknown() < self.places && !self.queue.is_empty() {
            self.give_place();
        }
        let leaving = self.unknown().filter(|(_, line)| line.is_ending()).count();
        let is_pressed = self.queue.len() > MANY_WAIT * self.places;
        let newcomers = self.queue.iter().skip(leaving);
        let cut = newcomers.map_while(|waiting| {
            let unknown = self.unknown();
            end_one(unknown, waiting.peer.ip(), is_pressed, self.patience, |_| 1)
        });
        cut.fold(0, |count, ()| count + 1)
    }

    /// The client is known: it gets a reserved place. Returns whether another connection was
    /// closed.
    pub(super) fn promote(&mut self, peer: SocketAddr) -> bool {
        let Some(line) = self.lines.get(&peer) else {
            return false;
        };
        line.set_known();
        let known = || self.lines.iter().filter(|(_, line)| line.is_known());
        known().count() > self.places
            && end_one(known(), peer.ip(), true, self.patience, |_| 1).is_some()
    }

    /// A request from that address finds no room: a late request that holds some is closed. Returns
    /// whether there was one: one is closed at a time.
    pub(super) fn free_room(&mut self, address: IpAddr) -> bool {
        let holding = || self.lines.iter().filter(|(_, line)| line.holds() > 0);
        !holding().any(|(_, line)| line.is_ending())
            && end_one(holding(), address, false, self.patience, Line::holds).is_some()
    }

    /// Gives the place to the address with the fewest, and there to the first in the queue.
    fn give_place(&mut self) {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for (peer, _) in self.unknown() {
            *counts.entry(peer.ip()).or_default() += 1;
        }
        let count = |waiting: &Waiting| counts.get(&waiting.peer.ip()).copied();
        let all = self.queue.iter().enumerate();
        let Some((next, _)) = all.min_by_key(|(_, waiting)| count(waiting)) else {
            return;
        };
        let next = self.queue.remove(next);
        let line = Arc::<Line>::default();
        if next.place.send(line.clone()).is_ok() {
            self.lines.insert(next.peer, line);
        }
    }

    fn unknown(&self) -> impl Iterator<Item = (&SocketAddr, &Arc<Line>)> {
        self.lines.iter().filter(|(_, line)| !line.is_known())
    }

    fn count_unknown(&self) -> usize {
        self.unknown().count()
    }
}

fn end_one<'a>(
    lines: impl Iterator<Item = (&'a SocketAddr, &'a Arc<Line>)>,
    newcomer: IpAddr,
    is_pressed: bool,
    patience: Duration,
    holds: impl Fn(&Line) -> usize,
) -> Option<()> {
    let staying = lines.filter(|(_, line)| !line.is_ending());
    let (lines, all): (Vec<&Arc<Line>>, Vec<Standing>) = staying
        .map(|(peer, line)| {
            let stands = line.stand(peer.ip(), patience);
            let holds = holds(line);
            (line, Standing { holds, ..stands })
        })
        .unzip();
    let victim = choose_victim(&all, newcomer, is_pressed)?;
    lines.get(victim).map(|line| line.end())
}
