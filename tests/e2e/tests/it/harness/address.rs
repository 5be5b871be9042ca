//! Ports for servers that a test starts, ends and starts again.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below Linux's range for outgoing connections: while an operator is down, no connection of
/// another test may take its port.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

static GIVEN: AtomicU16 = AtomicU16::new(0);

/// A free address of this machine that no other test of this run gets.
pub fn free_address() -> io::Result<SocketAddr> {
    // Another run on this machine begins elsewhere.
    let start = u16::try_from(process::id() % u32::from(COUNT)).unwrap_or_default();
    let mut refused = None;
    for _ in 0..COUNT {
        let next = GIVEN.fetch_add(1, Ordering::SeqCst) % COUNT;
        let port = FIRST + (start + next) % COUNT;
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return listener.local_addr(),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
}
