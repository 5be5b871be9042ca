//! Pods that the API server is asked about and does not create.

use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;

use super::rules::{CHECK_SKIPPED, POD_REFUSED};
use crate::cluster::Cluster;
use crate::lint::remark::Remark;

/// Requests at a time.
const AT_ONCE: usize = 8;
/// With these words the API server refuses the user, not the pod.
const MAY_NOT_CREATE: &str = "cannot create resource \"pods\"";
/// Quotas have rules of their own, which count all pods.
const QUOTA: &str = "exceeded quota";
/// The words of the API server if a webhook is not called in a dry run.
const NO_DRY_RUN: &str = "does not support dry run";
/// The remedy of trouble that passes.
const AGAIN: &str = "try again later";

/// The remark on a template after the answer to its pod; none if the pod would be created, or if
/// other rules say why not.
pub fn judge_answer(at: &str, code: u16, message: &str) -> Option<Remark> {
    match code {
        // A missing namespace has a remark of its own.
        200..300 | 404 | 409 => None,
        400 if message.contains(NO_DRY_RUN) => None,
        403 if message.contains(QUOTA) => None,
        403 if message.contains(MAY_NOT_CREATE) => {
            let remark = skipped(at, "you have no right to create pods");
            Some(remark.remedy("try again with the right to create pods"))
        }
        429 | 500.. => Some(skipped(at, message).remedy(AGAIN)),
        _ => {
            let problem = format!("the API server refuses its pods: {message}");
            Some(Remark::new(&POD_REFUSED, at, problem))
        }
    }
}

/// The remark on a template whose pod was not asked about.
pub(super) fn skipped(at: &str, why: &str) -> Remark {
    let problem = format!("its pods were not checked by a dry run: {why}");
    Remark::new(&CHECK_SKIPPED, at, problem)
}

/// Asks about these pods in that namespace; with each is the path of its template.
pub(super) async fn ask(
    cluster: &Cluster,
    namespace: &str,
    asked: Vec<(String, Pod)>,
) -> Vec<Remark> {
    let pods: Api<Pod> = Api::namespaced(cluster.client.clone(), namespace);
    let questions = asked
        .into_iter()
        .map(|(at, pod)| ask_one(pods.clone(), at, pod));
    let answers: Vec<Option<Remark>> = stream::iter(questions).buffered(AT_ONCE).collect().await;
    answers.into_iter().flatten().collect()
}

async fn ask_one(pods: Api<Pod>, at: String, pod: Pod) -> Option<Remark> {
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    match pods.create(&params, &pod).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => judge_answer(&at, status.code, &status.message),
        Err(error) => Some(skipped(&at, &error.to_string()).remedy(AGAIN)),
    }
}
