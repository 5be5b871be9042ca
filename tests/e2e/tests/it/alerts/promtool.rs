//! promtool, with rules to test.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use localcluster::Repository;
use localcluster::tool::find_or_build_promtool;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The program, and a folder with the file `rules.yaml`.
pub struct Promtool {
    program: PathBuf,
    dir: TempDir,
}

impl Promtool {
    /// promtool with these rules. Of their annotations only the summary stays, which cases have to
    /// repeat.
    pub fn with(rules: &[Value]) -> Self {
        let mut rules = rules.to_vec();
        for rule in &mut rules {
            if let Some(annotations) = rule["annotations"].as_object_mut() {
                annotations.retain(|name, _| name == "summary");
            }
        }
        let file = json!({"groups": [{"name": "grove", "rules": rules}]});
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("rules.yaml"), file.to_string()).unwrap();
        let program = find_or_build_promtool(&Repository::find().unwrap()).unwrap();
        Self { program, dir }
    }

    /// Whether they are valid rules.
    pub fn check_rules(&self) -> Result<(), String> {
        self.run(&["check", "rules", "rules.yaml"])
    }

    /// Whether they produce the results of these cases.
    pub fn test_rules(&self, file: &str, cases: &str) -> Result<(), String> {
        fs::write(self.dir.path().join(file), cases).unwrap();
        self.run(&["test", "rules", file])
    }

    fn run(&self, args: &[&str]) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        let output = command.args(args).current_dir(&self.dir).output().unwrap();
        let words = [output.stdout, output.stderr].concat();
        let words = String::from_utf8_lossy(&words).into_owned();
        output.status.success().then_some(()).ok_or(words)
    }
}
