//! Ranks as processes, with the variables that the operator and the manifest give them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::harness::address::free_address;
use crate::harness::control_plane::CHECKOUT;
use crate::harness::wait::until;

/// A rank, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(pub usize);

impl Rank {
    /// It has the checkpoints, and the others find each other through it.
    pub const LEADER: Self = Self(0);
}

/// Ranks, with a folder for their checkpoints and logs.
pub struct Ranks {
    size: usize,
    folder: TempDir,
    leader: SocketAddr,
    variables: Vec<(&'static str, String)>,
}

impl Ranks {
    /// Ranks of a job of 60 steps.
    pub fn of(size: usize) -> Self {
        let ranks = Self {
            size,
            folder: TempDir::new().unwrap(),
            leader: free_address().unwrap(),
            variables: Vec::new(),
        };
        let ranks = ranks.with("STEPS", "60").with("STEP_SECONDS", "0");
        ranks.with("CHECKPOINT_EVERY", "10")
    }

    /// The same, slow enough to disturb them.
    pub fn slowly(size: usize) -> Self {
        Self::of(size).with("STEP_SECONDS", "0.05")
    }

    /// The same with a variable, which replaces one of the same name.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Starts all ranks of an attempt.
    pub fn start(&self, attempt: u32) -> Attempt<'_> {
        self.start_some(attempt, (0..self.size).map(Rank))
    }

    /// Starts one.
    pub fn start_rank(&self, attempt: u32, rank: Rank) -> Attempt<'_> {
        self.start_some(attempt, [rank])
    }

    fn start_some(&self, number: u32, ranks: impl IntoIterator<Item = Rank>) -> Attempt<'_> {
        let started = ranks
            .into_iter()
            .map(|rank| (rank, Mutex::new(self.spawn(number, rank))));
        Attempt {
            ranks: self,
            number,
            processes: started.collect(),
        }
    }

    fn spawn(&self, attempt: u32, rank: Rank) -> Child {
        let (clique, first) = if rank == Rank::LEADER {
            ("leader", 0)
        } else {
            ("worker", 1)
        };
        let log = File::create(self.log_of(attempt, rank)).unwrap();
        let mut python = Command::new("python3");
        python
            .arg(CHECKOUT.join("examples/train-and-resume/train.py"))
            .env("GROVE_PCLQ_NAME", format!("train-and-resume-0-{clique}"))
            .env("GROVE_PCLQ_POD_INDEX", (rank.0 - first).to_string())
            .env("GROVE_HEADLESS_SERVICE", "train-and-resume-0.ml.svc")
            .env("GROVE_ATTEMPT", format!("1f0c3b9a-{attempt}"))
            .env("FIRST_RANK", first.to_string())
            .env("RANKS", self.size.to_string())
            .env("LEADER", self.leader.to_string())
            .env("HOST", self.leader.ip().to_string())
            .env("CHECKPOINTS", self.folder.path())
            .envs(self.variables.iter().cloned())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        python
            .spawn()
            .expect("the program needs python3: apt-get install --no-install-recommends python3")
    }

    fn log_of(&self, attempt: u32, rank: Rank) -> std::path::PathBuf {
        self.folder.path().join(format!("{attempt}-{}.log", rank.0))
    }
}

/// Running ranks; dropping the value ends them.
pub struct Attempt<'a> {
    ranks: &'a Ranks,
    number: u32,
    processes: BTreeMap<Rank, Mutex<Child>>,
}

impl Attempt<'_> {
    /// The started ranks.
    pub fn all(&self) -> impl Iterator<Item = Rank> {
        self.processes.keys().copied()
    }

    /// Sends it SIGTERM.
    pub fn stop(&self, rank: Rank) {
        self.signal(rank, Signal::TERM);
    }

    /// Kills it.
    pub fn kill(&self, rank: Rank) {
        self.signal(rank, Signal::KILL);
    }

    fn signal(&self, rank: Rank, signal: Signal) {
        let process = self.processes[&rank].lock().unwrap();
        kill_process(Pid::from_child(&process), signal).unwrap();
    }

    /// Its exit code, once it has ended.
    pub fn code(&self, rank: Rank) -> Option<i32> {
        let mut process = self.processes[&rank].lock().unwrap();
        let ended = until(|| {
            process
                .try_wait()
                .unwrap()
                .ok_or_else(|| "it runs".to_owned())
        });
        let ended = ended.unwrap_or_else(|wrong| panic!("{rank:?}: {wrong}: {}", self.log(rank)));
        ended.code()
    }

    /// The exit codes of all.
    pub fn codes(&self) -> Vec<Option<i32>> {
        self.all().map(|rank| self.code(rank)).collect()
    }

    /// Whether it has not ended.
    pub fn is_running(&self, rank: Rank) -> bool {
        let mut process = self.processes[&rank].lock().unwrap();
        process.try_wait().unwrap().is_none()
    }

    /// Its log.
    pub fn log(&self, rank: Rank) -> String {
        fs::read_to_string(self.ranks.log_of(self.number, rank)).unwrap()
    }

    /// Waits until its log has these words.
    pub fn wait_for(&self, rank: Rank, words: &str) {
        let said = until(|| {
            let log = self.log(rank);
            let is_said = log.contains(words);
            is_said.then_some(()).ok_or(log)
        });
        said.unwrap_or_else(|log| panic!("{rank:?} does not say {words:?}: {log}"));
    }

    /// The step from which it continued.
    pub fn step_at_start(&self) -> u32 {
        let log = self.log(Rank::LEADER);
        let (_, after) = log.split_once("begins at step ").unwrap();
        after.lines().next().unwrap().parse().unwrap()
    }

    /// The weights at its end.
    pub fn found(&self, rank: Rank) -> Vec<f64> {
        let log = self.log(rank);
        let (_, weights) = log.split_once("done: ").unwrap();
        let weights = weights
            .split_whitespace()
            .map(|weight| weight.parse().unwrap());
        weights.collect()
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        for process in self.processes.values() {
            let mut process = process
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
