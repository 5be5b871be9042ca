//! Pods come after the ComputeDomain that they join, and after the ResourceClaimTemplate that NVIDIA's
//! driver makes from it: a scheduler says nothing of a pod whose claim does not exist.

use api::labels::COMPUTE_DOMAIN_FINALIZER;
use api::nvidia::ComputeDomain;
use domain::object::ownership;
use domain::scheduling::COMPUTE_DOMAINS_NOT_SERVED;
use domain::sharing::{BlockedDomain, DomainBlocker, MissingClaim};

use crate::observe::{DomainFacts, Snapshot};

/// Whether new pods wait, and why.
pub(super) fn find_missing(snapshot: &Snapshot) -> Option<MissingClaim> {
    let facts = snapshot.domain.as_ref()?;
    let of_domain = || explain_domain(facts, snapshot.set_uid());
    let missing = facts.is_enabled.then(of_domain).flatten();
    missing.or_else(|| {
        let lacks_template = !facts.has_template;
        lacks_template.then(|| block(&facts.name, DomainBlocker::NoTemplate))
    })
}

fn block(name: &str, by: DomainBlocker) -> MissingClaim {
    let domain = name.to_owned();
    MissingClaim::Blocked(BlockedDomain { domain, by }.to_string())
}

/// Why the domain is not there for new pods, if it is not. A set that may create it reports why it cannot.
fn explain_domain(facts: &DomainFacts, set: &str) -> Option<MissingClaim> {
    if !facts.is_served {
        let text = COMPUTE_DOMAINS_NOT_SERVED.to_owned();
        return Some(MissingClaim::Blocked(text));
    }
    let Some(domain) = &facts.domain else {
        return Some(MissingClaim::Coming);
    };
    let (meta, name) = (&domain.metadata, &facts.name);
    if ownership::is_terminating(meta) {
        return Some(block(name, DomainBlocker::Deletion));
    }
    match ownership::controller(meta) {
        Some(owner) if owner.uid != set => {
            let owner = format!("{} {}", owner.kind, owner.name);
            Some(block(name, DomainBlocker::Owner(owner)))
        }
        Some(_) if holds(domain) => None,
        _ => Some(MissingClaim::Coming),
    }
}

/// Whether it stays as long as pods use it.
fn holds(domain: &ComputeDomain) -> bool {
    ownership::has_finalizer(&domain.metadata, COMPUTE_DOMAIN_FINALIZER)
}
