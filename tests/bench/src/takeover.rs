//! The time without a leader when the leading one of two operators ends.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::operator::Operator;
use crate::progress::say;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::site::Site;

/// Title of the measurement.
pub const TITLE: &str = "take-over";
const TRIES: usize = 20;
/// The lease lasts for 15 s.
const DEADLINE: Duration = Duration::from_secs(40);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
const ELECTION: &str = "leaderElection: {enabled: true}\n";

/// How the leader ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Killed,
    ToldToStop,
}

/// Ends the leader that many times in each way.
pub async fn measure(site: &Site) -> Result<Section> {
    let killed = try_often(site, End::Killed).await?;
    let told = try_often(site, End::ToldToStop).await?;
    let mut section = Section::with_columns(TITLE, ["kill -9", "SIGTERM"]);
    section.row(Row::beside("s until the other leads", &killed, &told));
    Ok(section)
}

async fn try_often(site: &Site, end: End) -> Result<Sample> {
    let mut took = Vec::new();
    let mut leader = start(site, &format!("takeover-{end:?}-0")).await?;
    wait_until_leads(&leader).await?;
    for i in 1..=TRIES {
        say(&format!("{TITLE}: {end:?}, {i} of {TRIES}"));
        let standby = start(site, &format!("takeover-{end:?}-{i}")).await?;
        let began = Instant::now();
        match end {
            End::Killed => drop(leader),
            End::ToldToStop => leader.tell_to_stop()?,
        }
        wait_until_leads(&standby).await?;
        took.push(began.elapsed().as_secs_f64());
        leader = standby;
    }
    Ok(took.into_iter().collect())
}

/// Starts an operator that takes part in the election.
pub async fn start(site: &Site, name: &str) -> Result<Operator> {
    Operator::start_with(&site.kubeconfig, &site.logs(), name, ELECTION).await
}

/// Waits until the operator leads.
pub async fn wait_until_leads(operator: &Operator) -> Result<()> {
    let began = Instant::now();
    while !operator.leads().await.context("the operator's metrics")? {
        if began.elapsed() > DEADLINE {
            bail!("nobody leads for {DEADLINE:?}");
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    Ok(())
}
