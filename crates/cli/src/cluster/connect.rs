//! From flags and kubeconfig to a client's configuration.

use std::path::Path;
use std::time::Duration;

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use crate::args::ConnectionArgs;
use crate::exit::Failure;

/// A cluster that does not take a connection within this time is not there.
const CONNECT: Duration = Duration::from_secs(5);
/// Nobody waits longer at a terminal for an answer.
const ANSWER: Duration = Duration::from_secs(30);

/// The configuration that the flags and the kubeconfig name.
pub async fn configure(args: &ConnectionArgs) -> Result<Config, Failure> {
    let mut config = find(args).await?;
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = Some(ANSWER);
    config.default_retry = false;
    Ok(config)
}

async fn find(args: &ConnectionArgs) -> Result<Config, Failure> {
    if args.kubeconfig.is_none() && args.context.is_none() {
        let found = Config::infer().await;
        return found.map_err(|error| no_cluster(&error.to_string()));
    }
    let read = match args.kubeconfig.as_deref() {
        Some(file) => read_file(file)?,
        None => Kubeconfig::read().map_err(|error| no_cluster(&error.to_string()))?,
    };
    let known: Vec<_> = read.contexts.iter().map(|c| c.name.clone()).collect();
    let options = KubeConfigOptions {
        context: args.context.clone(),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(read, &options).await;
    config.map_err(|error| match &args.context {
        Some(name) if !known.contains(name) => Failure::NoCluster(format!(
            "the kubeconfig has no context {name}; choose from {}",
            known.join(", ")
        )),
        _ => no_cluster(&error.to_string()),
    })
}

fn read_file(file: &Path) -> Result<Kubeconfig, Failure> {
    Kubeconfig::read_from(file).map_err(|error| {
        Failure::NoCluster(format!("cannot use kubeconfig {}: {error}", file.display()))
    })
}

fn no_cluster(error: &str) -> Failure {
    Failure::NoCluster(format!(
        "no cluster: {error}; set KUBECONFIG, or give --kubeconfig"
    ))
}
