//! The PodGroup (Kubernetes' own kind) that new pods name (docs/semantics.md §8.9, decision 87).

use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodGang, labels};
use domain::health::suspension;
use domain::object::ownership;
use domain::scheduling::Backend;
use domain::scheduling::kubernetes::{base_of_probe, has_own_domain, needs_all_pods, probe_name};
use domain::{Key, Pod};
use engine::{Cache, Caches};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::scheduling::v1beta1::PodGroup;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Names tried for a PodGroup.
const PROBES: usize = 100;

/// The inputs of the choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PodGroupFacts {
    /// The scheduler does not use such PodGroups: pods name none.
    #[default]
    Unused,
    /// Some pods stay. They name this PodGroup, or none, and a replaced pod names the same.
    Kept(Option<String>),
    /// No pod stays, so the new pods are placed together, by a PodGroup that was not used before.
    Fresh {
        /// Its name, if that is free.
        base: String,
        /// The holders of this name, and of the names tried after it.
        taken: Vec<Taken>,
        /// Whether the rest of its gang waits for it, in PodGroups that are kept for that.
        is_awaited: bool,
    },
    /// The same, but the cluster does not know PodGroups: pods would lose the name.
    Unserved,
}

/// The holder of a PodGroup's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A foreign PodGroup.
    Foreign,
    /// A PodGroup that was used before, with the time of its deletion, if it is being deleted.
    Used(Option<Timestamp>),
}

/// The PodGroup of new pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This PodGroup, or none.
    Name(Option<String>),
    /// The pods are not created yet: they wait for the PodGroup that was used before, at most until
    /// then.
    Wait(Option<Timestamp>),
}

impl PodGroupFacts {
    /// Chooses the PodGroup of new pods. They wait for a PodGroup that was used before as for the
    /// pods that still use it: until it is gone, or stuck.
    pub fn choose(&self, stuck_after: SignedDuration, now: Timestamp) -> Choice {
        let (base, taken, is_awaited) = match self {
            Self::Unused => return Choice::Name(None),
            Self::Kept(name) => return Choice::Name(name.clone()),
            Self::Unserved => return Choice::Wait(None),
            Self::Fresh {
                base,
                taken,
                is_awaited,
            } => (base, taken, is_awaited),
        };
        for (probe, holder) in taken.iter().enumerate() {
            match holder {
                Taken::Foreign => {}
                Taken::Used(None) if *is_awaited => {
                    return Choice::Name(Some(probe_name(base, probe)));
                }
                Taken::Used(None) => return Choice::Wait(None),
                Taken::Used(Some(since)) => {
                    let stuck_at = since.saturating_add(stuck_after).ok();
                    if stuck_at.is_none_or(|at| at > now) {
                        return Choice::Wait(stuck_at);
                    }
                }
            }
        }
        Choice::Name(Some(probe_name(base, taken.len())))
    }
}

/// The PodClique, and the objects that it is a part of.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The PodClique.
    pub podclique: &'a PodClique,
    /// Its set, if it exists.
    pub set: Option<&'a PodCliqueSet>,
    /// Its gang, if it exists.
    pub gang: Option<&'a PodGang>,
}

impl Part<'_> {
    /// Whether the number of pods defines it fully, so that it may share a PodGroup with others. The
    /// template decides about topology domains: a pod names its PodGroup when it is created, maybe
    /// before its gang exists.
    fn may_share(&self) -> bool {
        let name = ownership::name(&self.podclique.metadata);
        let is_apart = self.set.is_some_and(|set| has_own_domain(set, name));
        needs_all_pods(&self.podclique.spec) && !is_apart
    }

    /// Whether the pod stays and counts for the choice. Those that ended before a resume do not: the gang
    /// starts again, with PodGroups that were not used before.
    fn counts(&self, pod: &Pod) -> bool {
        let status = self.set.and_then(|set| set.status.as_ref());
        !pod.is_terminating() && !suspension::is_of_before(pod, suspension::resumed_at(status))
    }
}

/// Reads the caches.
pub fn observe(
    part: Part<'_>,
    pods: &[Arc<Pod>],
    caches: &Caches,
    backend: Backend,
    is_configured: bool,
) -> PodGroupFacts {
    let podclique = part.podclique;
    let makes_pods = podclique.spec.replicas > 0 && !ownership::is_terminating(&podclique.metadata);
    if !backend.is_kubernetes() || !makes_pods {
        return PodGroupFacts::Unused;
    }
    let mut staying = pods.iter().filter(|p| part.counts(p)).peekable();
    if staying.peek().is_some() {
        let named = staying.find_map(|p| p.pod_group());
        return PodGroupFacts::Kept(named.map(str::to_owned));
    }
    let namespace = podclique.metadata.namespace.as_deref().unwrap_or_default();
    if !caches.is_served::<PodGroup>(namespace) {
        return if is_configured {
            PodGroupFacts::Unserved
        } else {
            PodGroupFacts::Kept(Some(name_before(&part, caches)))
        };
    }
    let groups = caches.of::<PodGroup>();
    let meta = &podclique.metadata;
    let rest = find_rest(&part, &groups, caches);
    let base = match ownership::label(meta, labels::POD_GANG) {
        Some(name) if shares(backend, &part) && rest != Rest::Placed => name,
        _ => ownership::name(meta),
    };
    let key = |name: String| Key::new(meta.namespace.clone().unwrap_or_default(), name);
    let found = (0..PROBES).map_while(|probe| groups.get(&key(probe_name(base, probe))));
    PodGroupFacts::Fresh {
        taken: found.map(|group| holder_of(&group.metadata)).collect(),
        base: base.to_owned(),
        is_awaited: rest == Rest::Waiting,
    }
}

/// Whether the PodClique shares a PodGroup with others.
fn shares(backend: Backend, part: &Part<'_>) -> bool {
    backend == Backend::Kubernetes && part.may_share()
}

/// The PodGroup that pods of the PodClique named before the profile was removed. No controller
/// updates PodGroups any more, so an existing one keeps its number of pods (decision 138).
fn name_before(part: &Part<'_>, caches: &Caches) -> String {
    let meta = &part.podclique.metadata;
    let of_gang = ownership::label(meta, labels::POD_GANG).unwrap_or_default();
    let is_shared = |pod: &Pod| {
        let named = pod.pod_group().filter(|_| !pod.is_terminating())?;
        (base_of_probe(named) == of_gang).then(|| named.to_owned())
    };
    let parts = others_of(part.gang, meta, caches);
    let mut pods = parts.flat_map(|part| caches.of::<Pod>().owned_by(&*part));
    let shared = pods.find_map(|pod| is_shared(&pod));
    let shared = shared.filter(|_| part.may_share());
    shared.unwrap_or_else(|| ownership::name(meta).to_owned())
}

/// The other PodCliques of the gang.
fn others_of<'a>(
    gang: Option<&'a PodGang>,
    podclique: &'a ObjectMeta,
    caches: &'a Caches,
) -> impl Iterator<Item = Arc<PodClique>> + 'a {
    let namespace = podclique.namespace.clone().unwrap_or_default();
    gang.into_iter()
        .flat_map(|gang| &gang.spec.pod_groups)
        .filter(|part| part.name != ownership::name(podclique))
        .filter_map(move |part| {
            let key = Key::new(namespace.clone(), part.name.clone());
            caches.of::<PodClique>().get(&key)
        })
}

/// The placement of the other parts of a gang.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The scheduler does not know them.
    Untold,
    /// The scheduler knows them, and none of their pods has a node.
    Waiting,
    /// Some have a node. A pod that joins them is placed by itself, so that they need not wait for
    /// it if they lose a pod.
    Placed,
}

fn find_rest(part: &Part<'_>, groups: &Cache<PodGroup>, caches: &Caches) -> Rest {
    let podclique = &part.podclique.metadata;
    let namespace = podclique.namespace.clone().unwrap_or_default();
    let key = |name: &str| Key::new(namespace.clone(), name);
    let mut rest = Rest::Untold;
    for other in others_of(part.gang, podclique, caches) {
        let mut pods = caches.of::<Pod>().owned_by(&*other);
        pods.retain(|p| part.counts(p));
        let named = pods.iter().find_map(|p| p.pod_group());
        if named.is_none_or(|name| groups.get(&key(name)).is_none()) {
            continue;
        }
        if pods.iter().any(|p| p.is_scheduled()) {
            return Rest::Placed;
        }
        rest = Rest::Waiting;
    }
    rest
}

fn holder_of(group: &ObjectMeta) -> Taken {
    let is_ours = ownership::controller(group).is_some_and(|owner| owner.kind == "PodGang");
    if is_ours {
        Taken::Used(group.deletion_timestamp.as_ref().map(|time| time.0))
    } else {
        Taken::Foreign
    }
}
