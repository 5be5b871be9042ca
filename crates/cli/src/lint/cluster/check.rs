//! Turns the answers into remarks on a set.

use std::collections::BTreeSet;

use api::kueue::VERSION;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::scheduling::{Backend, COMPUTE_DOMAINS_NOT_SERVED, UnsupportedFeature};

use super::answers::{Answer, Answers, NeededKind};
use super::needs::Need;
use super::quota;
use super::rules::{
    CHECK_SKIPPED, MISSING_CLAIM, MISSING_OBJECT, MISSING_QUEUE, MISSING_TOPOLOGY, NO_NAMESPACE,
    NO_NODE_OF_LEVEL, NOT_INSTALLED,
};
use crate::lint::remark::Remark;

/// Remarks on an object that needs all this; if its namespace does not exist, only that.
pub fn check_answers(needs: &[Need], answers: &Answers, set: Option<&PodCliqueSet>) -> Vec<Remark> {
    let is_missing = |need: &&Need| matches!(answers.get(&need.wanted), Some(Answer::Missing));
    let has_namespace = !needs
        .iter()
        .filter(is_missing)
        .any(|need| need.wanted.kind == NeededKind::Namespace);
    let is_looked_at = |need: &&Need| has_namespace || !need.wanted.kind.is_namespaced();
    let mut told = BTreeSet::new();
    let mut remarks = Vec::new();
    for need in needs.iter().filter(is_looked_at) {
        let Some(answer) = answers.get(&need.wanted) else {
            continue;
        };
        // A missing right, or kind, is reported once.
        let is_news = match answer {
            Answer::Forbidden => told.insert((need.wanted.kind, true)),
            Answer::NotServed => told.insert((need.wanted.kind, false)),
            _ => true,
        };
        if is_news {
            remarks.extend(check(need, answer, set));
        }
    }
    remarks
}

fn check(need: &Need, answer: &Answer, set: Option<&PodCliqueSet>) -> Vec<Remark> {
    match answer {
        Answer::There => Vec::new(),
        Answer::Missing => vec![missing(need)],
        Answer::NotServed => vec![not_served(need)],
        Answer::Forbidden => vec![skipped(need)],
        Answer::Topology(topology) => unknown_levels(need, topology),
        Answer::Quota(found) => set.map_or(Vec::new(), |set| quota::check(set, found)),
    }
}

fn missing(need: &Need) -> Remark {
    let (kind, name) = (need.wanted.kind, &need.wanted.name);
    let at = need.path.as_str();
    match kind {
        NeededKind::Namespace => {
            let problem = format!("namespace {name} does not exist");
            let remark = Remark::new(&NO_NAMESPACE, at, problem);
            remark.remedy("create it, or name another one with -n")
        }
        NeededKind::KaiQueue => no_queue(at, Backend::KaiScheduler, name),
        NeededKind::VolcanoQueue => no_queue(at, Backend::Volcano, name),
        NeededKind::Topology => {
            let problem = format!("ClusterTopologyBinding {name} does not exist");
            let remark = Remark::new(&MISSING_TOPOLOGY, at, problem);
            remark.remedy("create it, or name one that `kubectl get clustertopologybindings` shows")
        }
        NeededKind::LabelledNode => {
            let problem = format!("no node has label {name}");
            let remark = Remark::new(&NO_NODE_OF_LEVEL, at, problem);
            remark.remedy("label the nodes, or correct the key")
        }
        NeededKind::LocalQueue => {
            let namespace = need.wanted.namespace.as_deref().unwrap_or_default();
            let problem = format!("LocalQueue {name} does not exist in namespace {namespace}");
            let list = format!("kubectl get localqueues.kueue.x-k8s.io -n {namespace}");
            let remark = Remark::new(&MISSING_QUEUE, at, problem);
            remark.remedy(format!("create it, or use one that `{list}` lists"))
        }
        _ => {
            let rule = match kind {
                NeededKind::WorkloadPriorityClass => &MISSING_QUEUE,
                kind if kind.is_of_devices() => &MISSING_CLAIM,
                _ => &MISSING_OBJECT,
            };
            let place = need.wanted.namespace.as_ref();
            let place = place.map_or(String::new(), |n| format!(" in namespace {n}"));
            let problem = format!("{} {name} does not exist{place}", kind.word());
            let remark = Remark::new(rule, at, problem);
            remark.remedy("create it, or correct the name")
        }
    }
}

/// In the words of condition `SchedulingFeatureUnsupported`.
fn no_queue(at: &str, backend: Backend, name: &str) -> Remark {
    let unsupported = UnsupportedFeature::NoQueue(backend, name.to_owned());
    Remark::new(&MISSING_QUEUE, at, unsupported.condition().message)
}

fn not_served(need: &Need) -> Remark {
    let at = need.path.as_str();
    match need.wanted.kind {
        NeededKind::KaiQueue => no_scheduler(at, Backend::KaiScheduler),
        NeededKind::VolcanoQueue => no_scheduler(at, Backend::Volcano),
        NeededKind::LocalQueue | NeededKind::WorkloadPriorityClass => {
            let plural = need.wanted.kind.plural();
            let problem = format!("this cluster does not serve {plural} in version {VERSION}");
            let remark = Remark::new(&MISSING_QUEUE, at, problem);
            remark.remedy("install Kueue 0.17 or newer, or remove the label")
        }
        NeededKind::ComputeDomains => {
            Remark::new(&MISSING_CLAIM, at, COMPUTE_DOMAINS_NOT_SERVED.to_owned())
        }
        kind if kind.is_of_devices() => {
            let plural = kind.plural();
            let problem = format!("this cluster does not serve {plural} of resource.k8s.io/v1");
            let remark = Remark::new(&MISSING_CLAIM, at, problem);
            remark.remedy("use Kubernetes 1.34 or newer")
        }
        _ => {
            let problem = "this cluster does not serve grove.io/v1alpha1".to_owned();
            let remark = Remark::new(&NOT_INSTALLED, at, problem);
            remark.remedy("install grove first")
        }
    }
}

/// In the words of condition `SchedulingFeatureUnsupported`.
fn no_scheduler(at: &str, backend: Backend) -> Remark {
    let unsupported = UnsupportedFeature::NotServed(backend);
    Remark::new(&MISSING_QUEUE, at, unsupported.condition().message)
}

fn skipped(need: &Need) -> Remark {
    let plural = need.wanted.kind.plural();
    let problem = format!("was not checked in the cluster: you have no right to read {plural}");
    let remark = Remark::new(&CHECK_SKIPPED, need.path.as_str(), problem);
    remark.remedy("ask for that right, or check it by other means")
}

fn unknown_levels(need: &Need, topology: &ClusterTopologyBinding) -> Vec<Remark> {
    let known: Vec<_> = topology
        .spec
        .levels
        .iter()
        .map(|l| l.domain.as_str())
        .collect();
    let unknown = need
        .levels
        .iter()
        .filter(|(level, _)| !known.contains(&level.as_str()));
    let name = &need.wanted.name;
    let remark = |(level, at): &(String, String)| {
        let problem = format!("ClusterTopologyBinding {name} has no level {level}");
        let remark = Remark::new(&MISSING_TOPOLOGY, at.as_str(), problem);
        remark.remedy(format!("choose from {}", known.join(", ")))
    };
    unknown.map(remark).collect()
}
