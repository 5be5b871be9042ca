//! The operator of another revision, built and installed beside this one's.
//!
//! The definitions of kinds are those of this revision; account, rights and configuration come from
//! the other revision's chart, under other names. Two operators never run at once.

mod build;
mod chart;

use anyhow::{Context as _, Result};

use crate::operator::Program;
use crate::progress::say;
use crate::site::{self, Site};
pub use build::Revision;

/// Namespace, account and name of all objects.
const NAME: &str = "grove-base";

/// An operator that can be started.
#[derive(Clone, Debug)]
pub struct Base {
    /// The commit, as displayed.
    pub name: String,
    /// The program to run.
    pub program: Program,
}

impl Base {
    /// Gives the revision its account and rights on this control plane.
    pub fn install(site: &Site, revision: &Revision) -> Result<Self> {
        let name = revision.short_name().to_owned();
        say(&format!(
            "the account and the rights of {name} are installed"
        ));
        let rendered = chart::render(site.cluster(), &revision.source, NAME)?;
        chart::apply(site.cluster(), &rendered, NAME)
            .with_context(|| format!("the chart of {name}"))?;
        Ok(Self {
            program: Program {
                binary: revision.binary.clone(),
                kubeconfig: site::kubeconfig_of(site.cluster(), NAME, NAME)?,
                configuration: Some(chart::configuration(&rendered)?),
                profile: None,
            },
            name,
        })
    }
}
