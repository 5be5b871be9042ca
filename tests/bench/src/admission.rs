//! The cost of the admission webhook for users who create sets: the same rate of creations with it
//! and without it; nothing is stored.

mod configurations;
mod durations;
mod figures;
mod stream;

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context as _, Result, bail};

use crate::namespace;
use crate::operator::Operator;
use crate::progress::say;
use crate::section::Section;
use crate::site::Site;
use configurations::Configurations;
use durations::Durations;
use figures::Run;
use stream::CREATIONS;

/// Title of the workload.
pub const TITLE: &str = "admission of 200 creations a second";

/// Runs it that many times on its own control plane; the creations of all runs are one sample.
pub async fn measure(rounds: u32) -> Result<Section> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port();
    let site = Site::start_asking(port).await?;
    let mut runs = Vec::new();
    for round in 1..=rounds {
        say(&format!("{TITLE}: run {round}"));
        let name = format!("bench-admission-{round}");
        let run = run(&site, port, &name).await;
        runs.push(run.with_context(|| format!("{TITLE}: the run did not complete"))?);
    }
    Ok(figures::section(TITLE, &runs))
}

async fn run(site: &Site, port: u16, name: &str) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let address = format!("bindAddress: 127.0.0.1, port: {port}");
    let webhooks = format!("  webhooks: {{{address}, url: 'https://127.0.0.1:{port}'}}\n");
    let operator = Operator::start_with(&site.kubeconfig, &site.logs(), name, &webhooks).await?;
    stream::until_asked(site, &operator, name, true).await?;

    let before = Durations::parse(&operator.metrics().await?)?;
    let with = stream::create(&site.user, name).await?;
    let answered = Durations::parse(&operator.metrics().await?)?.since(&before);
    check(&answered)?;

    let configurations = Configurations::remove(&site.user).await?;
    stream::until_asked(site, &operator, name, false).await?;
    let before = Durations::parse(&operator.metrics().await?)?;
    let without = stream::create(&site.user, name).await?;
    if Durations::parse(&operator.metrics().await?)? != before {
        bail!("the webhook was asked without being configured");
    }
    configurations.restore(&site.user).await?;
    operator.stop().await?;
    namespace::delete(&site.user, name).await?;
    Ok(Run {
        with,
        without,
        answered,
    })
}

/// The webhook is called twice for a creation: for defaults, and for validation.
fn check(answered: &Durations) -> Result<()> {
    let is_asked = |(_, count): &(&str, u64)| *count >= u64::from(CREATIONS);
    if answered.counts().filter(is_asked).count() != 2 {
        bail!("not two webhooks were asked about {CREATIONS} creations: {answered:?}");
    }
    Ok(())
}
