//! `go build` of the tool, and what it needs.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::say;

/// Kubernetes reads its version from variables that the linker sets. Every build must use the same
/// flags: with others Go compiles all of Kubernetes again.
pub(super) const LINKER_FLAGS: &str = "-s -w \
    -X k8s.io/component-base/version.gitVersion=v1.37.1 \
    -X k8s.io/component-base/version.gitMajor=1 \
    -X k8s.io/component-base/version.gitMinor=37";

const INSTALL: &str = "install Go 1.26 or newer, or set KUBECONFIG to a cluster of your own";

/// How often a waiting user sees that the build is alive.
const ALIVE: Duration = Duration::from_secs(30);

/// Builds the module in `source` to the file `output`; what Go says goes to the file `log`.
pub(super) fn go_build(source: &Path, output: &Path, log: &Path) -> Result<()> {
    check_go(source)?;
    say("building the local cluster's tool: about 12 minutes on 2 cores, only once");
    let file = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
    let build = Command::new("go")
        .args(["build", "-trimpath", "-ldflags", LINKER_FLAGS, "-o"])
        .args([output, Path::new(".")])
        .current_dir(source)
        .env("CGO_ENABLED", "0")
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()
        .context("cannot run go build")?;
    let started = Instant::now();
    let status = wait_aloud(build, started)?;
    if !status.success() {
        bail!(
            "go build in {} failed ({status}): see {}",
            source.display(),
            log.display()
        );
    }
    say(&format!("  built in {}", minutes(started)));
    Ok(())
}

fn wait_aloud(mut build: Child, started: Instant) -> Result<ExitStatus> {
    let mut next_line = ALIVE;
    loop {
        if let Some(status) = build.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() >= next_line {
            say(&format!("  still building after {}", minutes(started)));
            next_line += ALIVE;
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn minutes(since: Instant) -> String {
    let seconds = since.elapsed().as_secs();
    format!("{}m{:02}s", seconds / 60, seconds % 60)
}

/// Fails unless `go` is there and as new as the module's go.mod wants it.
///
/// Asked inside the module, an older Go that can fetch newer toolchains does so by itself.
fn check_go(source: &Path) -> Result<()> {
    let asked = Command::new("go")
        .args(["env", "GOVERSION"])
        .current_dir(source)
        .output();
    let answer = match asked {
        Ok(answer) if answer.status.success() => answer,
        Ok(answer) => {
            let why = String::from_utf8_lossy(&answer.stderr);
            bail!(
                "the local cluster's tool cannot be built: {}; {INSTALL}",
                why.trim()
            );
        }
        Err(error) => {
            bail!("the local cluster's tool is built with Go; cannot run `go` ({error}): {INSTALL}")
        }
    };
    let found = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    let module = fs::read_to_string(source.join("go.mod"))?;
    let wanted = module
        .lines()
        .find_map(|line| line.strip_prefix("go "))
        .unwrap_or("1.26");
    if minor_version(found.trim_start_matches("go")) < minor_version(wanted) {
        bail!("the local cluster's tool needs Go {wanted}, found {found}: {INSTALL}");
    }
    Ok(())
}

/// The `x` and `y` of version `x.y.z`; what is no number counts as 0.
fn minor_version(version: &str) -> [u32; 2] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [parts.next().unwrap_or(0), parts.next().unwrap_or(0)]
}
