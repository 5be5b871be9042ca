//! After a run of all e2e tests: fails if a request of the operator was forbidden, or if the chart
//! grants a right that no request used.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use e2e::{AUDIT, rights};
use localcluster::tool::Tool;
use localcluster::{Repository, users_kubeconfig};

fn main() -> Result<ExitCode> {
    let repository = Repository::find()?;
    if let Some(kubeconfig) = users_kubeconfig(&repository) {
        // Most tests sent their requests to a server whose log is not ours.
        println!(
            "rights: not compared, the tests used {}",
            kubeconfig.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let granted = rights::granted(&role(&repository, &root)?)?;
    let asked = rights::asked(logs(&root.join(AUDIT))?)?;
    let problems = rights::problems(&granted, &asked);
    for problem in &problems {
        println!("rights: {problem}");
    }
    if problems.is_empty() {
        println!("{}", rights::summary(&granted, &asked));
        return Ok(ExitCode::SUCCESS);
    }
    println!("rights: this compares the last run of the e2e tests; was it the whole suite?");
    Ok(ExitCode::FAILURE)
}

/// The chart's rendered roles.
fn role(repository: &Repository, root: &Path) -> Result<String> {
    let helm = Tool::find_or_build(repository)?.bin().join("helm");
    let output = Command::new(helm)
        .args(["template", "grove"])
        .arg(root.join("charts/grove"))
        .args(["--show-only", "templates/clusterrole.yaml"])
        .args(["--show-only", "templates/ownrole.yaml"])
        .args(["--set", "config.authorizer.enabled=true"])
        .output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "helm template: {error}");
    Ok(String::from_utf8(output.stdout)?)
}

/// The logs of the API servers of the last run.
fn logs(folder: &Path) -> Result<Vec<BufReader<File>>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("no run of the e2e tests left {}", folder.display()))?;
    let mut logs = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("log")) {
            logs.push(BufReader::new(File::open(path)?));
        }
    }
    Ok(logs)
}
