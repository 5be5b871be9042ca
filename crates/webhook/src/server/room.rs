//! Room for bodies: taken in pieces as they arrive, and by nobody all of it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::MAX_BODY;

const KIB: usize = 1024;
const PIECE: usize = 64 * KIB;

/// What there is, in pieces.
#[derive(Debug)]
pub(super) struct Room {
    pieces: Arc<Semaphore>,
    /// Enough for the longest body, for one at a time of those that find no piece. Else bodies that
    /// are half read could wait for each other.
    spare: Arc<Semaphore>,
    /// What each address may have of the pieces: half of them.
    shares: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
    share: usize,
}

/// What one body has taken; free again once this is dropped.
#[derive(Debug)]
pub struct Taken {
    room: Arc<Room>,
    share: Arc<Semaphore>,
    /// Of the share and of all pieces, in turn.
    pieces: Vec<[OwnedSemaphorePermit; 2]>,
    spare: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// All of it is free. There is never less than for the longest body.
    pub(super) fn new(kib: u32) -> Self {
        let bytes = usize::try_from(kib)
            .unwrap_or(usize::MAX)
            .saturating_mul(KIB);
        let pieces = bytes.saturating_sub(MAX_BODY) / PIECE;
        let pieces = pieces.min(Semaphore::MAX_PERMITS);
        Self {
            pieces: Arc::new(Semaphore::new(pieces)),
            spare: Arc::new(Semaphore::new(1)),
            shares: Mutex::default(),
            share: pieces / 2,
        }
    }

    /// For a body from this address, of which nothing has arrived.
    pub(super) fn begin(self: &Arc<Self>, address: IpAddr) -> Taken {
        Taken {
            room: self.clone(),
            share: self.share_of(address),
            pieces: Vec::new(),
            spare: None,
        }
    }

    fn share_of(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let new = || Arc::new(Semaphore::new(self.share));
        shares.entry(address).or_insert_with(new).clone()
    }
}

impl Taken {
    /// Waits until there is room for so many bytes in all.
    pub(super) async fn grow(&mut self, bytes: usize) {
        while self.spare.is_none() && self.pieces.len() * PIECE < bytes {
            let piece = take_piece(self.share.clone(), self.room.pieces.clone());
            tokio::select! {
                biased;
                piece = piece => self.pieces.extend(piece),
                spare = self.room.spare.clone().acquire_owned() => self.spare = spare.ok(),
            }
        }
    }
}

/// Of the share first: who waits for that keeps no piece from others. Never `None`, as nothing
/// closes these.
async fn take_piece(
    share: Arc<Semaphore>,
    pieces: Arc<Semaphore>,
) -> Option<[OwnedSemaphorePermit; 2]> {
    let own = share.acquire_owned().await.ok()?;
    Some([own, pieces.acquire_owned().await.ok()?])
}
