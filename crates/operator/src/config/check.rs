//! Values that a configuration may not have.

use admission::is_dns_label;
use api::GoDuration;
use domain::health::termination::SHORTEST;
use jiff::SignedDuration;

use super::{Config, ConfigError, problem, stuck_timeouts};

const API_VERSION: &str = "operator.config.grove.io/v1alpha1";
const KIND: &str = "OperatorConfiguration";

/// The first key that has an impossible value, or is not honoured yet.
pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    expect_value("apiVersion", config.api_version.as_deref(), API_VERSION)?;
    expect_value("kind", config.kind.as_deref(), KIND)?;
    refuse_pending(config)?;
    config
        .controllers
        .pod_clique_set
        .check("controllers.podCliqueSet")?;
    config
        .controllers
        .pod_clique
        .check("controllers.podClique")?;
    config
        .controllers
        .pod_clique_scaling_group
        .check("controllers.podCliqueScalingGroup")?;
    config.controllers.pod_gang.check("controllers.podGang")?;
    let delay = config.defaults.termination_delay.as_ref();
    at_least(SHORTEST, "defaults.terminationDelay", delay)?;
    stuck_timeouts::check(config)?;
    config.scheduler.check()?;
    config
        .scheduler
        .check_queues(config.queueing.kueue.enabled)?;
    config.leader_election.check()?;
    if let Some(webhooks) = &config.server.webhooks {
        webhooks.check()?;
    } else {
        refuse_without_webhook(config)?;
    }
    check_namespaces(&config.watch_namespaces)
}

/// Keys that only a webhook can carry out.
fn refuse_without_webhook(config: &Config) -> Result<(), ConfigError> {
    let keys = [
        ("authorizer.enabled", config.authorizer.enabled),
        (
            "admission.coherentScaleLock",
            config.admission.coherent_scale_lock,
        ),
    ];
    let text = "there is no webhook that could refuse anything; set server.webhooks";
    match keys.iter().find(|(_, is_on)| *is_on) {
        None => Ok(()),
        Some((key, _)) => Err(problem(key, text)),
    }
}

fn check_namespaces(names: &[String]) -> Result<(), ConfigError> {
    for (i, name) in names.iter().enumerate() {
        let key = format!("watchNamespaces[{i}]");
        if !is_dns_label(name) {
            return Err(problem(
                &key,
                &format!("{name:?} is not a valid namespace name"),
            ));
        }
        // A repeated namespace would be watched twice.
        if names.iter().take(i).any(|other| other == name) {
            return Err(problem(
                &key,
                &format!("{name:?} is listed twice; remove one"),
            ));
        }
    }
    Ok(())
}

fn refuse_pending(config: &Config) -> Result<(), ConfigError> {
    let present = [
        (
            "runtimeClientConnection",
            config.runtime_client_connection.is_some(),
        ),
        ("debugging", config.debugging.is_some()),
    ];
    match present.iter().find(|(_, is_present)| *is_present) {
        None => Ok(()),
        Some((key, _)) => Err(problem(key, "not implemented yet; remove this key")),
    }
}

fn expect_value(key: &str, found: Option<&str>, expected: &str) -> Result<(), ConfigError> {
    match found {
        Some(found) if found != expected => {
            Err(problem(key, &format!("is {found:?}, must be {expected:?}")))
        }
        _ => Ok(()),
    }
}

fn at_least(
    shortest: SignedDuration,
    key: &str,
    duration: Option<&GoDuration>,
) -> Result<(), ConfigError> {
    let Some(duration) = duration else {
        return Ok(());
    };
    let parsed = duration.parse().map_err(|e| problem(key, &e.to_string()))?;
    if parsed >= shortest {
        return Ok(());
    }
    let least = GoDuration::from_seconds(shortest.as_secs());
    Err(problem(
        key,
        &format!("{duration} must be at least {least}, e.g. 4h"),
    ))
}

/// `usual` is the default, which the error proposes.
pub(super) fn positive(
    key: &str,
    duration: Option<&GoDuration>,
    usual: &str,
) -> Result<(), ConfigError> {
    let Some(duration) = duration else {
        return Ok(());
    };
    let parsed = duration.parse().map_err(|e| problem(key, &e.to_string()))?;
    if parsed.is_positive() {
        return Ok(());
    }
    Err(problem(
        key,
        &format!("{} must be greater than 0, e.g. {usual}", duration.0),
    ))
}
