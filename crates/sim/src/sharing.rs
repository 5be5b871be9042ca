//! The resource claims that pods share, and which seeds have sets with them.

use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::{Rng, view};

/// In this many of a thousand seeds pods share claims.
const SEEDS: usize = 200;
/// The same of the seeds that have a training job.
const SEEDS_OF_JOBS: usize = 300;

/// Whether pods of this seed's set share claims. A separate random source: it changes nothing about
/// the other seeds.
pub fn is_in(seed: u64) -> bool {
    source(seed).chance(SEEDS)
}

/// The same if the set is a training job.
pub fn is_in_job(seed: u64) -> bool {
    const APART: u64 = 0x10B5_4A3E;
    Rng::new(seed ^ APART).chance(SEEDS_OF_JOBS)
}

/// The random source of the entries of this seed's set.
pub fn entries_of(seed: u64) -> Rng {
    let mut rng = source(seed);
    rng.number();
    rng
}

fn source(seed: u64) -> Rng {
    const APART: u64 = 0xC1A1_4E55;
    Rng::new(seed ^ APART)
}

/// Names of the claims that a pod names.
pub fn claims_of(pod: &Value) -> impl Iterator<Item = &str> {
    let claims = view::list(pod, "/spec/resourceClaims");
    claims
        .map(|claim| view::text(claim, "/resourceClaimName"))
        .filter(|name| !name.is_empty())
}

/// Whether the pod names this claim.
pub fn names(pod: &Value, claim: &str) -> bool {
    claims_of(pod).any(|name| name == claim)
}

/// The name of a claim without the number that one of lost pods gets.
pub fn base_of(claim: &str) -> &str {
    claim.split_once('.').map_or(claim, |(base, _)| base)
}

/// The claims that exist.
pub fn claims(store: &Store) -> impl Iterator<Item = (&Id, &Stored)> {
    store.all(Resource::ResourceClaim)
}
