//! kubectl-grove among many workloads: a tree of one, and the overview of all.

mod workload;

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};

use crate::calls::WIDTH;
use crate::namespace;
use crate::progress::say;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::site::{Site, printed};
use workload::{NAMESPACE, PODS_OF_SET, Workload};

/// Its name in `BENCH_ONLY`.
pub const ONLY: &str = "kubectl-grove";
/// How often each command is timed in a round.
const TRIES: u32 = 5;
const TREE: f64 = 1.0;
const OVERVIEW: f64 = 5.0;

/// Stores that many sets with all their objects, on its own control plane without an operator, and
/// times the program as a user runs it.
pub async fn measure(sets: u32, rounds: u32) -> Result<Section> {
    let site = Site::start_without_operator("bench-plugin").await?;
    let title = format!("kubectl-grove: {sets} sets, {} pods", sets * PODS_OF_SET);
    say(&format!("{title}: they are stored"));
    namespace::create(&site.user, NAMESPACE).await?;
    let workloads = (0..sets).map(|index| Workload { index });
    let stored = stream::iter(workloads).map(|w| w.store(&site.user));
    stored.buffer_unordered(WIDTH).try_collect::<()>().await?;

    let program = program()?;
    let run = |args: &[&str]| time(&site, &program, args);
    let (mut trees, mut overviews) = (Vec::new(), Vec::new());
    for turn in 0..rounds * TRIES {
        let one = Workload {
            // Another set each time, so that no answer is cached.
            index: (turn * 37) % sets,
        };
        let (took, text) = run(&["tree", &one.name(), "--namespace", NAMESPACE])?;
        let drawn = one.pods().filter(|pod| text.contains(&pod.name)).count();
        ensure!(
            drawn == PODS_OF_SET as usize,
            "{drawn} pods are in the tree:\n{text}"
        );
        trees.push(took);
        let (took, text) = run(&["tree", "--all-namespaces"])?;
        let lines = text.lines().count();
        ensure!(
            lines == sets as usize + 2,
            "{lines} lines are in the overview"
        );
        overviews.push(took);
    }
    let mut section = Section::with_columns(&title, ["kubectl-grove", "goal"]);
    section.row(Row::sought(
        "s tree NAME",
        &trees.into_iter().collect(),
        TREE,
    ));
    let overviews: Sample = overviews.into_iter().collect();
    section.row(Row::sought("s tree --all-namespaces", &overviews, OVERVIEW));
    Ok(section)
}

/// The plugin of this build.
fn program() -> Result<PathBuf> {
    let program = env::current_exe()?.with_file_name("kubectl-grove");
    let is_built = program.is_file();
    ensure!(
        is_built,
        "{} is not built: use `make bench`",
        program.display()
    );
    Ok(program)
}

/// Seconds from its start to its end, and its output.
fn time(site: &Site, program: &PathBuf, args: &[&str]) -> Result<(f64, String)> {
    let mut command = Command::new(program);
    command.args(args);
    command.env("KUBECONFIG", site.cluster().kubeconfig());
    let began = Instant::now();
    let text = printed(&mut command).context("kubectl-grove failed")?;
    Ok((began.elapsed().as_secs_f64(), text))
}
