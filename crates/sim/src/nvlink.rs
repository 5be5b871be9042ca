//! ComputeDomains, by which GPU pods share NVLink over nodes, and which seeds have sets with them.

use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, view};

/// In this many of a thousand seeds pods join ComputeDomains.
const SEEDS: usize = 150;
/// The same of the seeds that have a training job.
const SEEDS_OF_JOBS: usize = 250;

/// The MNNVL group of their sets.
pub const GROUP: &str = "rack";

/// The operator's finalizer of a domain.
pub const FINALIZER: &str = "grove.io/computedomain-finalizer";

/// Whether pods of this seed's set join ComputeDomains. A separate random source: it changes nothing
/// about the other seeds.
pub fn is_in(seed: u64) -> bool {
    source(seed).chance(SEEDS)
}

/// The same if the set is a training job.
pub fn is_in_job(seed: u64) -> bool {
    const APART: u64 = 0x10B5_0072;
    Rng::new(seed ^ APART).chance(SEEDS_OF_JOBS)
}

/// The random source of the annotations of this seed's set.
pub fn annotations_of(seed: u64) -> Rng {
    let mut rng = source(seed);
    rng.number();
    rng
}

fn source(seed: u64) -> Rng {
    const APART: u64 = 0x00B2_0072;
    Rng::new(seed ^ APART)
}

/// The template of the domain that these pods join; empty if they join none.
pub fn template_in(pod_spec: &Value) -> &str {
    let mut claims = view::list(pod_spec, "/resourceClaims");
    let claim = claims.find(|claim| view::text(claim, "/name") == "mnnvl-claim");
    claim.map_or("", |claim| view::text(claim, "/resourceClaimTemplateName"))
}

/// The same of a pod.
pub fn template_of(pod: &Value) -> &str {
    pod.get("spec").map_or("", template_in)
}

/// Whether the operator's finalizer holds the domain.
pub fn is_held(domain: &Value) -> bool {
    view::list(domain, "/metadata/finalizers").any(|finalizer| finalizer == FINALIZER)
}

/// The domains that exist.
pub fn domains(store: &Store) -> impl Iterator<Item = (&Id, &Stored)> {
    store.all(Resource::ComputeDomain)
}

/// Whether one of the PodCliques is in the replica of the domain and stays when its set goes, as it or its
/// group has no owner: it keeps the domain.
pub fn has_stray(domain: &str, podcliques: &[&Stored], groups: &[&Stored]) -> bool {
    let replica = domain.strip_suffix(GROUP).unwrap_or_default();
    let is_stray = |podclique: &Value| {
        view::owner(podclique).is_none_or(|(_, _, uid)| {
            let mut cut_off = groups.iter().filter(|group| view::owner(group).is_none());
            cut_off.any(|group| view::uid(group) == uid)
        })
    };
    let mut of_replica = podcliques
        .iter()
        .filter(|podclique| view::name(podclique).starts_with(replica));
    of_replica.any(|podclique| is_stray(podclique))
}
