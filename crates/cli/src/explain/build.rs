//! Builds the answer from the objects.

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::PodCliqueSet;
use api::conditions::{self, ConditionType, Reason};
use api::labels;
use domain::health::readiness;
use domain::object::ownership;
use domain::roster::ObservedClique;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;

use super::answer::{Explanation, Link};
use super::autoscaler_remedy::remedy_of_autoscaler;
use super::chain::find_chain;
use super::claim_remedy::remedy_of_claim;
use super::claims::pending_claims;
use super::evidence::gather_evidence;
use super::find::{Finding, find_culprit, find_pod, is_of_the_set_itself, ready_reason};
use super::missing_right::remedy_of_missing_right;
use super::next::find_steps;
use super::object_names::name_objects;
use super::remedy::{hold_up_remedy, remedy_of};
use super::scarce_device::{ScarceDevice, find_scarce};
use crate::capacity::{ClusterSnapshot, DomainsOfGang, domains_of, gangs_in};
use crate::output::count;
use crate::workload::View;
use crate::workload::{Workload, event};

/// The finding about a set before its events are read, which takes a request for each object.
#[derive(Debug)]
pub struct Search<'a> {
    view: View<'a>,
    finding: Finding<'a>,
    chain: Vec<Link>,
    pod: Option<String>,
}

/// Finds the cause that keeps the set, or the pod of that name, from running; `None` without such a
/// pod.
pub fn search<'a>(
    workload: &'a Workload,
    podcliques: &'a [ObservedClique],
    pod: Option<&str>,
    now: Timestamp,
) -> Option<Search<'a>> {
    let view = View::of(workload, podcliques, now);
    let finding = match pod {
        Some(name) => find_pod(&view, name)?,
        None => find_culprit(&view),
    };
    Some(Search {
        chain: find_chain(&view, &finding),
        pod: pod.map(str::to_owned),
        view,
        finding,
    })
}

impl Search<'_> {
    /// The uids of the objects of the chain.
    pub fn uids(&self) -> Vec<String> {
        let links = self.chain.iter();
        links.filter_map(|link| link.uid.clone()).collect()
    }

    /// The answer, with these events about the objects of the chain.
    pub fn explain(&self, events: &[Event]) -> Explanation {
        let (view, finding) = (&self.view, &self.finding);
        let is_leaving = ownership::is_terminating(&view.workload.set.metadata);
        let headline = match self.pod {
            Some(_) => self.of_pod(),
            None if is_leaving => self.of_leaving_set(),
            None if view.workload.is_namespace_leaving => self.of_leaving_namespace(),
            None => self.of_set(),
        };
        let cause = self.cause(&headline);
        let hold_up = self.find_hold_up(cause, events);
        let remedy = cause.and_then(|reason| self.find_remedy(reason, hold_up, &headline.sentence));
        let set = &view.workload.set.metadata;
        Explanation {
            set: ownership::name(set).to_owned(),
            namespace: set.namespace.clone().unwrap_or_default(),
            pod: self.pod.clone(),
            operator_absence: None,
            is_ready: headline.is_ready,
            reason: headline.reason,
            cause: match hold_up {
                Some(event) => format!("{}; {}", headline.sentence, describe(event)),
                None => headline.sentence,
            },
            chain: self.chain.clone(),
            evidence: gather_evidence(view, finding, &self.chain, events, cause),
            remedy,
            next: find_steps(view, finding, cause),
            domains: Vec::new(),
            domain_notes: Vec::new(),
            not_read: Vec::new(),
        }
    }

    /// The set.
    pub fn set(&self) -> &PodCliqueSet {
        &self.view.workload.set
    }

    /// The devices that the scheduler finds too few of for the pods.
    pub fn scarce_devices(&self) -> Vec<ScarceDevice> {
        find_scarce(self.set(), &self.finding)
    }

    /// Names of the resource claims that may keep the pod from a node.
    pub fn pending_claims(&self) -> Vec<String> {
        self.finding.pod.map(pending_claims).unwrap_or_default()
    }

    /// Whether the gang finds no topology domain, so that its nodes and all pods on them are read.
    pub fn lacks_domain(&self) -> bool {
        let cause = self.finding.cause.as_ref();
        cause.is_some_and(|cause| cause.reason == Reason::TopologyNoDomain)
    }

    /// The domains that its gang could use, by a snapshot of the cluster.
    pub fn find_domains(&self, snapshot: &ClusterSnapshot) -> Option<DomainsOfGang> {
        let workload = self.view.workload;
        let name = self.finding.gang_name(&self.view)?;
        let set = validate_set(&workload.set, &DefaultsConfig::default()).set;
        let gangs = gangs_in(&set, &workload.layout(), snapshot).ok()?;
        domains_of(snapshot, &gangs, &name)
    }

    /// The newest event with the reason why the kubelet cannot start the pod, or Kubernetes cannot
    /// make its resource claims: the status alone does not distinguish a volume that cannot be
    /// mounted from an image that is being pulled, and says nothing of claims.
    fn find_hold_up<'e>(&self, reason: Option<Reason>, events: &'e [Event]) -> Option<&'e Event> {
        let pod = self.finding.pod.filter(|_| {
            matches!(
                reason,
                Some(Reason::PodsStarting | Reason::WaitingForScheduler)
            )
        })?;
        let uid = pod.metadata.uid.as_ref()?;
        events
            .iter()
            .filter(|e| {
                let is_shown = hold_up_remedy(event::reason(e)).is_some();
                e.involved_object.uid.as_ref() == Some(uid) && event::is_warning(e) && is_shown
            })
            .max_by_key(|e| event::last_time(e))
    }

    /// The remedy, with the names of the objects in its commands.
    fn find_remedy(
        &self,
        reason: Reason,
        hold_up: Option<&Event>,
        sentence: &str,
    ) -> Option<String> {
        if let (Reason::ClaimMissing, Some(remedy)) = (reason, self.find_claim_remedy()) {
            return Some(remedy);
        }
        if let (Reason::RequestRefused, Some(remedy)) = (reason, self.find_right(sentence)) {
            return Some(remedy);
        }
        if let (Reason::RequestRefused, Some(remedy)) = (reason, self.find_autoscaler_remedy()) {
            return Some(remedy);
        }
        let found = self.finding.cause.as_ref();
        let found = found.filter(|cause| cause.reason == reason);
        let of_event = hold_up.and_then(|e| hold_up_remedy(event::reason(e)));
        let of_state = || found.and_then(|cause| cause.remedy);
        let remedy = of_event.or_else(of_state).or_else(|| remedy_of(reason))?;
        let container = found.and_then(|cause| cause.container.as_deref());
        let names = name_objects(&self.view, &self.finding, sentence).with("CONTAINER", container);
        Some(names.fill(remedy))
    }

    /// The remedy for the claim that the pods of the PodClique wait for.
    fn find_claim_remedy(&self) -> Option<String> {
        let status = self.finding.podclique?.podclique.status.as_ref()?;
        let namespace = self.view.workload.set.metadata.namespace.as_deref()?;
        remedy_of_claim(&status.last_errors, namespace)
    }

    /// The remedy for a right that the operator lacks.
    fn find_right(&self, sentence: &str) -> Option<String> {
        let namespace = self.view.workload.set.metadata.namespace.as_deref();
        remedy_of_missing_right(sentence, namespace.unwrap_or_default())
    }

    /// The remedy for the autoscaler that the API server refuses, if that is the cause.
    fn find_autoscaler_remedy(&self) -> Option<String> {
        let set = &self.view.workload.set;
        let refused = readiness::refusal(&set.status.as_ref()?.last_errors)?;
        remedy_of_autoscaler(set, &refused.text)
    }

    /// The reason that needs a remedy: that of the condition, or, if enough replicas run, that of
    /// the others.
    fn cause(&self, headline: &Headline) -> Option<Reason> {
        let told: Option<Reason> = headline.reason.parse().ok();
        let of_set = told.filter(|reason| reason.holds_an_update_up() || reason.is_blocking());
        let found = self.finding.cause.as_ref().map(|cause| cause.reason);
        if headline.is_ready || self.pod.is_some() {
            return found.or(of_set);
        }
        told.or(found)
    }

    fn of_set(&self) -> Headline {
        let workload = self.view.workload;
        let status = workload.set.status.clone().unwrap_or_default();
        let Some(ready) = conditions::find(&status.conditions, ConditionType::Ready) else {
            let sentence = "no operator has reconciled it yet: it has no condition Ready";
            return Headline::not_ready(UNKNOWN, sentence);
        };
        let versions = ready
            .observed_generation
            .zip(workload.set.metadata.generation);
        if let Some((seen, newest)) = versions.filter(|(seen, newest)| seen < newest) {
            return Headline::of_old_news(seen, newest);
        }
        if ready.status == "True" && !is_of_the_set_itself(workload) {
            let counted = usize::try_from(status.available_replicas).unwrap_or(0);
            let available = self.view.count_available();
            if available < counted {
                return Headline::of_lost_replicas(counted, available);
            }
        }
        let reason = ready_reason(workload).map(|r| r.to_string());
        Headline {
            is_ready: ready.status == "True",
            reason: reason.unwrap_or_else(|| ready.reason.clone()),
            sentence: ready.message.clone(),
        }
    }

    /// The operator does not update the conditions of a set that is being deleted.
    fn of_leaving_set(&self) -> Headline {
        let workload = self.view.workload;
        let podcliques = count(workload.podcliques.len(), "PodClique");
        let pods = count(workload.pods.len(), "pod");
        let finalizers = workload.set.metadata.finalizers.iter().flatten();
        let foreign: Vec<_> = finalizers.filter(|f| *f != labels::PCS_FINALIZER).collect();
        let waits = match foreign.as_slice() {
            [] => String::new(),
            [one, ..] => format!("; finalizer {one} of another controller holds it, too"),
        };
        let sentence = format!("the set is being deleted: {podcliques} and {pods} are left{waits}");
        Headline::not_ready(Reason::Terminating, sentence)
    }

    /// Kubernetes deletes everything in it, the pods first.
    fn of_leaving_namespace(&self) -> Headline {
        let workload = self.view.workload;
        let namespace = workload.set.metadata.namespace.as_deref();
        let namespace = namespace.unwrap_or_default();
        let pods = count(workload.pods.len(), "pod");
        let sentence = format!(
            "namespace {namespace} is being deleted with all that is in it: {pods} of the set are \
             left"
        );
        Headline::not_ready(Reason::Terminating, sentence)
    }

    fn of_pod(&self) -> Headline {
        match &self.finding.cause {
            Some(cause) => Headline::not_ready(cause.reason, &*cause.text),
            None => Headline {
                is_ready: true,
                reason: self.chain.last().map_or(String::new(), |l| l.state.clone()),
                sentence: "the pod is ready, or has done its work".to_owned(),
            },
        }
    }
}

/// Its reason and its message.
fn describe(event: &Event) -> String {
    format!("{}: {}", event::reason(event), event::message(event))
}

/// The first line of the answer.
struct Headline {
    is_ready: bool,
    reason: String,
    sentence: String,
}

/// The reason where the condition is absent or old.
const UNKNOWN: &str = "Unknown";

impl Headline {
    fn not_ready(reason: impl Into<&'static str>, sentence: impl Into<String>) -> Self {
        Self {
            is_ready: false,
            reason: reason.into().to_owned(),
            sentence: sentence.into(),
        }
    }

    /// The headline if the condition is older than the present state of the pods.
    fn of_lost_replicas(counted: usize, available: usize) -> Self {
        let are = if available == 1 { "is" } else { "are" };
        let counted = count(counted, "available replica");
        let available = count(available, "replica");
        let sentence = format!(
            "status says {counted}; by the pods {available} {are} available now; if it stays so, \
             check that the operator runs and watches this namespace"
        );
        Self::not_ready(UNKNOWN, sentence)
    }

    /// The headline if the condition is about an earlier spec.
    fn of_old_news(seen: i64, newest: i64) -> Self {
        let sentence = format!(
            "the operator has processed generation {seen}; generation {newest} is newer; if it \
             stays so, check that the operator runs and watches this namespace"
        );
        Self::not_ready(UNKNOWN, sentence)
    }
}
