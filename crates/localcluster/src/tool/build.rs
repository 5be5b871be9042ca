//! `go build` of a tool, and its requirements.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::recipe::Recipe;
use super::say;

/// How often a waiting user sees that the build is alive.
const ALIVE: Duration = Duration::from_secs(30);

/// Builds it from the module in `source` into the folder `output`; the output of Go goes to the
/// file `log`.
pub(super) fn go_build(recipe: &Recipe, source: &Path, output: &Path, log: &Path) -> Result<()> {
    check_go(recipe, source)?;
    let Recipe { module, takes, .. } = recipe;
    say(&format!("building hack/{module}: {takes}, only once"));
    let file = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
    let build = Command::new("go")
        .args(["build", "-trimpath"])
        .args(recipe.flags)
        .arg("-o")
        .arg(output)
        .args(recipe.packages)
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

/// Fails unless `go` exists and is as new as the module's go.mod requires.
///
/// It runs inside the module, so that an older Go that can fetch newer toolchains does so by
/// itself.
fn check_go(recipe: &Recipe, source: &Path) -> Result<()> {
    let Recipe { module, remedy, .. } = recipe;
    let asked = Command::new("go")
        .args(["env", "GOVERSION"])
        .current_dir(source)
        .output();
    let answer = match asked {
        Ok(answer) if answer.status.success() => answer,
        Ok(answer) => {
            let why = String::from_utf8_lossy(&answer.stderr);
            bail!("hack/{module} cannot be built: {}; {remedy}", why.trim());
        }
        Err(error) => {
            bail!("hack/{module} is built with Go; cannot run `go` ({error}): {remedy}")
        }
    };
    let found = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    let module = fs::read_to_string(source.join("go.mod"))?;
    let wanted = module
        .lines()
        .find_map(|line| line.strip_prefix("go "))
        .unwrap_or("1.26");
    if minor_version(found.trim_start_matches("go")) < minor_version(wanted) {
        bail!("hack/{module} needs Go {wanted}, found {found}: {remedy}");
    }
    Ok(())
}

/// The `x` and `y` of version `x.y.z`; a part that is no number counts as 0.
fn minor_version(version: &str) -> [u32; 2] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [parts.next().unwrap_or(0), parts.next().unwrap_or(0)]
}
