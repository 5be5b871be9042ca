//! A client that tries to create a set again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::namespace::Namespace;
use crate::sets::{clique, serving, sh};

/// Attempts that continue until they are stopped.
pub struct Attempts {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Attempts {
    /// Begins, in that namespace, with dry runs: the API server calls the webhook, and stores
    /// nothing.
    pub fn start(ns: &Namespace) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (is_over_there, name) = (is_over.clone(), ns.name.clone());
        let connection = &ns.site.connection;
        let set = serving("attempt", &[clique("w", 1, &[sh("sleep 1")])]);
        let attempt = move |set: &Value| connection.would_create_set(&name, set);
        let thread = thread::spawn(move || {
            let mut refused = Duration::ZERO;
            while !is_over_there.load(Ordering::SeqCst) {
                let begun = Instant::now();
                let result = attempt(&set);
                thread::sleep(Duration::from_millis(100));
                if result.is_err() {
                    refused += begun.elapsed();
                }
            }
            refused
        });
        Self { is_over, thread }
    }

    /// Ends, and returns the total time of refusals.
    pub fn stop(self) -> Duration {
        self.is_over.store(true, Ordering::SeqCst);
        self.thread.join().expect("it only counts")
    }
}
