//! One pod of each clique, which the API server is asked about and does not create.

use api::PodCliqueSet;
use domain::object::ownership;
use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ObjectMeta, PostParams};

use super::rules::{CHECK_SKIPPED, POD_REFUSED};
use crate::cluster::Cluster;
use crate::lint::parts::cliques;
use crate::lint::remark::Remark;

/// Requests at a time.
const AT_ONCE: usize = 8;
/// With these words the API server refuses the user, not the pod.
const MAY_NOT_CREATE: &str = "cannot create resource \"pods\"";
/// Quotas have rules of their own, which count all pods.
const QUOTA: &str = "exceeded quota";
/// The words of the API server if a webhook is not called in a dry run.
const NO_DRY_RUN: &str = "does not support dry run";

/// A pod of each clique as its template has it, with the path of the template. The parts that the
/// operator adds are left out: it is sure of them.
pub fn build_pods(set: &PodCliqueSet) -> Vec<(String, Pod)> {
    let name = ownership::name(&set.metadata);
    let class = &set.spec.template.priority_class_name;
    cliques(set)
        .map(|(at, clique)| {
            let mut spec = (*clique.spec.pod_spec).clone();
            if !class.is_empty() {
                spec.priority_class_name = Some(class.clone());
            }
            let metadata = ObjectMeta {
                generate_name: Some(format!("{name}-0-{}-", clique.name)),
                labels: Some(clique.labels.clone()),
                annotations: Some(clique.annotations.clone()),
                ..ObjectMeta::default()
            };
            let pod = Pod {
                metadata,
                spec: Some(spec),
                ..Pod::default()
            };
            (format!("{at}.spec.podSpec"), pod)
        })
        .collect()
}

/// The remark on a template after the answer to its pod; none if the pod would be created, or if
/// other rules say why not.
pub fn judge_answer(at: &str, code: u16, message: &str) -> Option<Remark> {
    match code {
        // A missing namespace has a remark of its own.
        200..300 | 404 | 409 => None,
        400 if message.contains(NO_DRY_RUN) => None,
        403 if message.contains(QUOTA) => None,
        403 if message.contains(MAY_NOT_CREATE) => {
            Some(skipped(at, "you have no right to create pods"))
        }
        429 | 500.. => Some(skipped(at, message)),
        _ => {
            let problem = format!("the API server refuses its pods: {message}");
            Some(Remark::new(&POD_REFUSED, at, problem))
        }
    }
}

fn skipped(at: &str, why: &str) -> Remark {
    let problem = format!("its pods were not checked by a dry run: {why}");
    let remark = Remark::new(&CHECK_SKIPPED, at, problem);
    remark.remedy("try again with the right to create pods")
}

/// Asks about all cliques of a set in that namespace.
pub(super) async fn ask(cluster: &Cluster, namespace: &str, set: &PodCliqueSet) -> Vec<Remark> {
    let pods: Api<Pod> = Api::namespaced(cluster.client.clone(), namespace);
    let questions = build_pods(set)
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
        Err(error) => Some(skipped(&at, &error.to_string())),
    }
}
