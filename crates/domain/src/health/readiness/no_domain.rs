//! What schedulers say about pods that have to share a topology domain and find none.
//!
//! Kubernetes tries one domain after the other and reports how many there were, with the numbers of
//! an arbitrary one, where it gave up. KAI Scheduler reports every domain. Other pods of the same gang
//! say what they lacked in one of the domains, which says nothing of the gang.

use std::collections::BTreeSet;

/// KAI Scheduler found no domain for pods that have to share one.
const KAI_FOUND_NONE: &str = " couldn't be satisfied for job ";
/// Kubernetes tried this many domains.
const TRIED: &str = " placements are available";
/// Kubernetes found no node with the label of the level.
const NOTHING_TO_TRY: &str = "no feasible placements found";
/// Kubernetes cannot say in which domain pods run that have a node.
const STRAY: &str = "cannot determine domain for already scheduled pods: ";

/// What a scheduler says about pods that have to share a topology domain and find none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoDomain<'a> {
    /// Key of the node label of the level, if the scheduler names it.
    pub key: Option<&'a str>,
    /// How many domains were tried, if the scheduler counts them.
    pub tried: Option<u64>,
    /// The minimum of the group that failed. In a tree it may count groups instead of pods.
    pub minimum: Option<u64>,
    /// The domain with the least shortfall, if the scheduler lists all.
    pub best: Option<Best<'a>>,
    /// More words about the failure.
    pub detail: Option<&'a str>,
    /// The scheduler's words about pods that run in no domain, or in several.
    pub stray: Option<&'a str>,
}

/// The domain that comes closest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best<'a> {
    /// Its name, as the scheduler writes it.
    pub domain: &'a str,
    /// How many of the pods it has room for.
    pub fits: u64,
    /// How many pods have to share a domain.
    pub need: u64,
}

impl Best<'_> {
    /// How many pods have no room in it.
    pub fn missing(&self) -> u64 {
        self.need.saturating_sub(self.fits)
    }
}

impl NoDomain<'_> {
    /// The sentence. `level` is the name of the level, if it is known.
    pub fn describe(&self, level: Option<&str>) -> String {
        let level = match (level, self.key) {
            (Some(level), _) => level.to_owned(),
            (None, Some(key)) => format!("domain of {key}"),
            (None, None) => "topology domain".to_owned(),
        };
        if let Some(best) = self.best {
            let (domain, fits, need) = (best.domain, best.fits, best.need);
            let missing = best.missing();
            return format!(
                "no {level} has room for {need} pods: the best, {domain}, has room for {fits}, \
                 {missing} too few"
            );
        }
        if let Some(words) = self.stray {
            return describe_stray(words);
        }
        let detail = self
            .detail
            .map_or(String::new(), |words| format!(": {words}"));
        match self.tried {
            Some(0) => "no node has the label of the topology level".to_owned(),
            Some(1) => "the one topology domain in question has no room for the gang".to_owned(),
            Some(tried) => format!("none of {tried} topology domains has room for the gang"),
            None => format!("no {level} has room for the gang{detail}"),
        }
    }

    /// Name of the pod on a node without the label of its level, if the scheduler names one.
    pub fn pod_without_domain(&self) -> Option<&str> {
        pod_without_domain(self.stray?)
    }
}

fn describe_stray(words: &str) -> String {
    match pod_without_domain(words) {
        Some(pod) => format!("pod {pod} is on a node without the label of its topology level"),
        None => format!("its pods are not in one topology domain: {words}"),
    }
}

/// "no topology domain found for pod default/x".
fn pod_without_domain(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once("no topology domain found for pod ")?;
    let pod = rest.split([' ', ',']).next()?;
    Some(pod.rsplit_once('/').map_or(pod, |(_, name)| name))
}

/// "node-group z0.r0 can allocate only 4 of 5 required pods. \n ... \ntopology fabric, requirement
/// example.com/rack couldn't be satisfied for job <default/demo-0>."
pub(super) fn of_kai(message: &str) -> Option<NoDomain<'_>> {
    let parts: Vec<&str> = message.split(KAI_FOUND_NONE).collect();
    let (last, before) = parts.split_last()?;
    let keys: BTreeSet<&str> = before
        .iter()
        .filter_map(|part| Some(part.rsplit_once("requirement ")?.1))
        // Without a required level the key is empty.
        .filter(|key| !key.is_empty())
        .collect();
    let mut first = keys.iter().copied();
    let (key, other) = (first.next()?, first.next());
    Some(NoDomain {
        key: Some(key).filter(|_| other.is_none()),
        best: best_of(message),
        // "<default/demo-0>: not enough resources in the cluster to allocate the job."
        detail: last
            .split_once(">: ")
            .map(|(_, words)| words.trim_end_matches('.')),
        ..NoDomain::default()
    })
}

/// The domain with the least shortfall; of equal ones the first by name.
fn best_of(message: &str) -> Option<Best<'_>> {
    let domains = message.split("node-group ").skip(1).filter_map(|rest| {
        let (domain, rest) = rest.split_once(" can allocate only ")?;
        let (fits, rest) = rest.split_once(" of ")?;
        let (need, _) = rest.split_once(" required pods")?;
        Some(Best {
            domain,
            fits: fits.parse().ok()?,
            need: need.parse().ok()?,
        })
    });
    domains.min_by_key(|best| (best.missing(), best.domain))
}

/// "pod group is unschedulable, 0/4 placements are available, first placement status: minCount (5)
/// cannot be satisfied: 1 scheduled, 3 remaining".
pub(super) fn of_kubernetes(message: &str) -> Option<NoDomain<'_>> {
    let stray = message.split_once(STRAY).map(|(_, words)| words);
    let tried = count_tried(message);
    let is_about_domains = stray.is_some() || tried.is_some();
    is_about_domains.then(|| NoDomain {
        tried,
        minimum: minimum_of(message).map(|(minimum, _)| minimum),
        stray,
        ..NoDomain::default()
    })
}

/// How many domains Kubernetes tried.
pub(super) fn count_tried(message: &str) -> Option<u64> {
    if message.contains(NOTHING_TO_TRY) {
        return Some(0);
    }
    let (before, _) = message.split_once(TRIED)?;
    before.rsplit_once("0/")?.1.parse().ok()
}

/// The minimum of the group that failed, and the rest of the message.
pub(super) fn minimum_of(message: &str) -> Option<(u64, &str)> {
    let (_, rest) = message.split_once("minCount (")?;
    let (minimum, rest) = rest.split_once(") cannot be satisfied: ")?;
    Some((minimum.parse().ok()?, rest))
}
