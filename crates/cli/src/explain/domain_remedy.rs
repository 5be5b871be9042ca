//! The remedy for a ComputeDomain that pods wait for, with commands that can be pasted.

use api::conditions::Reason;
use domain::scheduling::COMPUTE_DOMAINS_NOT_SERVED;
use domain::sharing::{BlockedDomain, DomainBlocker};

use super::remedy::remedy_of;

/// The remedy for the domain in this sentence about pods of this namespace; `None` if it has none.
pub(super) fn remedy_of_domain(sentence: &str, namespace: &str) -> Option<String> {
    if sentence == COMPUTE_DOMAINS_NOT_SERVED {
        return remedy_of(Reason::ComputeDomainsMissing).map(str::to_owned);
    }
    let blocked = BlockedDomain::read(sentence)?;
    let name = &*blocked.domain;
    Some(match &blocked.by {
        DomainBlocker::NoTemplate => await_template(name, namespace),
        DomainBlocker::Deletion => end_users(name, namespace),
        DomainBlocker::Owner(owner) => free_name(name, namespace, owner),
    })
}

fn await_template(name: &str, namespace: &str) -> String {
    format!(
        "`kubectl describe computedomain {name} -n {namespace}` shows its state, and the log of the \
         driver's controller why it makes no template; the pods follow by themselves once it does"
    )
}

/// The set reports a pod that uses it.
fn end_users(name: &str, namespace: &str) -> String {
    format!(
        "`kubectl get podcliquesets -n {namespace} -o \
         jsonpath='{{.items[*].status.lastErrors[*].description}}'` names a pod that uses {name}: end \
         the pods of its replica; the operator then makes the domain again, and the pods follow by \
         themselves"
    )
}

fn free_name(name: &str, namespace: &str, owner: &str) -> String {
    format!(
        "if {owner} does not need it, `kubectl delete computedomain {name} -n {namespace}`: the operator \
         makes its own domain, and the pods follow by themselves; otherwise apply this set under another \
         name"
    )
}
