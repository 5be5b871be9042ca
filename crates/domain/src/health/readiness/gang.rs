//! Why the gates of a gang's pods are not removed yet.

use api::conditions::{self, ConditionType, Reason};
use api::podgang::PodGroup;
use api::{PodClique, PodGang, labels};

use super::cause::Cause;
use super::hold::Hold;
use crate::Pod;
use crate::object::ownership;
use crate::placement::requires_domain;
use crate::scheduling::quota;
use crate::workload::gang::opens_gates;

/// Whether the gang of a PodClique started, and why not if it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// It started.
    #[default]
    Started,
    /// It started, and pods of it have to share a topology domain.
    Packed {
        /// Why it finds no domain, in the words of its PodGang.
        no_domain: Option<String>,
    },
    /// It started, and pods of the PodClique lack quota, or their quota is for other nodes.
    Held {
        /// How it started.
        started: Box<Self>,
        /// Why these pods wait.
        hold: Hold,
    },
    /// A pod of the gang does not exist yet, or its base gang is ready except for parts scaled up
    /// again.
    Incomplete {
        /// Name of the gang.
        gang: String,
        /// Name of the base gang, if it builds upon one.
        base: Option<String>,
    },
    /// The gang runs, and a pod that is to join it does not exist yet.
    Joins {
        /// Name of the gang.
        gang: String,
    },
    /// The gang that it builds upon is not up.
    AwaitsBase {
        /// Name of the gang.
        gang: String,
        /// Name of the base gang.
        base: String,
    },
    /// PodCliques of an earlier attempt are deleted first.
    Terminating,
    /// Its set is suspended: its pods are deleted, and none is created.
    Suspended,
    /// The gang waits in a queue until its quota is reserved.
    AwaitsQuota {
        /// Whether it waits for the first time, or has lost its quota.
        reason: Reason,
        /// Why, in the words of its PodGang.
        text: String,
    },
    /// The gang never starts: its job was given up, for this reason.
    GivenUp(Reason),
}

impl Start {
    /// That of the parts of a gang that started.
    fn of_started(gang: &PodGang) -> Self {
        if requires_domain(gang) {
            let no_domain = no_domain_of(gang).map(str::to_owned);
            Self::Packed { no_domain }
        } else {
            Self::Started
        }
    }

    /// With the pods of the PodClique that wait although the gang started.
    #[must_use]
    pub fn held_by(self, gang: &PodGang, podclique: &str) -> Self {
        match Hold::of(gang, podclique) {
            Some(hold) => Self::Held {
                started: Box::new(self),
                hold,
            },
            None => self,
        }
    }

    /// How the gang started, if it did.
    fn started(&self) -> &Self {
        match self {
            Self::Held { started, .. } => started,
            other => other,
        }
    }

    /// That of the parts of a gang whose quota is not enough to start.
    pub fn of_short(gang: &PodGang) -> Option<Self> {
        Some(Self::awaits_more(quota::explain_low_grant(gang)?))
    }

    fn awaits_more(text: String) -> Self {
        Self::AwaitsQuota {
            reason: Reason::WaitingForQuota,
            text,
        }
    }

    /// That of the parts of a gang that waits for quota.
    pub fn of_waiting(gang: &PodGang) -> Option<Self> {
        let (reason, text) = quota::explain_wait(gang)?;
        Some(Self::AwaitsQuota {
            reason,
            text: text.to_owned(),
        })
    }

    /// Whether its pods are kept away on purpose, whatever they lack.
    pub(super) fn is_stopped(&self) -> bool {
        let has_lost_quota = |reason: &Reason| *reason == Reason::QuotaEvicted;
        match self {
            Self::AwaitsQuota { reason, .. } => has_lost_quota(reason),
            other => *other == Self::Suspended,
        }
    }

    /// Whether pods of the gang have to share a topology domain.
    pub(super) fn must_share_domain(&self) -> bool {
        matches!(self.started(), Self::Packed { .. })
    }

    /// What the PodGang knows of an unplaced pod beyond the pod's own cause: that the gang finds no
    /// domain, whatever this pod says.
    pub(super) fn tell(&self, own: Cause) -> Cause {
        let told = Reason::TopologyNoDomain;
        match self.started() {
            Self::Packed {
                no_domain: Some(text),
            } if own.reason.priority() >= told.priority() => Cause {
                remedy: own.remedy.filter(|_| own.reason == told),
                ..Cause::new(told, text.clone())
            },
            _ => own,
        }
    }

    /// Why a pod of the gang keeps our gate.
    pub(super) fn explain_gate(&self, pod: &Pod) -> Option<Cause> {
        match self {
            Self::Held { hold, .. } => hold.explain(pod.index()),
            other => other.find_cause(),
        }
    }

    /// Why pods of the gang are not created: it has no quota for them.
    pub(super) fn explain_shortage(&self) -> Option<Cause> {
        match self {
            Self::Held { hold, .. } => hold.explain(None),
            _ => None,
        }
    }

    pub(super) fn find_cause(&self) -> Option<Cause> {
        match self {
            Self::Started | Self::Packed { .. } | Self::Held { .. } => None,
            Self::Incomplete { gang, base } => {
                let base = base.as_ref().map_or(String::new(), |base| {
                    format!(", and every part of its base gang {base} is ready")
                });
                let text = format!("gang {gang} waits until all its pods exist{base}");
                Some(Cause::new(Reason::GangIncomplete, text))
            }
            Self::Joins { gang } => Some(Cause::new(
                Reason::GangIncomplete,
                format!("gang {gang} runs; its new pods wait until all of them exist"),
            )),
            Self::AwaitsBase { gang, base } => Some(Cause::new(
                Reason::BaseGangNotReady,
                format!("gang {gang} waits until its base gang {base} is ready"),
            )),
            Self::Terminating => Some(Cause::new(
                Reason::ReplicaTerminating,
                "the replica was terminated; waiting for its old PodCliques to go",
            )),
            Self::Suspended => Some(Cause::new(
                Reason::Suspended,
                "waits until the PodCliqueSet is resumed",
            )),
            Self::AwaitsQuota { reason, text } => Some(Cause::new(*reason, text.clone())),
            Self::GivenUp(reason) => Some(Cause::new(*reason, "the job was given up")),
        }
    }
}

/// Derives it from the PodClique's labels and its gang. `is_ready` returns whether the gang of that
/// name is ready.
pub fn find_start(
    podclique: &PodClique,
    gang: Option<&PodGang>,
    is_ready: impl Fn(&str) -> bool,
) -> Start {
    if let Some(waiting) = gang.and_then(Start::of_waiting) {
        return waiting;
    }
    let label = |key: &str| ownership::label(&podclique.metadata, key);
    let gang = gang.filter(|g| opens_gates(g));
    let is_running = gang.is_some_and(runs);
    if let Some(short) = gang.filter(|_| !is_running).and_then(Start::of_short) {
        return short;
    }
    let mut listed = gang.into_iter().flat_map(listed_parts);
    let name = ownership::name(&podclique.metadata);
    if listed.any(|p| p.name == name) {
        return gang.map_or(Start::Started, |gang| {
            Start::of_started(gang).held_by(gang, name)
        });
    }
    let lacking = gang.filter(|_| is_running);
    if let Some(text) = lacking.and_then(|gang| quota::explain_shortage(gang, name)) {
        return Start::awaits_more(text);
    }
    let gang = label(labels::POD_GANG).unwrap_or_default().to_owned();
    let base = label(labels::BASE_POD_GANG).map(str::to_owned);
    match base {
        _ if is_running => Start::Joins { gang },
        Some(base) if !is_ready(&base) => Start::AwaitsBase { gang, base },
        base => Start::Incomplete { gang, base },
    }
}

/// Why the gang finds no topology domain, in the words of its condition `Ready`.
pub fn no_domain_of(gang: &PodGang) -> Option<&str> {
    let conditions = &gang.status.as_ref()?.conditions;
    let ready = conditions::find(conditions, ConditionType::Ready)?;
    let finds_none = ready.reason == <&str>::from(Reason::TopologyNoDomain);
    finds_none.then_some(&*ready.message)
}

/// Whether the gang lets pods through and lists some.
pub fn runs(gang: &PodGang) -> bool {
    opens_gates(gang) && listed_parts(gang).next().is_some()
}

fn listed_parts(gang: &PodGang) -> impl Iterator<Item = &PodGroup> {
    gang.spec
        .pod_groups
        .iter()
        .filter(|part| !part.pod_references.is_empty())
}
