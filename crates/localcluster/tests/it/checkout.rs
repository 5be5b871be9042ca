//! A separate checkout to try the command line in: the developer's cluster is left alone.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use localcluster::Repository;
use localcluster::tool::{CACHE_VARIABLE, Tool};
use tempfile::TempDir;

use crate::processes;

pub struct Checkout {
    pub root: TempDir,
    cache: PathBuf,
}

impl Drop for Checkout {
    /// A failing test leaves no cluster behind.
    fn drop(&mut self) {
        if self.state().exists() {
            self.run(&["down"]);
        }
    }
}

impl Checkout {
    /// A checkout with the tool that the real checkout has built.
    pub fn new() -> Self {
        let tool = Tool::find_or_build(&Repository::find().unwrap()).unwrap();
        let cache = tool
            .bin()
            .ancestors()
            .nth(2)
            .unwrap()
            .canonicalize()
            .unwrap();
        let root = tempfile::tempdir().unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack");
        fs::create_dir(root.path().join("hack")).unwrap();
        for module in ["hack/dns", "hack/localcluster"] {
            let source = sources.join("..").join(module).canonicalize().unwrap();
            symlink(source, root.path().join(module)).unwrap();
        }
        Self { root, cache }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        // A script that runs the tests in the background makes them ignore Ctrl-C.
        let mut command = Command::new("/usr/bin/env");
        command
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_localcluster")])
            .args(args)
            .current_dir(&self.root)
            .env(CACHE_VARIABLE, &self.cache)
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("KUBECONFIG")
            .env_remove("NODE")
            .env_remove("NODES");
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn last_line(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    }

    /// An unfinished `up` in its own process group, as a shell starts it; it has printed this text.
    pub fn half_up(&self, args: &[&str], said: &str) -> Child {
        let mut up = self
            .command(args)
            .process_group(0)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let progress = BufReader::new(up.stderr.take().unwrap()).lines();
        let seen = progress
            .map(Result::unwrap)
            .find(|line| line.contains(said));
        assert!(seen.is_some(), "up ended early");
        up
    }

    /// The folder of the cluster's state.
    pub fn state(&self) -> PathBuf {
        self.root.path().join(".localcluster/run")
    }

    pub fn processes(&self) -> Vec<u32> {
        processes::mentioning(&self.state())
    }
}
