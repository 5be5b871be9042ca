//! The connection that is closed when there is no place, or no room, for one more.
//!
//! No client is refused for being late: a limit that refuses new clients helps the attacker who
//! came first. Addresses share the resources, and within one address the connection that keeps the
//! server waiting is closed first.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// The party that a connection waits for, from the last victim to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The server: a request is complete, or waits for the budget.
    Ours,
    /// The peer: a handshake or a request is arriving in time.
    Arriving,
    /// None: the last request was answered.
    Idle,
    /// The peer, for longer than its data may take.
    Late,
}

/// One connection at the moment of the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Address of the peer.
    pub address: IpAddr,
    /// Its share of the scarce resource: 1 place, or pieces of the budget.
    pub holds: usize,
    /// The party that it waits for.
    pub stage: Stage,
    /// The duration of the wait, less the time that its bytes may take.
    pub lag: Duration,
}

/// The index of the connection that is closed for a new one from that address. Its address holds
/// most, and would not hold less than the new one's. `None`: the new one waits for a moment.
/// `is_pressed`: too many wait already, so a connection that is not late may be closed, too.
pub fn choose_victim(all: &[Candidate], newcomer: IpAddr, is_pressed: bool) -> Option<usize> {
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for one in all {
        *held.entry(one.address).or_default() += one.holds;
    }
    let of = |address: IpAddr| held.get(&address).copied().unwrap_or_default();
    let own = of(newcomer);
    let least = if is_pressed { Stage::Ours } else { Stage::Idle };
    all.iter()
        .enumerate()
        .filter(|(_, one)| one.holds > 0 && one.stage >= least)
        .filter(|(_, one)| one.address == newcomer || of(one.address) > own)
        .max_by_key(|(_, one)| (of(one.address), one.stage, one.lag))
        .map(|(index, _)| index)
}
