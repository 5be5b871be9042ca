//! The check before an update: the API server is asked, as a dry run with the user's rights, whether
//! it would create a pod of each changed template (docs/semantics.md §14.1).

use std::collections::BTreeMap;

use domain::plan::{Check, CheckAnswer};
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;
use serde::Serialize;

use super::world::{bug, unreadable};
use crate::cluster::Cluster;
use crate::exit::Failure;

/// The number of dry runs that are under way at the same time.
const AT_ONCE: usize = 16;
/// With these words the API server refuses the user, not the pod.
const MAY_NOT_CREATE: &str = "cannot create resource \"pods\"";

/// The answer about a clique with a changed template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "answer", content = "message")]
pub enum PlannedAnswer {
    /// The API server would create its pods.
    Accepted,
    /// It would refuse them, in these words: the update would not begin.
    Refused(String),
    /// It did not answer, for this reason.
    Unanswered(String),
}

/// A clique with a changed template.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedCheck {
    /// Name of the clique.
    pub clique: String,
    /// The answer about it.
    #[serde(flatten)]
    pub answer: PlannedAnswer,
    /// The question.
    #[serde(skip)]
    pub check: Check,
}

/// Answers by clique.
pub type PlannedAnswers = BTreeMap<String, PlannedAnswer>;

/// Asks the API server. Nothing is stored.
pub async fn ask_all(
    cluster: &Cluster,
    checks: &[PlannedCheck],
) -> Result<PlannedAnswers, Failure> {
    let pods: Api<Pod> = cluster.namespaced();
    let questions = checks.iter().map(|planned| ask(&pods, planned));
    let answers: Vec<_> = futures::stream::iter(questions)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    answers.into_iter().collect()
}

async fn ask(pods: &Api<Pod>, planned: &PlannedCheck) -> Result<(String, PlannedAnswer), Failure> {
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let created = pods.create(&params, &build_pod(&planned.check)?).await;
    let answer = match created {
        Ok(_) => PlannedAnswer::Accepted,
        Err(kube::Error::Api(status)) => interpret(status.code, &status.message, &planned.check),
        Err(error) => PlannedAnswer::Unanswered(error.to_string()),
    };
    Ok((planned.clique.clone(), answer))
}

/// The pod without its owner: only the operator has the right to name a PodClique as the owner.
fn build_pod(check: &Check) -> Result<Pod, Failure> {
    let encoded = check
        .pod
        .encode()
        .map_err(|error| bug(&error.to_string()))?;
    let pod: Result<Pod, _> = serde_json::from_slice(&encoded);
    let mut pod = pod.map_err(|error| unreadable("its pod", &error))?;
    pod.metadata.owner_references = None;
    Ok(pod)
}

fn interpret(code: u16, message: &str, check: &Check) -> PlannedAnswer {
    if code == 429 || code >= 500 || message.contains(MAY_NOT_CREATE) {
        return PlannedAnswer::Unanswered(message.to_owned());
    }
    match CheckAnswer::of_response(code, message, check) {
        CheckAnswer::Accepted => PlannedAnswer::Accepted,
        CheckAnswer::Refused(words) => PlannedAnswer::Refused(words),
    }
}
