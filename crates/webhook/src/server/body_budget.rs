//! The budget for the bodies of large requests. A request takes its whole share at once, so that no
//! half-read request waits for another (decision 120).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::limits::MAX_BODY;

const KIB: usize = 1024;
/// A waiting request looks for another victim after this time.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The memory budget, in bytes.
#[derive(Debug)]
pub(super) struct BodyBudget {
    state: Mutex<BudgetState>,
    freed: Notify,
}

#[derive(Debug)]
struct BudgetState {
    free: usize,
    held: HashMap<IpAddr, usize>,
    /// In the order of arrival.
    queue: Vec<Waiting>,
    next_ticket: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    ticket: u64,
    address: IpAddr,
    bytes: usize,
}

/// The share of one body, or its wait; dropping the value frees the share or ends the wait.
#[derive(Debug)]
pub(super) struct BudgetShare {
    budget: Arc<BodyBudget>,
    waiting: Waiting,
    has_it: bool,
}

impl BodyBudget {
    /// All of it is free. It always holds at least the longest body.
    pub(super) fn new(kib: u32) -> Arc<Self> {
        let kib = usize::try_from(kib).unwrap_or(usize::MAX);
        let state = BudgetState {
            free: kib.saturating_mul(KIB).max(MAX_BODY),
            held: HashMap::new(),
            queue: Vec::new(),
            next_ticket: 0,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            freed: Notify::new(),
        })
    }

    /// Waits for this many bytes of the budget, and closes other connections meanwhile.
    pub(super) async fn take(
        self: &Arc<Self>,
        address: IpAddr,
        bytes: usize,
        give_way: impl Fn(),
    ) -> BudgetShare {
        let mut taken = BudgetShare {
            budget: self.clone(),
            waiting: self.lock().enqueue(address, bytes),
            has_it: false,
        };
        loop {
            let freed = self.freed.notified();
            match self.lock().try_take(taken.waiting.ticket) {
                Turn::Taken => break,
                Turn::Next => give_way(),
                Turn::Later => {}
            }
            timeout(LOOK_AGAIN, freed).await.unwrap_or_default();
        }
        taken.has_it = true;
        // The next request may fit as well.
        self.freed.notify_waiters();
        taken
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Turn {
    Taken,
    /// It is next, and there is not enough left yet.
    Next,
    Later,
}

impl BudgetState {
    fn enqueue(&mut self, address: IpAddr, bytes: usize) -> Waiting {
        self.next_ticket += 1;
        let waiting = Waiting {
            ticket: self.next_ticket,
            address,
            bytes,
        };
        self.queue.push(waiting);
        waiting
    }

    /// Next is the request whose address will hold least: a small request does not wait for large
    /// ones.
    fn try_take(&mut self, ticket: u64) -> Turn {
        let held = |address: &IpAddr| self.held.get(address).copied().unwrap_or_default();
        let with_it = |waiting: &&Waiting| held(&waiting.address) + waiting.bytes;
        let next = self.queue.iter().min_by_key(with_it).copied();
        let Some(next) = next.filter(|next| next.ticket == ticket) else {
            return Turn::Later;
        };
        if self.free < next.bytes {
            return Turn::Next;
        }
        self.free -= next.bytes;
        *self.held.entry(next.address).or_default() += next.bytes;
        self.forget(ticket);
        Turn::Taken
    }

    fn forget(&mut self, ticket: u64) {
        self.queue.retain(|waiting| waiting.ticket != ticket);
    }

    fn give_back(&mut self, address: IpAddr, bytes: usize) {
        self.free += bytes;
        if let Some(held) = self.held.get_mut(&address) {
            *held -= bytes;
            if *held == 0 {
                self.held.remove(&address);
            }
        }
    }
}

impl Drop for BudgetShare {
    fn drop(&mut self) {
        let Waiting {
            ticket,
            address,
            bytes,
        } = self.waiting;
        let mut state = self.budget.lock();
        if self.has_it {
            state.give_back(address, bytes);
        } else {
            state.forget(ticket);
        }
        drop(state);
        self.budget.freed.notify_waiters();
    }
}
