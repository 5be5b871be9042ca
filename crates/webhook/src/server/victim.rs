//! Which connection gives way where there is no place, or no room, for one more.
//!
//! Nobody is refused for coming late: a limit that refuses newcomers is a weapon of whoever came
//! first. What is there is shared by addresses, and within one address who keeps the server waiting
//! goes first.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// Whose turn it is on a connection, from the last to go to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The server's: a question is whole, or waits for room.
    Ours,
    /// The peer's: a handshake or a question is on its way, and not late.
    Arriving,
    /// Nobody's: the last question was answered.
    Idle,
    /// The peer's, for longer than what has come may take.
    Late,
}

/// One connection at the moment of the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Of the peer.
    pub address: IpAddr,
    /// What it holds of what is short: 1 place, or so many pieces of the room.
    pub holds: usize,
    /// Whose turn it is.
    pub stage: Stage,
    /// For how long that has lasted, less what the bytes that came may take.
    pub lag: Duration,
}

/// The index of the one that gives way to a newcomer from that address. It is one of the address
/// that holds most, and never of one that would hold less than the newcomer's. `None`: the newcomer
/// waits for a moment. `is_pressed`: too many wait already, so whoever is not late goes too.
pub fn choose_victim(all: &[Standing], newcomer: IpAddr, is_pressed: bool) -> Option<usize> {
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
