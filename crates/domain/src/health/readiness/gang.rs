//! Why the gates of a gang's pods are not removed yet.

use api::conditions::{self, ConditionType, Reason};
use api::podgang::PodGroup;
use api::{PodClique, PodGang, labels};

use super::cause::Cause;
use crate::object::ownership;
use crate::placement::requires_domain;
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

    /// Whether pods of the gang have to share a topology domain.
    pub(super) fn must_share_domain(&self) -> bool {
        matches!(self, Self::Packed { .. })
    }

    /// What the PodGang knows of an unplaced pod beyond the pod's own cause: that the gang finds no
    /// domain, whatever this pod says.
    pub(super) fn tell(&self, own: Cause) -> Cause {
        let told = Reason::TopologyNoDomain;
        match self {
            Self::Packed {
                no_domain: Some(text),
            } if own.reason.priority() >= told.priority() => Cause {
                remedy: own.remedy.filter(|_| own.reason == told),
                ..Cause::new(told, text.clone())
            },
            _ => own,
        }
    }

    pub(super) fn find_cause(&self) -> Option<Cause> {
        match self {
            Self::Started | Self::Packed { .. } => None,
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
    let label = |key: &str| ownership::label(&podclique.metadata, key);
    let gang = gang.filter(|g| opens_gates(g));
    let is_running = gang.is_some_and(runs);
    let mut listed = gang.into_iter().flat_map(listed_parts);
    let name = ownership::name(&podclique.metadata);
    if listed.any(|p| p.name == name) {
        return gang.map_or(Start::Started, Start::of_started);
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
