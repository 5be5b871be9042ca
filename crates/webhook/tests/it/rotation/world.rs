//! Two processes, one of which leads, three API servers, and trouble.

use std::collections::VecDeque;

use webhook::certificates::plan::{Pair, plan};

use super::chance::Chance;
use super::process::{ApiServer, Process};
use super::store::{LIFETIME, Store, Write, at};

/// In seconds: the grace of a lifetime of two days.
pub const GRACE: i64 = 300;
/// The interval between two checks of the world.
const TICK: i64 = 60;
/// The longest time without a leader.
const NOBODY: i64 = 10 * GRACE;

/// Whether people change objects that only the operator should write, and the names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hands {
    On,
    Off,
}

pub struct World {
    pub store: Store,
    pub violations: Vec<String>,
    pub crashes: usize,
    pub late_writes: usize,
    pub refused: usize,
    pub emptied: usize,
    pub renamed: usize,
    now: i64,
    chance: Chance,
    max_lag: i64,
    hands: Hands,
    leader: usize,
    /// The next writes of the leader; there is no leader before that time.
    pending: VecDeque<Write>,
    leads_from: i64,
    /// The next writes of former leaders that do not know that they lost the leadership.
    frozen: Vec<(usize, Write)>,
    processes: [Process; 2],
    api_servers: [ApiServer; 3],
}

impl World {
    pub fn new(seed: u64, max_lag: i64, hands: Hands) -> Self {
        let mut chance = Chance(seed);
        let processes = [(); 2].map(|()| Process::new(&mut chance));
        let api_servers = [(); 3].map(|()| ApiServer::new(&mut chance));
        Self {
            store: Store::new(),
            violations: Vec::new(),
            crashes: 0,
            late_writes: 0,
            refused: 0,
            emptied: 0,
            renamed: 0,
            now: 0,
            chance,
            max_lag,
            hands,
            leader: 0,
            pending: VecDeque::new(),
            leads_from: 0,
            frozen: Vec::new(),
            processes,
            api_servers,
        }
    }

    /// Tick by tick; half-way through, one clock jumps by hours.
    pub fn run(&mut self, lifetimes: i64) {
        let end = lifetimes * LIFETIME;
        while self.now < end {
            self.now += TICK;
            if self.now == end / 2 / TICK * TICK {
                self.processes[0].lose_time(&mut self.chance);
            }
            self.lead();
            self.thaw();
            if self.hands == Hands::On {
                self.meddle();
            }
            self.tell();
            self.check();
        }
    }

    /// The leader decides, or does its next planned write, or loses the leadership.
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
            self.write(self.leader, &write.unwrap());
        }
    }

    fn write(&mut self, process: usize, write: &Write) -> bool {
        let skew = self.processes[process].skew;
        let is_stored = self.store.write(self.now, skew, write);
        self.refused += usize::from(!is_stored);
        is_stored
    }

    fn decide(&mut self) {
        let leader = &mut self.processes[self.leader];
        let since = self.store.secret.newest().since;
        let ago = leader.grace_began(since, self.now);
        let plan = plan(&self.store.observe(self.now + leader.skew, ago));
        leader.remember_grace(&plan, self.now);
        let version = self.store.secret.version();
        let secret = plan.secret.map(|write| Write::Secret(version, write));
        let patches = plan.patches.into_iter();
        let patches = patches.map(|patch| Write::Patch(self.store.version_of(&patch), patch));
        self.pending = secret.into_iter().chain(patches).collect();
    }

    /// It crashes, or it freezes and continues one day as if nothing had happened.
    fn lose_leader(&mut self) {
        self.crashes += 1;
        let left = std::mem::take(&mut self.pending);
        if self.chance.one_in(2) {
            let left = left.into_iter().map(|write| (self.leader, write));
            self.frozen.extend(left);
        } else {
            self.processes[self.leader].restart(&self.store);
        }
        self.leader = usize::from(self.chance.one_in(2));
        self.leads_from = self.now + self.chance.below(NOBODY);
    }

    fn thaw(&mut self) {
        if self.frozen.is_empty() || !self.chance.one_in(30) {
            return;
        }
        let (process, write) = self.frozen.remove(0);
        self.late_writes += usize::from(self.write(process, &write));
    }

    /// Not before everything is installed: without any trust, there is none to keep.
    fn meddle(&mut self) {
        if !self.store.is_installed() {
            return;
        }
        if self.chance.one_in(2000) {
            self.store.empty_secret(self.now);
            self.emptied += 1;
        }
        if self.chance.one_in(2000) {
            self.store.change_names();
            self.renamed += 1;
        }
    }

    /// Each process receives some versions, at the latest after the longest lag.
    fn tell(&mut self) {
        for process in &mut self.processes {
            let heard = self.now - self.chance.lag(self.max_lag);
            process.hear(&self.store, heard);
        }
        for server in &mut self.api_servers {
            for (known, configuration) in server.known.iter_mut().zip(&self.store.configurations) {
                let heard = self.now - self.chance.lag(self.max_lag);
                *known = configuration.version_at(heard).max(*known);
            }
        }
    }

    fn check(&mut self) {
        let served = self.processes.iter().filter_map(|p| p.served.as_ref());
        let refused = served.filter(|pair| !self.api_servers.iter().all(|s| self.trusts(s, pair)));
        let texts = refused.map(|pair| format!("{}: {pair:?} is not trusted", self.now));
        let texts: Vec<String> = texts.collect();
        self.violations.extend(texts);
    }

    /// Valid from the first installation on: a webhook without a bundle was never completed.
    fn trusts(&self, server: &ApiServer, pair: &Pair) -> bool {
        let all = server.known.iter().zip(&self.store.configurations);
        let known = all.flat_map(|(known, configuration)| &configuration.0[known - 1].1);
        let mut bundles = known.filter(|bundle| !bundle.is_empty());
        let now = at(self.now + server.skew);
        let is_valid = pair.not_before <= now && now < pair.not_after;
        is_valid && bundles.all(|bundle| bundle.contains(&pair.signed_by))
    }
}
