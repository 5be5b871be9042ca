//! The inputs of a decision on a PodCliqueSet.

mod claims;
mod clique;
mod compute_domains;
mod full_namespace;
mod history;
mod scheduler;
mod topology;
mod unsupported_feature;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use admission::minimums::{self, Minimums};
use admission::validated_set::ValidatedSet;
use admission::{FieldError, oversize};
use api::podcliqueset::{
    LiveReplicas, PodCliqueScalingGroupConfig, PodCliqueTemplateSpec, ReplicaAttempt,
};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::health::stuck::StuckTimeouts;
use domain::health::{fence, suspension, training};
use domain::object::ownership;
use domain::plan::CheckedTemplate;
pub use domain::roster::ObservedClique;
use domain::roster::Roster;
use domain::sharing::ClaimFacts;
use domain::update;
use domain::workload::layout::{self, GroupIndexes, Layout};
use domain::workload::limits;
use domain::{Claim, Key, Pod};
use engine::caches::KnownAnswer;
use engine::{Cache, Caches};
use jiff::Timestamp;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

pub(crate) use self::claims::wanted as wanted_claims;
use self::clique::observe_clique;
pub use self::compute_domains::DomainFacts;
pub(crate) use self::compute_domains::{Wanted as DomainsWanted, wanted as wanted_domains};
pub use self::history::History;
pub use self::scheduler::SchedulerFacts;
pub use self::topology::TopologyFacts;
use crate::PodCliqueSetReconciler;
use crate::desired;

/// The observation. Children of the set are the objects that it controls, whatever their labels,
/// and objects without a controller whose labels name it: it adopts the wanted ones of these.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The set as stored.
    pub stored: Arc<PodCliqueSet>,
    /// The set with defaults applied, and its faults.
    pub validated: ValidatedSet,
    /// Its PodCliques, standalone and grouped, by name.
    pub podcliques: HashMap<String, ObservedClique>,
    /// Its other children.
    pub children: Children,
    /// Objects whose labels name the set and that it has not adopted.
    pub strays: Strays,
    /// How its scheduler handles gangs.
    pub scheduler: SchedulerFacts,
    /// The topology of its constraints.
    pub topology: TopologyFacts,
    /// How reliable the caches are, and the limits of a wait.
    pub view: View,
    /// The resource claims that its pods share, and their users.
    pub claims: ClaimFacts,
    /// Its ComputeDomains.
    pub domains: DomainFacts,
    /// The check of the newest templates.
    pub checks: Checks,
    /// The templates of accepted generations.
    pub history: History,
}

/// The check of the newest templates.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// The API server's answers, by clique.
    pub answers: HashMap<String, KnownAnswer>,
    /// Image of the init container of pods with dependencies.
    pub init_container_image: String,
}

/// Objects of a set beside its PodCliques, each list sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// Its scaling groups.
    pub groups: Vec<Arc<PodCliqueScalingGroup>>,
    /// Its PodGangs.
    pub gangs: Vec<Arc<PodGang>>,
    /// Its headless Services.
    pub services: Vec<Arc<Service>>,
    /// Its HorizontalPodAutoscalers.
    pub autoscalers: Vec<Arc<HorizontalPodAutoscaler>>,
    /// The ResourceClaims that it controls, and those that it may adopt.
    pub claims: Vec<Arc<Claim>>,
}

/// Objects that `--cascade=orphan` or a removed owner reference left.
#[derive(Clone, Debug, Default)]
pub struct Strays {
    /// Names of PodCliques whose labels name the set: their scaling group was deleted with
    /// `--cascade=orphan`, and the next group adopts them. Only searched in a training job.
    pub podcliques: HashSet<String>,
    /// Pods without a controller whose labels name the set.
    pub pods: Vec<Arc<Pod>>,
}

/// How reliable the caches are, and how long a decision waits.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Whether the set is being deleted and its children stay: some version of it requested so.
    pub is_orphaning: bool,
    /// Whether the known state of the set is newer than the events that the watch has delivered.
    pub is_ahead_of_watch: bool,
    /// Whether the caches may be older than the cluster, as a watch is lost or is being listed
    /// again: no running pod is terminated because of such a view.
    pub is_outdated: bool,
    /// Whether a pod of the set may exist unseen: its POST was sent and is not settled.
    pub may_have_more_pods: bool,
    /// How long after its deletionTimestamp the operator waits for a pod.
    pub stuck_timeouts: StuckTimeouts,
    /// The nodes of terminating pods of a job that was given up, or that is suspended, if they are
    /// Ready and not out of service.
    pub nodes_in_service: HashSet<String>,
}

impl Snapshot {
    /// Name of the set.
    pub fn name(&self) -> &str {
        ownership::name(&self.stored.metadata)
    }

    /// The reasons why the set, with all its existing objects, is too large to be acted on.
    pub fn over_limits(&self) -> Vec<FieldError> {
        if self.validated.is_over_limits {
            return self.validated.errors.clone();
        }
        let groups = self.children.groups.iter().map(AsRef::as_ref);
        let cliques = self.podcliques.values().map(|c| &*c.podclique);
        oversize::of_live(&self.validated.set, groups, cliques)
    }

    /// Replicas of the set.
    pub fn replicas(&self) -> i32 {
        limits::bounded(self.validated.set.spec.replicas)
    }

    /// The replicas of a scaling group, or those that it will have.
    pub fn indexes_of_group(
        &self,
        name: &str,
        config: &PodCliqueScalingGroupConfig,
    ) -> GroupIndexes {
        let Some(group) = self.group(name) else {
            return limits::bounded(config.replicas.unwrap_or(1)).into();
        };
        let existing = || {
            let podcliques = self.podcliques.values().map(|c| &c.podclique.metadata);
            podcliques.filter_map(|meta| ownership::group_replica_in(name, meta))
        };
        let minimum = group.spec.min_available.unwrap_or(1);
        let given = config.rolling_update.as_ref();
        let rolling = update::rolling_in_force(&self.validated.set, given, minimum);
        GroupIndexes {
            replicas: limits::bounded(group.spec.replicas),
            surge: update::surge_of_group(group, rolling.as_deref(), existing),
        }
    }

    /// Whether it is a training job.
    pub fn is_training(&self) -> bool {
        training::is_training(&self.validated.set)
    }

    /// Whether it is suspended, by the stored condition.
    pub fn is_suspended(&self) -> bool {
        suspension::is_suspended(self.stored.status.as_ref())
    }

    /// The earliest time from which a breach counts: the last resume.
    pub fn breaches_from(&self) -> Timestamp {
        let resumed = suspension::resumed_at(self.stored.status.as_ref());
        resumed.unwrap_or(Timestamp::MIN)
    }

    /// The attempts of the replicas.
    pub fn attempts(&self) -> &[ReplicaAttempt] {
        fence::attempts_of_set(&self.stored)
    }

    /// Scaled counts that standalone cliques start with after a termination.
    pub fn live_replicas(&self) -> &[LiveReplicas] {
        let status = self.stored.status.as_ref();
        status.map_or(&[], |s| &s.live_replicas)
    }

    /// The slots that the set has or should have, each with its state. A group whose object does not
    /// exist yet counts with the replicas that it will have: its gang must not start without it.
    pub fn roster(&self) -> Roster<'_> {
        let template = &self.validated.set.spec.template;
        let layout = layout::enumerate(self.name(), template, self.replicas(), |name, config| {
            self.indexes_of_group(name, config)
        });
        self.roster_of(layout)
    }

    /// The slots of the PodCliques that exist, of a set that is too large to enumerate.
    pub fn roster_of_found(&self) -> Roster<'_> {
        self.roster_of(Layout::default())
    }

    fn roster_of<'a>(&'a self, layout: Layout<'a>) -> Roster<'a> {
        let template = &self.validated.set.spec.template;
        let groups = self.children.groups.iter().map(AsRef::as_ref);
        Roster::new(
            &self.stored,
            template,
            layout,
            groups,
            self.podcliques.values(),
        )
        .with_gangs(self.children.gangs.iter().map(AsRef::as_ref))
    }

    /// The scaling group of that name, also if it is terminating. It is looked up for each replica,
    /// hence by binary search in the sorted list.
    pub fn group(&self, name: &str) -> Option<&Arc<PodCliqueScalingGroup>> {
        let at = self
            .children
            .groups
            .binary_search_by(|g| named(g).cmp(name))
            .ok()?;
        self.children.groups.get(at)
    }
}

/// Reads the caches.
pub fn observe(
    stored: &Arc<PodCliqueSet>,
    caches: &Caches,
    rules: &PodCliqueSetReconciler,
) -> Snapshot {
    let key = Key::of(&stored.metadata);
    // Flags are read before the data that they qualify: each may end while the rest is read, which
    // is then partly old.
    let is_view_outdated = caches.is_workload_outdated(&key.namespace);
    let may_have_more_pods = caches.of::<Pod>().may_have_more_in(&key);
    let mut groups = children(&caches.of::<PodCliqueScalingGroup>(), stored, &key);
    groups.sort_by(|a, b| named(a).cmp(named(b)));
    let mut cliques = children(&caches.of::<PodClique>(), stored, &key);
    for group in &groups {
        cliques.extend(caches.of::<PodClique>().owned_by(&**group));
    }
    let mut validated = rules.validator.validate_set(stored);
    minimums::keep_minimums(
        &mut validated,
        stored,
        &existing_minimums(stored, &groups, &cliques),
    );
    let has_begun = !groups.is_empty() || !cliques.is_empty();
    full_namespace::refuse(&mut validated, stored, has_begun, caches);
    let scheduler = Some(desired::gang::scheduler_name(&validated.set));
    let podcliques: HashMap<_, _> = cliques
        .into_iter()
        .map(|c| observe_clique(c, caches))
        .collect();
    let claims = claims::observe(&validated.set, rules, caches);
    let domains = compute_domains::observe(&validated.set, &podcliques, rules, caches);
    let topology = topology::observe(&validated.set, scheduler, &podcliques, rules, caches);
    Snapshot {
        strays: Strays {
            podcliques: unadopted(stored, &podcliques, caches),
            pods: caches.of::<Pod>().orphans_of(&key),
        },
        scheduler: scheduler::observe(&validated.set, &podcliques, &topology, rules, caches),
        view: View {
            is_ahead_of_watch: caches.of::<PodCliqueSet>().is_ahead(&key),
            is_orphaning: caches.is_orphaning(&stored.metadata),
            is_outdated: is_view_outdated,
            may_have_more_pods,
            stuck_timeouts: rules.stuck_timeouts,
            nodes_in_service: nodes_in_service(stored, &podcliques, caches),
        },
        children: Children {
            gangs: children(&caches.of::<PodGang>(), stored, &key),
            services: children(&caches.of::<Service>(), stored, &key),
            autoscalers: children(&caches.of::<HorizontalPodAutoscaler>(), stored, &key),
            claims: claims::find_own(stored, &claims, caches),
            groups,
        },
        checks: Checks {
            answers: answers(stored, &validated, caches),
            init_container_image: rules.init_container_image.clone(),
        },
        history: History::read(stored, &key, caches),
        claims,
        domains,
        stored: stored.clone(),
        topology,
        podcliques,
        validated,
    }
}

fn answers(
    set: &PodCliqueSet,
    validated: &ValidatedSet,
    caches: &Caches,
) -> HashMap<String, KnownAnswer> {
    let cliques = &validated.set.spec.template.cliques;
    let known = |(clique, hash): (&PodCliqueTemplateSpec, String)| {
        let template = CheckedTemplate {
            set_uid: ownership::uid(&set.metadata).to_owned(),
            clique: clique.name.clone(),
            hash,
        };
        Some((
            template.clique.clone(),
            caches.check_answers.get(&template)?,
        ))
    };
    validated
        .hash_cliques(cliques)
        .into_iter()
        .filter_map(known)
        .collect()
}

/// Read only for a job that waits for its last pod.
fn nodes_in_service(
    set: &PodCliqueSet,
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> HashSet<String> {
    let has_failed = set.status.as_ref().is_some_and(training::has_failed);
    let is_suspended = training::is_training(set) && suspension::is_suspended(set.status.as_ref());
    let pods = podcliques.values().flat_map(|c| &c.pods);
    let leaving = pods.filter(|p| (has_failed || is_suspended) && p.is_terminating());
    let nodes = leaving.filter_map(|p| p.spec.node_name.as_deref());
    let in_service = nodes.filter(|node| caches.is_node_in_service(node));
    in_service.map(str::to_owned).collect()
}

fn unadopted(
    set: &PodCliqueSet,
    known: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> HashSet<String> {
    if !training::is_training(set) {
        return HashSet::new();
    }
    let all = caches.of::<PodClique>().part_of(&Key::of(&set.metadata));
    all.iter()
        .map(|c| ownership::name(&c.metadata))
        .filter(|name| !known.contains_key(*name))
        .map(str::to_owned)
        .collect()
}

fn existing_minimums(
    set: &PodCliqueSet,
    groups: &[Arc<PodCliqueScalingGroup>],
    cliques: &[Arc<PodClique>],
) -> Minimums {
    let name = ownership::name(&set.metadata);
    let mut found = Minimums::default();
    for group in groups.iter().filter(|g| is_owned(&g.metadata)) {
        found.add_group(name, group);
    }
    for clique in cliques.iter().filter(|c| is_owned(&c.metadata)) {
        found.add_clique(name, clique);
    }
    found
}

/// Whether the set or one of its groups controls a child; one that could be adopted does not count.
pub fn is_owned(meta: &ObjectMeta) -> bool {
    ownership::controller(meta).is_some()
}

fn named(group: &PodCliqueScalingGroup) -> &str {
    ownership::name(&group.metadata)
}

/// The objects that the set controls, and those without a controller whose labels name it.
fn children<K>(cache: &Cache<K>, set: &PodCliqueSet, key: &Key) -> Vec<Arc<K>>
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    let mut all = cache.owned_by(set);
    all.extend(cache.orphans_of(key));
    all
}
