//! One pod of each clique, for a dry run.

use api::PodCliqueSet;
use domain::object::ownership;
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use kube::api::ObjectMeta;

use super::answers::NeededKind;
use super::dry_run::skipped;
use super::needs::Need;
use super::rules::{NO_NAMESPACE, QUOTA_NEEDS_REQUESTS};
use crate::lint::parts::{cliques, is_within};
use crate::lint::remark::{Remark, Severity};
use crate::lint::rules::admitted;

/// The pods of a set to ask about.
#[derive(Debug, Default)]
pub struct SamplePods {
    /// The pods, each with the path of its template.
    pub pods: Vec<(String, Pod)>,
    /// Remarks on the templates that are left out.
    pub skipped: Vec<Remark>,
}

/// Fields of a clique that its pods have.
const FIELDS_OF_PODS: [&str; 4] = ["name", "labels", "annotations", "spec.podSpec"];

/// A pod of each clique without a fault that is known. Its account and its class are left out if the
/// cluster lacks them: without them the API server refuses a pod that is right in all else.
pub fn choose_pods(set: &PodCliqueSet, remarks: &[Remark], lacking: &[&Need]) -> SamplePods {
    let mut chosen = SamplePods::default();
    if let Some(remark) = remarks.iter().find(|remark| remark.rule == &NO_NAMESPACE) {
        let why = format!("the {}", remark.problem);
        let remark = skipped("spec.template.cliques", &why);
        chosen.skipped = vec![remark.remedy("create the namespace, and try again")];
        return chosen;
    }
    let pods = build_pods(set);
    for ((clique, _), (at, mut pod)) in cliques(set).zip(pods) {
        if let Some(fault) = remarks.iter().find(|remark| is_fault(remark, &clique)) {
            let remark = skipped(&at, &format!("{} is wrong", fault.path));
            let remark = remark.remedy("correct it, and try again");
            chosen.skipped.push(remark);
        } else {
            leave_out(pod.spec.get_or_insert_default(), &at, lacking);
            chosen.pods.push((at, pod));
        }
    }
    chosen
}

/// Whether the API server would refuse the pods of the clique at this path for the remark's reason, or the
/// pods are guessed.
fn is_fault(remark: &Remark, clique: &str) -> bool {
    let is_error = remark.severity == Severity::Error || remark.rule == &QUOTA_NEEDS_REQUESTS;
    let is_of_pods = FIELDS_OF_PODS
        .iter()
        .any(|field| is_within(&remark.path, &format!("{clique}.{field}")));
    let is_guessed = remark.rule == &admitted::DEFINITION
        && is_within(&format!("{clique}.spec.podSpec"), &remark.path);
    let is_of_name = is_within(&remark.path, "metadata.name");
    is_error && (is_of_pods || is_guessed || is_of_name)
}

/// Removes the names of the account and the class that the cluster lacks.
fn leave_out(spec: &mut PodSpec, template: &str, lacking: &[&Need]) {
    let lacks = |kind: NeededKind| {
        lacking.iter().any(|need| {
            let is_of_set = need.path == "spec.template.priorityClassName";
            need.wanted.kind == kind && (is_of_set || is_within(&need.path, template))
        })
    };
    if lacks(NeededKind::ServiceAccount) {
        spec.service_account_name = None;
        spec.service_account = None;
    }
    if lacks(NeededKind::PriorityClass) {
        spec.priority_class_name = None;
    }
}

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
