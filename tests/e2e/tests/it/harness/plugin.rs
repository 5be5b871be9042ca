//! kubectl-grove as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::Namespace;
use super::control_plane::fed;
use super::operator::plugin;

/// kubectl-grove without a cluster: its kubeconfig does not exist.
pub fn offline(args: &[&str]) -> Output {
    at(Path::new("/nonexistent"), args)
}

/// kubectl-grove with this kubeconfig.
pub fn at(kubeconfig: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(plugin());
    command.args(args).env("KUBECONFIG", kubeconfig);
    command.output().unwrap()
}

/// The same with this input.
pub fn offline_fed(args: &[&str], input: &Value) -> Output {
    let mut command = Command::new(plugin());
    command.args(args).env("KUBECONFIG", "/nonexistent");
    fed(&mut command, input)
}

impl Namespace<'_> {
    /// The output of kubectl-grove in this namespace. Exit code 1, "there is something to look at", is
    /// accepted.
    pub fn grove(&self, args: &[&str]) -> String {
        let output = self.grove_command(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let is_answer = output.status.code().is_some_and(|code| code < 2);
        assert!(is_answer, "kubectl grove {args:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The same in one line: the output is wrapped to fit a terminal.
    pub fn grove_words(&self, args: &[&str]) -> String {
        let text = self.grove(args);
        let is_narrow = text.lines().all(|line| line.chars().count() <= 80);
        assert!(is_narrow, "{text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// kubectl-grove in this namespace.
    pub fn grove_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(plugin());
        command
            .args(args)
            .args(["--namespace", &self.name])
            .env("KUBECONFIG", &self.control_plane.kubeconfig)
            .env("TZ", "UTC");
        command
    }
}
