//! The local cluster's command line: `make cluster-up` and `make cluster-down` call it.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use localcluster::standing::{self, Status};
use localcluster::tool::{Tool, find_or_build_actionlint, find_or_build_promtool};
use localcluster::{Options, Repository, users_kubeconfig};
use serde_json::Value;

/// A local Kubernetes control plane with pretended nodes (KWOK) or real ones, for development and
/// tests.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the local cluster, or use the running one; the last line is `KUBECONFIG=PATH`.
    Up {
        /// How many KWOK nodes to create: by default 20, or none together with real nodes. A
        /// running cluster keeps its nodes.
        #[arg(long, env = "NODES")]
        nodes: Option<u32>,
        /// Kind of the nodes: `real` for two nodes with their own kubelets, which needs root.
        #[arg(long, env = "NODE", value_enum, default_value_t = NodeKind::Kwok)]
        node: NodeKind,
        /// One more flag of kube-apiserver, as --api-server-flag=--name=value; may be repeated.
        #[arg(long = "api-server-flag")]
        api_server_flags: Vec<String>,
    },
    /// Stop the local cluster and remove its state; the built tool is kept.
    Down,
    /// Print whether the local cluster runs; fail if it does not.
    Status,
    /// Print the folder with kubectl, helm and other programs, and build it if necessary.
    Tool {
        /// `real` also builds the programs of real nodes.
        #[arg(long, env = "NODE", value_enum, default_value_t = NodeKind::Kwok)]
        node: NodeKind,
    },
    /// Run a command inside a real node of the local cluster, as in `exec node-1 -- ctr version`.
    Exec {
        /// The node's name.
        node: String,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Make an image of files on this machine and load it into the real nodes of the local cluster.
    Load {
        /// The image's name, such as example.com/app:1.
        name: String,
        /// The root of its file system; or a program, which gets the libraries that it loads.
        files: PathBuf,
        /// For a folder: JSON with the fields of an OCI image's config: for example Entrypoint and Env.
        #[arg(default_value = "{}", value_parser = json)]
        config: Value,
    },
    /// Print the path of promtool, which tests alerts, and build it if necessary.
    Promtool,
    /// Print the path of actionlint, which checks workflows, and build it if necessary.
    Actionlint,
}

fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text)
}

/// The kind of a cluster's nodes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NodeKind {
    /// Pretended by KWOK.
    Kwok,
    /// Each with a kubelet and containers of its own.
    Real,
}

impl NodeKind {
    /// Two nodes, so that one may be lost.
    const REAL_NODES: u8 = 2;

    fn options(self, nodes: Option<u32>, api_server_flags: Vec<String>) -> Options {
        let usual = Options::default();
        let (kwok, real_nodes) = match self {
            Self::Kwok => (usual.nodes, 0),
            Self::Real => (0, Self::REAL_NODES),
        };
        Options {
            nodes: nodes.unwrap_or(kwok),
            real_nodes,
            api_server_flags,
            ..usual
        }
    }
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
            node,
            api_server_flags,
        } => up(&repository, &node.options(nodes, api_server_flags))?,
        Command::Down if standing::down(&repository, &progress)? => {
            progress("the local cluster is stopped");
        }
        Command::Down => progress("no local cluster is running"),
        Command::Status => return status(&repository),
        Command::Tool { node } => print_path(&tool(&repository, node)?.bin())?,
        Command::Exec { node, command } => return exec(&repository, &node, &command),
        Command::Load {
            name,
            files,
            config,
        } => {
            if files.is_dir() {
                standing::load_image(&repository, &name, &files, &config)?;
            } else {
                standing::load_program(&repository, &name, &files)?;
            }
        }
        Command::Promtool => print_path(&find_or_build_promtool(&repository)?)?,
        Command::Actionlint => print_path(&find_or_build_actionlint(&repository)?)?,
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

fn tool(repository: &Repository, node: NodeKind) -> Result<Tool> {
    match node {
        NodeKind::Kwok => Tool::find_or_build(repository),
        NodeKind::Real => Tool::find_or_build_for_real_nodes(repository),
    }
}

fn exec(repository: &Repository, node: &str, command: &[String]) -> Result<ExitCode> {
    let nodes = standing::nodes(repository);
    let Some(node) = nodes.iter().find(|known| known.name() == node) else {
        bail!("the local cluster has no real node {node}: `make cluster-up NODE=real` starts two");
    };
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let status = node.exec(&words)?.stdin(Stdio::inherit()).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
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
        Status::Broken => print("broken: `up` starts it again, `down` stops it")?,
        Status::Down => print("down")?,
    }
    Ok(ExitCode::FAILURE)
}

fn print_kubeconfig(path: &Path) -> Result<()> {
    print(&format!("KUBECONFIG={}", path.display()))
}

fn print_path(path: &Path) -> Result<()> {
    print(&path.display().to_string())
}

fn print(line: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

fn progress(line: &str) {
    eprintln!("{line}");
}
