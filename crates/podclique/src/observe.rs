//! The inputs of a decision on a PodClique.

pub(crate) mod claims;
mod compute_domain;
mod gang_list;
mod older;
mod owners;
mod peers;
mod set;
mod start;
mod terminating_pods;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use admission::oversize;
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::RollingUpdate;
use api::{PodClique, PodCliqueSet, PodGang, labels};
use domain::health::readiness::Start;
use domain::health::stuck::StuckTimeouts;
use domain::health::training;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{Kind, Target};
use domain::scheduling::GangScheduler;
use domain::update::Record;
use domain::workload::claims::has_sharing;
use domain::workload::limits;
use domain::workload::pod::start_order::Dependency;
use domain::{Claim, Key, Pod, update};
use engine::Caches;
use engine::caches::LastHolder;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::PodCliqueReconciler;
use crate::dependencies;
use crate::pod_group::{self, PodGroupFacts};

pub use self::claims::SharingFacts;
pub use self::compute_domain::DomainFacts;
pub use self::older::OlderPods;
use self::set::facts_of_set;
pub use self::set::{SetFacts, UpdateFacts};

/// The observation.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The PodClique.
    pub podclique: Arc<PodClique>,
    /// The set it is part of, unless the set is gone.
    pub set: Option<SetFacts>,
    /// Whether its owners exist and are not terminating, its replica is not being terminated, its
    /// job is not over, and its set is not suspended.
    pub may_create: bool,
    /// Whether the observation may be outdated, as a watch is lost or is being listed again: then
    /// nothing that runs is deleted for a suspension.
    pub is_view_outdated: bool,
    /// Its pods by index, including those that it may adopt.
    pub pods: Vec<Arc<Pod>>,
    /// Pods of its indexes without a controller that were created in another attempt: they are left
    /// alone.
    pub released: Vec<Arc<Pod>>,
    /// Whether a pod may exist that is not among them: its POST got no answer, and a second pod for
    /// its index may get another name. The operator then reads it live, which triggers the
    /// PodClique.
    pub may_have_more: bool,
    /// The PodGang that it is a part of, if it exists and belongs to the set.
    pub gang: Option<Arc<PodGang>>,
    /// The start of that PodGang.
    pub start: Start,
    /// The last pods of indexes whose pods are gone.
    pub last_holders: HashMap<i32, LastHolder>,
    /// The pods of empty indexes that failed or were taken away.
    pub lost: Vec<Arc<Pod>>,
    /// Names that are known to be taken by foreign pods.
    pub taken_names: Arc<HashSet<String>>,
    /// How long after its deletionTimestamp the operator waits for a pod.
    pub stuck_timeouts: StuckTimeouts,
    /// The nodes of terminating pods that are Ready and not out of service; read only in jobs.
    pub nodes_in_service: BTreeSet<String>,
    /// Terminating pods of its indexes that an earlier PodClique of its name created; searched only
    /// if an index may be held without end.
    pub predecessors: Vec<Arc<Pod>>,
    /// The dependencies of its pods.
    pub dependencies: Vec<Dependency>,
    /// Image of the init container of pods with dependencies.
    pub init_container_image: String,
    /// The scheduler of new pods.
    pub scheduler: GangScheduler,
    /// The PodGroup that new pods name.
    pub pod_group: PodGroupFacts,
    /// The pods that keep an older template.
    pub older: OlderPods,
    /// The resource claims that its pods share with others.
    pub sharing: SharingFacts,
    /// The ComputeDomain that its pods join, if they join one.
    pub domain: Option<DomainFacts>,
    /// The ResourceClaims that it controls; read only once it is being deleted.
    pub own_claims: Vec<Arc<Claim>>,
}

impl Snapshot {
    /// Whether the pods do a job that ends.
    pub fn is_training(&self) -> bool {
        training::is_of_job(&self.podclique)
    }

    /// Whether the pod belongs to a job, its processes may run, and its node can be expected to end
    /// them.
    pub fn is_on_ready_node(&self, pod: &Pod) -> bool {
        let node = pod.spec.node_name.as_ref();
        let is_job = self.is_training() && !pod.has_run_out();
        is_job && node.is_some_and(|node| self.nodes_in_service.contains(node))
    }

    /// Whether a PodClique of its name is created once it is gone: its job goes on.
    pub fn is_made_again(&self) -> bool {
        let set = self.set.as_ref();
        set.is_some_and(|set| !set.is_terminating && !set.is_orphaned && !set.is_over)
    }

    /// The pods that the PodClique controls. The others are not touched before their adoption was
    /// observed: the user may want to keep them.
    pub fn own_pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        let uid = ownership::uid(&self.podclique.metadata);
        let pods = self.pods.iter();
        pods.filter(move |p| ownership::is_controlled_by(&p.metadata, uid))
    }

    /// Whether no set controls it, directly or through a group.
    pub fn is_orphaned(&self) -> bool {
        self.set.as_ref().is_none_or(|s| s.is_orphaned)
    }

    /// How long a breach may last, in a job.
    pub fn job_delay(&self) -> SignedDuration {
        let set = self.set.as_ref();
        set.map_or(SignedDuration::ZERO, |s| s.training_delay)
    }

    /// For how long a breach that has ended may return as the same breach.
    pub fn breach_memory(&self) -> SignedDuration {
        self.set
            .as_ref()
            .map_or(SignedDuration::ZERO, |s| s.breach_memory)
    }

    /// Name of the set that it is part of: if the set is gone, only the label remains.
    pub fn set_name(&self) -> &str {
        let label = ownership::label(&self.podclique.metadata, labels::PART_OF);
        let set = self.set.as_ref().map(|set| set.name.as_str());
        set.or(label).unwrap_or_default()
    }

    /// Uid of that set, while it exists.
    pub fn set_uid(&self) -> &str {
        self.set.as_ref().map_or("", |set| set.uid.as_str())
    }

    /// That set, as the target of events.
    pub fn set_target(&self) -> Option<Target> {
        let set = self.set.as_ref()?;
        let namespace = self.podclique.metadata.namespace.clone();
        Some(Target {
            kind: Kind::of::<PodCliqueSet>(),
            key: Key::new(namespace.unwrap_or_default(), set.name.clone()),
            uid: set.uid.clone(),
        })
    }

    /// Whether the PodClique belongs to a scaling group.
    pub fn is_grouped(&self) -> bool {
        let owner = ownership::controller(&self.podclique.metadata);
        owner.is_some_and(|o| o.kind == "PodCliqueScalingGroup")
    }

    /// Whether the PodClique has the newest template of its clique.
    pub fn has_newest_template(&self) -> bool {
        let label = ownership::label(&self.podclique.metadata, labels::POD_TEMPLATE_HASH);
        let newest = self.set.as_ref().and_then(|s| s.template_hash.as_deref());
        label.is_some() && label == newest
    }

    /// The trouble of a pod of the newest template that is the most important.
    pub fn explain_new_pods(&self, now: Timestamp) -> Option<String> {
        let meta = &self.podclique.metadata;
        let new = self
            .pods
            .iter()
            .map(AsRef::as_ref)
            .filter(|p: &&Pod| !update::is_outdated(&p.metadata, meta));
        update::explain_trouble(new, now)
    }

    /// Whether its replica has the turn in an update.
    pub fn is_updating(&self) -> bool {
        self.set.as_ref().is_some_and(|s| s.update.is_updating)
    }

    /// Whether its set is suspended.
    pub fn is_suspended(&self) -> bool {
        self.set.as_ref().is_some_and(|s| s.is_suspended)
    }

    /// Whether nothing is replaced for the sake of a template now.
    pub fn is_update_held(&self) -> bool {
        self.set.as_ref().is_some_and(|s| s.update.is_held)
    }

    /// Whether its update rests.
    pub fn is_update_resting(&self) -> bool {
        self.set.as_ref().is_some_and(|s| s.update.rests)
    }

    /// The budget and the deadline of an update.
    pub fn rolling_update(&self) -> Option<&RollingUpdate> {
        self.set.as_ref()?.update.rolling.as_ref()
    }

    /// The lowest index of the pods that the update may replace now.
    pub fn first_replaced(&self) -> i32 {
        self.set.as_ref().map_or(0, |s| s.update.first_replaced)
    }

    /// Whether the turn goes on without surge in all its parts.
    pub fn is_turn_without_surge(&self) -> bool {
        let set = self.set.as_ref();
        set.is_some_and(|s| s.update.is_without_surge)
    }

    /// Whether surge pods of an older template stay while they serve.
    pub fn holds_old_surge(&self) -> bool {
        self.set.as_ref().is_some_and(|s| s.update.holds_old_surge)
    }

    /// How long a new pod has to be Ready.
    pub fn min_ready(&self) -> SignedDuration {
        let set = self.set.as_ref();
        set.map_or(SignedDuration::ZERO, |s| s.update.min_ready)
    }

    /// The stored record of the update to the accepted generation, if it is of this turn.
    pub fn update_progress(&self) -> Option<&PclqUpdateProgress> {
        let set = self.set.as_ref()?;
        let progress = self.podclique.status.as_ref()?.update_progress.as_ref()?;
        let (generation, turn) = (set.generation_hash.as_deref()?, &set.update.turn_started_at);
        let is_of_turn = Record::from(progress).is_of_turn(generation, turn.as_ref());
        is_of_turn.then_some(progress)
    }

    /// Indexes whose work is done.
    pub fn completed(&self) -> BTreeSet<i32> {
        training::completed(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// Whether the PodClique or the whole set is over a limit: then nothing is deleted, and no more
    /// pods are created than the template had when it was within the limits.
    pub fn is_over_limits(&self) -> bool {
        oversize::of_podclique(&self.podclique).is_some()
            || self.set.as_ref().is_some_and(|s| s.is_over_limits)
    }

    /// The number of pods to create.
    pub fn replicas(&self) -> i32 {
        let live = limits::bounded(self.podclique.spec.replicas);
        if !self.is_over_limits() {
            return live;
        }
        let template = ownership::annotation(&self.podclique.metadata, labels::TEMPLATE_REPLICAS);
        live.min(template.and_then(|t| t.parse().ok()).unwrap_or(0))
    }
}

/// Reads the caches.
pub fn observe(
    podclique: &Arc<PodClique>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> Snapshot {
    let meta = &podclique.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    // Read before the pods: the unsettled POST may end while they are read, and its pod may be
    // missed then.
    let may_have_more = caches.of::<Pod>().may_have_more_of(ownership::uid(meta));
    let is_view_outdated = caches.is_workload_outdated(namespace);
    let set_key = caches.set_of_member(meta);
    let sets = caches.of::<PodCliqueSet>();
    let set = set_key.as_ref().and_then(|key| sets.get(key));
    let (mut pods, released) = pods_of(podclique, set_key.as_ref(), caches);
    domain::object::pod::sort_pods(&mut pods);
    let gang = gang_of(meta, set.as_deref(), caches);
    let is_replica_terminating = set
        .as_ref()
        .is_some_and(|set| owners::is_replica_terminating(podclique, set, caches));
    let scheduler = peers::find_scheduler(podclique, &pods, gang.as_deref(), caches, rules);
    let part = pod_group::Part {
        podclique,
        set: set.as_deref(),
        gang: gang.as_deref(),
    };
    let is_configured = rules.profiles.uses_kubernetes();
    let pod_group = pod_group::observe(part, &pods, caches, scheduler.backend, is_configured);
    let mut snapshot = Snapshot {
        taken_names: caches.taken_names.of(ownership::uid(meta)),
        may_create: set.as_ref().is_some_and(|set| {
            !is_replica_terminating && owners::may_have_pods(podclique, set, caches)
        }),
        is_view_outdated,
        start: start::find_start(
            podclique,
            set.as_deref(),
            gang.as_deref(),
            is_replica_terminating,
            caches,
        ),
        nodes_in_service: terminating_pods::nodes_in_service(podclique, &pods, caches),
        predecessors: terminating_pods::predecessors(podclique, set_key.as_ref(), caches, rules),
        dependencies: dependencies::find_dependencies(podclique, set.as_deref(), caches),
        init_container_image: rules.init_container_image.clone(),
        pod_group,
        scheduler,
        older: OlderPods::read(podclique, set.as_deref(), caches),
        set: set
            .as_ref()
            .map(|s| facts_of_set(s, podclique, &pods, caches, rules)),
        lost: caches.slot_history.lost_beside(ownership::uid(meta), &pods),
        pods,
        released,
        may_have_more,
        gang,
        last_holders: caches.slot_history.of(ownership::uid(meta)),
        podclique: podclique.clone(),
        stuck_timeouts: rules.stuck_timeouts,
        sharing: SharingFacts::default(),
        domain: compute_domain::observe(podclique, set.as_deref(), caches, rules),
        own_claims: claims::find_own(podclique, caches),
    };
    if let Some(set) = set.filter(|set| has_sharing(&set.spec.template)) {
        snapshot.sharing = claims::observe(&snapshot, set, caches, rules);
    }
    snapshot
}

/// The gang that the label names, if it has a part of this name; the label may have been edited, so
/// otherwise the set's gangs are searched for such a part. Without the gang a new pod could get a
/// name that the gang lists, and lose its gate at once (decision 21).
fn gang_of(meta: &ObjectMeta, set: Option<&PodCliqueSet>, caches: &Caches) -> Option<Arc<PodGang>> {
    let set = set?;
    let namespace = meta.namespace.clone().unwrap_or_default();
    let is_part = |g: &Arc<PodGang>| {
        let mut parts = g.spec.pod_groups.iter();
        parts.any(|part| part.name == ownership::name(meta))
    };
    let labelled = ownership::label(meta, labels::POD_GANG)
        .and_then(|name| caches.of::<PodGang>().get(&Key::new(namespace, name)))
        .filter(|g| ownership::is_controlled_by(&g.metadata, ownership::uid(&set.metadata)));
    if labelled.as_ref().is_some_and(is_part) {
        return labelled;
    }
    let all = caches.of::<PodGang>().owned_by(set);
    all.into_iter().find(is_part).or(labelled)
}

/// The pods that the PodClique controls, and those without a controller whose labels name it. A pod
/// without an index was created by hand: it is neither adopted nor counted. Pods that were released
/// in another attempt (`--cascade=orphan`) are returned separately: their peers are gone.
fn pods_of(
    podclique: &PodClique,
    set: Option<&Key>,
    caches: &Caches,
) -> (Vec<Arc<Pod>>, Vec<Arc<Pod>>) {
    let meta = &podclique.metadata;
    let name = ownership::name(meta);
    let says_so = |p: &Arc<Pod>| ownership::label(&p.metadata, labels::POD_CLIQUE) == Some(name);
    let orphans = set
        .map(|set| caches.of::<Pod>().orphans_of(set))
        .unwrap_or_default();
    let orphans = orphans.into_iter().filter(says_so);
    let is_present = |p: &Arc<Pod>| Attempt::of(&p.metadata) == Attempt::of(meta);
    let (adoptable, released): (Vec<_>, Vec<_>) = orphans.partition(is_present);
    let mut pods = caches.of::<Pod>().owned_by(podclique);
    pods.extend(adoptable);
    pods.retain(|p| p.index().is_some());
    (pods, released)
}
