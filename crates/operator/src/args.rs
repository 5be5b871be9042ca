//! The command line.

use std::path::PathBuf;

use api::labels::operator_env;
use clap::{Parser, Subcommand};
use http::Uri;

use crate::config::{InitContainerImage, Process};

/// Kubernetes operator for AI workloads whose parts live and die together.
#[derive(Debug, Parser)]
#[command(name = "grove-operator", version, disable_version_flag = true)]
pub struct Args {
    /// Configuration file (operator.config.grove.io/v1alpha1); built-in defaults without it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Namespace the operator itself runs in
    #[arg(
        long,
        value_name = "NAME",
        default_value = "grove-system",
        env = "POD_NAMESPACE"
    )]
    pub namespace: String,

    /// Name of the operator's pod; outside a pod, the host and the process identify the operator
    #[arg(long, value_name = "NAME", env = "POD_NAME")]
    pub pod_name: Option<String>,

    /// Uid of that pod: a restarted container of the pod leads again at once
    #[arg(long, value_name = "UID", env = "POD_UID")]
    pub pod_uid: Option<String>,

    /// ServiceAccount the operator runs as; its own requests pass its webhooks
    #[arg(long, value_name = "NAME", env = "GROVE_OPERATOR_SERVICE_ACCOUNT_NAME")]
    pub service_account: Option<String>,

    /// Image of the init container of pods that start after others; without a tag, that of the
    /// operator's version
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = "grove-initc",
        env = operator_env::INIT_CONTAINER_IMAGE,
        value_parser = InitContainerImage::parse
    )]
    pub init_container_image: InitContainerImage,

    /// Print the version and exit
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,

    /// Another task than to run as the operator.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Other tasks of the binary, so that the chart needs no other image.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Request a page, such as /readyz of an operator; fail unless the response is a success
    Probe {
        /// Address of the page, plain HTTP
        #[arg(value_name = "URL")]
        url: Uri,
    },
}

impl Args {
    /// The identity of this operator. A pod runs one process at a time, and its uid is never used
    /// again.
    pub fn process(&self) -> Process {
        let identity = match (&self.pod_name, &self.pod_uid) {
            (Some(name), Some(uid)) => format!("{name}_{uid}"),
            (name, _) => {
                let host = name.clone().unwrap_or_else(name_host);
                let started = engine::clock::now().as_microsecond();
                format!("{host}_{}-{started:x}", std::process::id())
            }
        };
        Process {
            namespace: self.namespace.clone(),
            identity,
            service_account: self.service_account.clone(),
        }
    }
}

fn name_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "host" } else { name }.to_owned()
}
