//! From flags and kubeconfig to a client's configuration.

use std::time::Duration;

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::connection::ConnectionArgs;
use crate::exit::Failure;

/// A cluster that does not accept a connection within this time is unreachable.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest wait for an answer at a terminal.
const ANSWER: Duration = Duration::from_secs(30);
/// How long the API server keeps a watch open, in seconds. A quiet one has to end before [`ANSWER`] breaks it:
/// kube waits after each break, in the end for half a minute, and shows no change meanwhile.
pub(crate) const WATCH_SECONDS: u32 = 20;

/// The configuration that the flags and the kubeconfig name.
pub async fn configure(args: &ConnectionArgs) -> Result<Config, Failure> {
    let mut config = find(args).await?;
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = Some(ANSWER);
    config.default_retry = false;
    Ok(config)
}

async fn find(args: &ConnectionArgs) -> Result<Config, Failure> {
    let found = find_in_kubeconfig(args).await;
    match found {
        // In a pod there is no kubeconfig, but an account.
        Err(failure) if args.kubeconfig.is_none() && args.context.is_none() => {
            Config::incluster().map_err(|_| failure)
        }
        found => found,
    }
}

async fn find_in_kubeconfig(args: &ConnectionArgs) -> Result<Config, Failure> {
    let read = match args.kubeconfig.as_deref() {
        Some(file) => Kubeconfig::read_from(file),
        None => Kubeconfig::read(),
    };
    let read = read.map_err(|error| explain(&error, args, &[]))?;
    let contexts: Vec<_> = read.contexts.iter().map(|c| c.name.clone()).collect();
    let options = KubeConfigOptions {
        context: args.context.clone(),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(read, &options).await;
    config.map_err(|error| explain(&error, args, &contexts))
}

/// The problem of a kubeconfig that has these contexts, and the remedy.
fn explain(error: &KubeconfigError, args: &ConnectionArgs, contexts: &[String]) -> Failure {
    let named = args.kubeconfig.as_ref();
    let file = named.map_or("the kubeconfig".to_owned(), |file| {
        format!("kubeconfig {}", file.display())
    });
    let choice = match contexts {
        [] => "it has none".to_owned(),
        all => format!(
            "choose one of its contexts with --context: {}",
            all.join(", ")
        ),
    };
    Failure::NoCluster(match error {
        KubeconfigError::ReadConfig(error, path) => format!(
            "cannot read kubeconfig {}: {error}; set KUBECONFIG, or give --kubeconfig",
            path.display()
        ),
        KubeconfigError::FindPath => {
            "there is no kubeconfig; set KUBECONFIG, or give --kubeconfig".to_owned()
        }
        // A drawing follows the first line.
        KubeconfigError::Parse(error) => {
            let problem = error.to_string();
            let problem = problem.lines().next().unwrap_or_default();
            format!(
                "{file} is not valid: {}",
                problem.trim_start_matches("error: ")
            )
        }
        KubeconfigError::CurrentContextNotSet => {
            format!("{file} names no current context; {choice}")
        }
        KubeconfigError::LoadContext(name) => format!("{file} has no context {name}; {choice}"),
        KubeconfigError::LoadClusterOfContext(name) => {
            format!("{file} has no cluster {name}, which its context names; {choice}")
        }
        other => format!("cannot use {file}: {other}"),
    })
}
