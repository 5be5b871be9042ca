//! Checks whether the API server knows the fields without which the operator is not safe.
//!
//! It drops fields that a definition does not have. With definitions of the Go operator, or of an
//! older version, a fence would be lost although it was written: a job would be restarted without
//! being counted, for ever. So nothing is decided before the definitions are as new as the
//! operator.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::connection_error;
use crate::context::Context;
use crate::watch_liveness::{HEAD_TIMEOUT, NoHead};

const INITIAL_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// How often the definitions are checked, in case older ones replaced them.
const CHECK_INTERVAL: Duration = Duration::from_mins(1);
const NOT_INSTALLED: &str = "not installed; install them with the chart, or apply config/crd";

/// The paths at which the API server describes our groups; any account with discovery rights may
/// read them.
const PATHS: [&str; 2] = [
    "/openapi/v3/apis/grove.io/v1alpha1",
    "/openapi/v3/apis/scheduler.grove.io/v1alpha1",
];

/// Kind, section and field.
const NEEDED: [(&str, &str, &str); 18] = [
    ("PodCliqueSet", "spec", "workloadType"),
    ("PodCliqueSet", "spec", "trainingSpec"),
    ("PodCliqueSet", "status", "replicaAttempts"),
    ("PodCliqueSet", "status", "liveReplicas"),
    ("PodCliqueSet", "status", "restartCount"),
    ("PodCliqueSet", "status", "lastFailures"),
    ("PodCliqueScalingGroup", "spec", "workloadType"),
    ("PodCliqueScalingGroup", "status", "observedAttempt"),
    ("PodCliqueScalingGroup", "status", "replicaAttempts"),
    ("PodCliqueScalingGroup", "status", "breachedSince"),
    ("PodCliqueScalingGroup", "status", "scaledInReplicas"),
    ("PodClique", "spec", "workloadType"),
    ("PodClique", "status", "wasAvailable"),
    ("PodClique", "status", "wasIdle"),
    ("PodClique", "status", "scaledBelowTo"),
    ("PodClique", "status", "breachedSince"),
    ("PodClique", "status", "completedIndices"),
    ("PodGang", "status", "schedulingPhase"),
];

/// The relevant part of a description: kinds, their sections, the names of fields.
#[derive(Debug, Default, Deserialize)]
struct OpenApiDoc {
    #[serde(default)]
    components: Components,
}

#[derive(Debug, Default, Deserialize)]
struct Components {
    #[serde(default)]
    schemas: BTreeMap<String, KindSchema>,
}

#[derive(Debug, Deserialize)]
struct KindSchema {
    #[serde(default)]
    properties: BTreeMap<String, Section>,
}

#[derive(Debug, Deserialize)]
#[allow(
    clippy::zero_sized_map_values,
    reason = "serde reads an object's keys as a map's"
)]
struct Section {
    #[serde(default)]
    properties: BTreeMap<String, IgnoredAny>,
}

/// The fields that the definitions lack, in words with a remedy; `None` if they lack nothing.
///
/// # Errors
///
/// The API server does not describe our groups: they are not installed, or it cannot be asked.
pub async fn find_missing_fields(client: &Client) -> Result<Option<String>, kube::Error> {
    let kinds = read_descriptions(client).await?;
    Ok(list_missing_fields(&kinds, |_| true))
}

async fn read_descriptions(client: &Client) -> Result<BTreeMap<String, KindSchema>, kube::Error> {
    let mut kinds = BTreeMap::new();
    for path in PATHS {
        let request = Request::get(path).body(Vec::new());
        let request = request.map_err(kube::Error::HttpError)?;
        let answer = tokio::time::timeout(HEAD_TIMEOUT, client.request(request)).await;
        let described: OpenApiDoc = answer.unwrap_or_else(|_| {
            let error = Box::new(NoHead);
            Err(kube::Error::Service(error))
        })?;
        kinds.extend(described.components.schemas);
    }
    Ok(kinds)
}

fn find_kind<'a>(kinds: &'a BTreeMap<String, KindSchema>, kind: &str) -> Option<&'a KindSchema> {
    let suffix = format!(".{kind}");
    let mut schemas = kinds.iter();
    let schema = schemas.find(|(name, _)| name.ends_with(&suffix));
    schema.map(|(_, described)| described)
}

/// The fields that the counted kinds lack.
fn list_missing_fields(
    kinds: &BTreeMap<String, KindSchema>,
    counts: impl Fn(&str) -> bool,
) -> Option<String> {
    let knows = |kind: &str, section: &str, field: &str| {
        let section = find_kind(kinds, kind).and_then(|kind| kind.properties.get(section));
        section.is_some_and(|s| s.properties.contains_key(field))
    };
    let unknown: Vec<String> = NEEDED
        .iter()
        .filter(|(kind, section, field)| counts(kind) && !knows(kind, section, field))
        .map(|(kind, section, field)| format!("{kind} {section}.{field}"))
        .collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "older than this operator: the API server would drop {}; upgrade them with the chart, \
             or apply config/crd of this version",
            unknown.join(", ")
        )
    })
}

/// Waits until the definitions lack nothing; meanwhile the operator is not ready and says why.
pub async fn wait_until_current(context: &Context, client: &Client) {
    let mut pause = INITIAL_PAUSE;
    loop {
        let problem = match find_missing_fields(client).await {
            Ok(missing) => missing,
            Err(kube::Error::Api(status)) if status.code == 403 => {
                // No other check reports this; most clusters let every account use discovery.
                tracing::warn!(%status, "cannot check whether the definitions are new enough");
                None
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Some(NOT_INSTALLED.to_owned()),
            Err(error) => Some(connection_error::explain(&error)),
        };
        let is_settled = problem.is_none();
        context.set_problem("CustomResourceDefinitions", problem);
        if is_settled {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(MAX_PAUSE);
    }
}

/// Waits until the definitions lack something, and returns the missing fields: a rollback of the
/// chart, or another operator's installer, replaces them by older ones while this operator runs. A
/// failed read proves nothing, nor does a kind without a description: an API server that starts
/// describes one definition after the other.
pub async fn wait_until_outdated(client: &Client) -> String {
    loop {
        let kinds = read_descriptions(client).await.unwrap_or_default();
        if let Some(missing) = list_missing_fields(&kinds, |kind| find_kind(&kinds, kind).is_some())
        {
            return missing;
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}
