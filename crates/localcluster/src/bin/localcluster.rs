//! The local cluster's command line: `make cluster-up` and `make cluster-down` call it.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use localcluster::standing::{self, Status};
use localcluster::tool::{Tool, find_or_build_promtool};
use localcluster::{Options, Repository, users_kubeconfig};

/// A local Kubernetes control plane with pretended nodes (KWOK), for development and tests.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the local cluster, or use the running one; the last line is `KUBECONFIG=PATH`.
    Up {
        /// How many nodes to create; a running cluster keeps those it has.
        #[arg(long, env = "NODES", default_value_t = Options::default().nodes)]
        nodes: u32,
        /// One more flag of kube-apiserver, as --api-server-flag=--name=value; may be repeated.
        #[arg(long = "api-server-flag")]
        api_server_flags: Vec<String>,
    },
    /// Stop the local cluster and remove its state; the built tool is kept.
    Down,
    /// Say whether the local cluster runs; fails if it does not.
    Status,
    /// Print the folder with kubectl, helm and the others, built if need be.
    Tool,
    /// Print the path of promtool, which tests alerts, built if need be.
    Promtool,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    let repository = Repository::find()?;
    match command {
        Command::Up {
            nodes,
            api_server_flags,
        } => {
            up(
                &repository,
                &Options {
                    nodes,
                    api_server_flags,
                    ..Options::default()
                },
            )?;
        }
        Command::Down if standing::down(&repository, &progress)? => {
            progress("the local cluster is stopped");
        }
        Command::Down => progress("no local cluster is running"),
        Command::Status => return status(&repository),
        Command::Tool => print(
            &Tool::find_or_build(&repository)?
                .bin()
                .display()
                .to_string(),
        )?,
        Command::Promtool => print(&find_or_build_promtool(&repository)?.display().to_string())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn up(repository: &Repository, options: &Options) -> Result<()> {
    let kubeconfig = if let Some(users) = users_kubeconfig(repository) {
        // kubectl reads a list of files too, and skips those that do not exist.
        if !env::split_paths(&users).any(|file| file.is_file()) {
            bail!(
                "KUBECONFIG={} does not exist: correct it, or unset it",
                users.display()
            );
        }
        progress("using your KUBECONFIG; unset it to start a local cluster");
        users
    } else {
        standing::up(repository, options, &progress)?
    };
    print_kubeconfig(&kubeconfig)
}

fn status(repository: &Repository) -> Result<ExitCode> {
    if let Some(users) = users_kubeconfig(repository) {
        progress(&format!(
            "note: KUBECONFIG={} wins over a local cluster",
            users.display()
        ));
    }
    match standing::status(repository) {
        Status::Ready => {
            print("ready")?;
            print_kubeconfig(&standing::kubeconfig(repository))?;
            return Ok(ExitCode::SUCCESS);
        }
        Status::Broken => print("broken: `up` starts it anew, `down` ends it")?,
        Status::Down => print("down")?,
    }
    Ok(ExitCode::FAILURE)
}

fn print_kubeconfig(path: &Path) -> Result<()> {
    print(&format!("KUBECONFIG={}", path.display()))
}

fn print(line: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

fn progress(line: &str) {
    eprintln!("{line}");
}
