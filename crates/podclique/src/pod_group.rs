//! Which PodGroup of Kubernetes' own new pods name (docs/semantics.md §8.9, decision 87).

use std::sync::Arc;

use api::{PodClique, PodGang, labels};
use domain::object::ownership;
use domain::scheduling::Backend;
use domain::scheduling::kubernetes::{base_of_probe, needs_all_pods, probe_name};
use domain::{Key, Pod};
use engine::{Cache, Caches};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::scheduling::v1beta1::PodGroup;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Names tried for a PodGroup.
const PROBES: usize = 100;

/// What the choice depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PodGroupFacts {
    /// The scheduler is not told by such PodGroups: pods name none.
    #[default]
    Unused,
    /// There are pods that stay. They name this PodGroup, or none, and so does who replaces one.
    Kept(Option<String>),
    /// There is none, so they are placed anew, by a PodGroup that was not used before.
    Fresh {
        /// Its name, if that is free.
        base: String,
        /// What has this name, and the names tried after it.
        taken: Vec<Taken>,
        /// Whether the rest of its gang waits for it, in PodGroups that are kept for that.
        is_awaited: bool,
    },
    /// The same, but the cluster does not know PodGroups: pods would lose the name.
    Unserved,
}

/// Who has the name of a PodGroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Somebody else's PodGroup.
    Foreign,
    /// One that was used before, and is being deleted since then, if it is.
    Used(Option<Timestamp>),
}

/// What new pods name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This PodGroup, or none.
    Name(Option<String>),
    /// They are not made yet: the PodGroup that was used before is waited for, at most until then.
    Wait(Option<Timestamp>),
}

impl PodGroupFacts {
    /// What new pods name. What was used before is waited for as the pods are that still use it: until
    /// it is gone, or stuck.
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

/// Reads the caches.
pub fn observe(
    podclique: &PodClique,
    pods: &[Arc<Pod>],
    gang: Option<&PodGang>,
    caches: &Caches,
    backend: Backend,
    is_configured: bool,
) -> PodGroupFacts {
    let makes_pods = podclique.spec.replicas > 0 && !ownership::is_terminating(&podclique.metadata);
    if !backend.is_kubernetes() || !makes_pods {
        return PodGroupFacts::Unused;
    }
    let mut staying = pods.iter().filter(|p| !p.is_terminating()).peekable();
    if staying.peek().is_some() {
        let named = staying.find_map(|p| p.pod_group());
        return PodGroupFacts::Kept(named.map(str::to_owned));
    }
    let namespace = podclique.metadata.namespace.as_deref().unwrap_or_default();
    if !caches.is_served::<PodGroup>(namespace) {
        return if is_configured {
            PodGroupFacts::Unserved
        } else {
            PodGroupFacts::Kept(Some(name_before(podclique, gang, caches)))
        };
    }
    let groups = caches.of::<PodGroup>();
    let meta = &podclique.metadata;
    let rest = find_rest(gang, meta, &groups, caches);
    let base = match ownership::label(meta, labels::POD_GANG) {
        Some(name) if shares(backend, podclique) && rest != Rest::Placed => name,
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

/// Whether the number of pods says all of the PodClique, so that it has a PodGroup together with
/// others.
fn shares(backend: Backend, podclique: &PodClique) -> bool {
    backend == Backend::Kubernetes && needs_all_pods(&podclique.spec)
}

/// What pods of the PodClique named before the profile was taken away. Nobody looks after PodGroups
/// any more, so what there is goes on asking for as many pods as it had (decision 138).
fn name_before(podclique: &PodClique, gang: Option<&PodGang>, caches: &Caches) -> String {
    let meta = &podclique.metadata;
    let of_gang = ownership::label(meta, labels::POD_GANG).unwrap_or_default();
    let is_shared = |pod: &Pod| {
        let named = pod.pod_group().filter(|_| !pod.is_terminating())?;
        (base_of_probe(named) == of_gang).then(|| named.to_owned())
    };
    let parts = others_of(gang, meta, caches);
    let mut pods = parts.flat_map(|part| caches.of::<Pod>().owned_by(&*part));
    let shared = pods.find_map(|pod| is_shared(&pod));
    let shared = shared.filter(|_| needs_all_pods(&podclique.spec));
    shared.unwrap_or_else(|| ownership::name(meta).to_owned())
}

/// The other PodCliques of the gang.
fn others_of<'a>(
    gang: Option<&'a PodGang>,
    podclique: &'a ObjectMeta,
    caches: &'a Caches,
) -> impl Iterator<Item = Arc<PodClique>> + 'a {
    let namespace = podclique.namespace.clone().unwrap_or_default();
    let parts = gang.into_iter().flat_map(|gang| &gang.spec.pod_groups);
    let others = parts.filter(|part| part.name != ownership::name(podclique));
    others.filter_map(move |part| {
        let key = Key::new(namespace.clone(), part.name.clone());
        caches.of::<PodClique>().get(&key)
    })
}

/// How far the other parts of a gang are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The scheduler was not told of them.
    Untold,
    /// It was, and none of their pods has a node.
    Waiting,
    /// Some have. Who joins them is placed by itself, so that they need not wait for it if they lose
    /// a pod.
    Placed,
}

fn find_rest(
    gang: Option<&PodGang>,
    podclique: &ObjectMeta,
    groups: &Cache<PodGroup>,
    caches: &Caches,
) -> Rest {
    let namespace = podclique.namespace.clone().unwrap_or_default();
    let key = |name: &str| Key::new(namespace.clone(), name);
    let mut rest = Rest::Untold;
    for other in others_of(gang, podclique, caches) {
        let mut pods = caches.of::<Pod>().owned_by(&*other);
        pods.retain(|p| !p.is_terminating());
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
