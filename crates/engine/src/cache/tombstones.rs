//! Uids of objects that are known to be gone.

use std::collections::VecDeque;
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::Instant;

/// No answer arrives later than this after its request, and no watch is that far behind: a silent
/// watch is restarted long before.
const LIFETIME: Duration = Duration::from_mins(5);

/// Remembered in the order in which they were buried, so that forgetting the old ones does not read
/// the others: a thousand pods may go within a second.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    since: HashMap<String, Instant>,
    order: VecDeque<(Instant, String)>,
}

impl Tombstones {
    /// The object is gone.
    pub(super) fn bury(&mut self, uid: &str) {
        let now = Instant::now();
        self.since.insert(uid.to_owned(), now);
        self.order.push_back((now, uid.to_owned()));
    }

    /// Forgets objects that have been gone for long, except while a full list is under way: its
    /// content may be as old as its beginning.
    pub(super) fn forget_old(&mut self) {
        let now = Instant::now();
        while let Some((then, uid)) = self.order.pop_front() {
            if now.duration_since(then) < LIFETIME {
                self.order.push_front((then, uid));
                break;
            }
            // An object that was buried again since has a later place in the order.
            if self.since.get(&uid) == Some(&then) {
                self.since.remove(&uid);
            }
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.since.clear();
        self.order.clear();
    }

    /// Whether the object is known to be gone.
    pub(super) fn holds(&self, uid: &str) -> bool {
        self.since.contains_key(uid)
    }
}
