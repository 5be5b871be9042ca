//! Two processes of which one leads, three API servers, and trouble.

use std::collections::VecDeque;

use webhook::certificates::plan::plan;

use super::store::{LIFETIME, Store, Write, at};

/// In seconds: a twentieth of the lifetime.
pub const GRACE: i64 = LIFETIME / 20;

pub struct World {
    pub store: Store,
    pub violations: Vec<String>,
    pub crashes: usize,
    pub late_writes: usize,
    pub refused: usize,
    now: i64,
    chance: Chance,
    max_lag: i64,
    /// What the leader is about to write; nobody leads before that time.
    pending: VecDeque<Write>,
    leads_from: i64,
    /// What former leaders are about to write, that do not know of being former ones.
    frozen: Vec<Write>,
    /// The version of the Secret that each process shows.
    processes: [usize; 2],
    /// The versions of each configuration that each API server knows.
    api_servers: [[usize; 2]; 3],
}

impl World {
    pub fn new(seed: u64, max_lag: i64) -> Self {
        Self {
            store: Store::new(),
            violations: Vec::new(),
            crashes: 0,
            late_writes: 0,
            refused: 0,
            now: 0,
            chance: Chance(seed),
            max_lag,
            pending: VecDeque::new(),
            leads_from: 0,
            frozen: Vec::new(),
            processes: [1; 2],
            api_servers: [[1; 2]; 3],
        }
    }

    /// Second by second.
    pub fn run(&mut self, lifetimes: i64) {
        while self.now < lifetimes * LIFETIME {
            self.now += 1;
            self.lead();
            self.thaw();
            self.tell();
            self.check();
        }
    }

    /// The leader decides, or does the next write of what it decided; or it is no more.
    fn lead(&mut self) {
        if self.now < self.leads_from {
            return;
        }
        if self.pending.is_empty() {
            self.decide();
        } else if self.chance.one_in(8) {
            self.lose_leader();
        } else if self.chance.one_in(2) {
            let write = self.pending.pop_front();
            let is_stored = self.store.write(self.now, &write.unwrap());
            self.refused += usize::from(!is_stored);
        }
    }

    fn decide(&mut self) {
        let plan = plan(&self.store.observe(self.now));
        let version = self.store.secret.version();
        let secret = plan.secret.map(|write| Write::Secret(version, write));
        let patches = plan.patches.into_iter();
        let patches = patches.map(|patch| Write::Patch(self.store.version_of(&patch), patch));
        self.pending = secret.into_iter().chain(patches).collect();
    }

    /// It crashed, or it is frozen and goes on one day as if nothing had been.
    fn lose_leader(&mut self) {
        self.crashes += 1;
        let left = std::mem::take(&mut self.pending);
        if self.chance.one_in(2) {
            self.frozen.extend(left);
        }
        self.leads_from = self.now + self.chance.below(GRACE);
    }

    fn thaw(&mut self) {
        if self.frozen.is_empty() || !self.chance.one_in(30) {
            return;
        }
        let write = self.frozen.remove(0);
        let is_stored = self.store.write(self.now, &write);
        self.late_writes += usize::from(is_stored);
        self.refused += usize::from(!is_stored);
    }

    /// Each hears of some versions, at the latest after the longest lag.
    fn tell(&mut self) {
        for known in &mut self.processes {
            let heard = self.now - self.chance.lag(self.max_lag);
            *known = self.store.secret.version_at(heard).max(*known);
        }
        for known in &mut self.api_servers {
            for (known, configuration) in known.iter_mut().zip(&self.store.configurations) {
                let heard = self.now - self.chance.lag(self.max_lag);
                *known = configuration.version_at(heard).max(*known);
            }
        }
    }

    /// From the first installation on: a webhook without a bundle was never put right.
    fn check(&mut self) {
        for process in self.processes {
            let Some(pair) = &self.store.secret.0[process - 1].1.serving else {
                continue;
            };
            let known = self.api_servers.iter().flat_map(|known| {
                let all = known.iter().zip(&self.store.configurations);
                all.flat_map(|(known, configuration)| &configuration.0[known - 1].1)
            });
            let mut bundles = known.filter(|bundle| !bundle.is_empty());
            let is_expired = pair.not_after <= at(self.now);
            if is_expired || !bundles.all(|bundle| bundle.contains(&pair.signed_by)) {
                let violation = format!("{}: {pair:?} is not trusted", self.now);
                self.violations.push(violation);
            }
        }
    }
}

/// A seeded sequence (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: i64) -> i64 {
        i64::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    fn one_in(&mut self, many: i64) -> bool {
        self.below(many) == 0
    }

    /// Mostly the longest: otherwise each would soon hear of everything.
    fn lag(&mut self, longest: i64) -> i64 {
        if self.one_in(100) {
            return self.below(longest + 1);
        }
        longest
    }
}
