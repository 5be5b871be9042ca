//! The remedy for a resource claim that pods wait for, with commands that can be pasted.

use api::{LastError, codes};
use domain::sharing::{BlockedClaim, Blocker, NOT_SERVED};

use super::domain_remedy::remedy_of_domain;

/// The remedy where the cluster serves no claims, or the operator may not read them.
const SERVE: &str = "`kubectl api-versions` has to list resource.k8s.io/v1 (Kubernetes 1.34 or newer); if \
                     it does, the operator may not read resourceclaims: upgrade its chart";

/// The remedy for the first claim, or ComputeDomain, among the errors of a PodClique in this namespace.
pub fn remedy_of_claim(errors: &[LastError], namespace: &str) -> Option<String> {
    let of_claims = errors.iter().filter(|e| e.code == codes::CLAIM_MISSING);
    let mut sentences = of_claims.map(|e| e.description.as_str());
    sentences.find_map(|sentence| {
        if sentence == NOT_SERVED {
            return Some(SERVE.to_owned());
        }
        let claim =
            BlockedClaim::read(sentence).map(|blocked| remedy_of_block(&blocked, namespace));
        claim.or_else(|| remedy_of_domain(sentence, namespace))
    })
}

fn remedy_of_block(blocked: &BlockedClaim, namespace: &str) -> String {
    let claim = &*blocked.claim;
    match &blocked.by {
        Blocker::NoTemplate(template) => create_template(claim, namespace, template),
        Blocker::Nobody => free_name(claim, namespace, "nobody needs it"),
        Blocker::Owner(owner) => {
            let condition = format!("{owner} does not need it");
            let free = free_name(claim, namespace, &condition);
            format!("{free}; otherwise apply this set under another name")
        }
        Blocker::Holder(pod) | Blocker::EarlierHolder(pod) => end_holders(claim, namespace, pod),
        Blocker::Hanging(pod) => await_loss(claim, namespace, pod),
    }
}

fn create_template(claim: &str, namespace: &str, template: &str) -> String {
    let (namespace, name) = template.split_once('/').unwrap_or((namespace, template));
    format!(
        "`kubectl get resourceclaimtemplates -n {namespace}` lists those that exist; create {name} there: \
         claim {claim} and its pods follow by themselves"
    )
}

fn free_name(claim: &str, namespace: &str, condition: &str) -> String {
    format!(
        "if {condition}, `kubectl delete resourceclaim {claim} -n {namespace}`: the operator creates its \
         own claim, and the pods follow by themselves"
    )
}

/// Kubernetes keeps a claim until no pod uses it.
fn end_holders(claim: &str, namespace: &str, pod: &str) -> String {
    format!(
        "`kubectl get resourceclaim {claim} -n {namespace} -o \
         jsonpath='{{.status.reservedFor[*].name}}'` lists the pods that hold it; end each of them, the \
         first with `kubectl delete pod {pod} -n {namespace}`: the operator then creates the claim again, \
         and the pods follow by themselves"
    )
}

/// Other pods of the claim may still run: the operator waits until all of them count as lost.
fn await_loss(claim: &str, namespace: &str, pod: &str) -> String {
    format!(
        "`kubectl get pod {pod} -n {namespace} -o wide` shows the node on which it hangs: repair that, or, \
         if its machine is off, `kubectl delete pod {pod} -n {namespace} --force`; new pods use another \
         claim than {claim} once all its pods have outlived `stuckPodTimeout`"
    )
}
