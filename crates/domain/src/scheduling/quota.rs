//! The quota of a gang whose set names a queue of Kueue (docs/queues.md, decision 177).
//!
//! The PodCliqueSet writes into the PodGang how many pods need quota, the PodGang controller asks Kueue
//! for it and stores the grants in the gang's status, and only pods that have quota are listed.

use std::collections::{BTreeMap, HashSet};

use api::conditions::{self, ConditionType, Reason};
use api::kueue::keys;
use api::podgang::{GangQuota, GrantedPods, PodGroup};
use api::{PodGang, labels};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};

use crate::object::ownership;
use crate::object::pod::Pod;

/// Numbers of pods by PodClique.
pub type PodCounts = BTreeMap<String, i32>;

/// The LocalQueue that a set, or its PodGang, names.
pub fn local_queue(meta: &ObjectMeta) -> Option<&str> {
    ownership::label(meta, keys::QUEUE).filter(|name| !name.is_empty())
}

/// How often the gang has lost its quota.
pub fn round(gang: &PodGang) -> i64 {
    quota_of(gang).map_or(0, |quota| quota.round)
}

/// The round in which the pod was created.
pub fn round_of_pod(pod: &ObjectMeta) -> i64 {
    let round = ownership::annotation(pod, labels::QUOTA_ROUND);
    round.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Whether the pod was created before its gang lost its quota for the last time: it has to end, and
/// does not start again.
pub fn is_of_earlier_round(gang: &PodGang, pod: &Pod) -> bool {
    let round = round(gang);
    round > 0 && round_of_pod(&pod.metadata) < round
}

/// Whether quota is reserved for the gang.
pub fn is_reserved(gang: &PodGang) -> bool {
    condition(gang).is_some_and(|c| c.status == "True")
}

/// Since when quota is reserved for the gang.
pub fn reserved_at(gang: &PodGang) -> Option<Timestamp> {
    let found = condition(gang).filter(|c| c.status == "True")?;
    Some(found.last_transition_time.0)
}

/// Whether the gang, or some of its pods, waits for quota.
pub fn lacks_quota(gang: &PodGang) -> bool {
    let mut groups = gang.spec.pod_groups.iter();
    is_held(gang) || groups.any(|group| explain_shortage(gang, &group.name).is_some())
}

/// Whether the gang waits for quota: none of its pods may start.
pub fn is_held(gang: &PodGang) -> bool {
    condition(gang).is_some_and(|c| c.status != "True")
}

/// Why the gang waits for quota, in the words of its condition.
pub fn explain_wait(gang: &PodGang) -> Option<(Reason, &str)> {
    let found = condition(gang).filter(|c| c.status != "True")?;
    let reason = found.reason.parse().unwrap_or(Reason::WaitingForQuota);
    Some((reason, &found.message))
}

/// Status, reason and message of the gang's condition.
pub fn report(gang: &PodGang) -> Option<[&str; 3]> {
    let found = condition(gang)?;
    Some([
        found.status.as_str(),
        found.reason.as_str(),
        found.message.as_str(),
    ])
}

/// Why pods of the PodClique have no quota although its gang has some.
pub fn explain_shortage(gang: &PodGang, podclique: &str) -> Option<String> {
    let found = condition(gang).filter(|c| c.status == "True")?;
    let needed = *requested(&gang.metadata)?.get(podclique)?;
    (granted(gang, podclique) < needed).then(|| explain_part(gang, &found.message))
}

/// Whether a gang whose set names a queue asks for quota: before it waits for it, too.
pub fn asks_for_quota(gang: &PodGang) -> bool {
    condition(gang).is_none() || lacks_quota(gang)
}

/// Why a gang that has quota does not start: a part of it has less than its minimum.
pub fn explain_low_grant(gang: &PodGang) -> Option<String> {
    let found = condition(gang).filter(|c| c.status == "True")?;
    let requested = requested(&gang.metadata)?;
    let is_low = |group: &PodGroup| {
        let needed = requested.get(&group.name).copied().unwrap_or(0);
        granted(gang, &group.name) < needed.min(group.min_replicas)
    };
    let mut groups = gang.spec.pod_groups.iter();
    groups
        .any(is_low)
        .then(|| explain_part(gang, &found.message))
}

/// With the words of the gang's condition, which has those of Kueue.
fn explain_part(gang: &PodGang, message: &str) -> String {
    let name = ownership::name(&gang.metadata);
    format!("gang {name} waits for more quota: {message}")
}

/// How many pods of the PodClique have quota.
pub fn granted(gang: &PodGang, podclique: &str) -> i32 {
    let counts = grants_of(gang, podclique).map(|pods| pods.count);
    counts.fold(0, i32::saturating_add)
}

/// The PodCliques of which pods have quota.
pub fn granted_parts(gang: &PodGang) -> impl Iterator<Item = &str> {
    granted_pods(gang).map(|pods| &*pods.name)
}

/// The flavor of the pod with this index: that of its place behind the pods of earlier grants. A pod
/// beyond them, which others below it have left behind, has the last one.
pub fn flavor_of<'a>(gang: &'a PodGang, podclique: &str, index: i32) -> Option<&'a GrantedPods> {
    let mut end: i32 = 0;
    let mut last = None;
    for pods in grants_of(gang, podclique).filter(|pods| pods.count > 0) {
        end = end.saturating_add(pods.count);
        last = Some(pods);
        if index < end {
            break;
        }
    }
    last
}

/// The first label to which both give different values, with the first value.
pub fn contradiction<'a>(
    selector: &'a BTreeMap<String, String>,
    other: &BTreeMap<String, String>,
) -> Option<(&'a str, &'a str)> {
    let mut labels = selector.iter();
    let found = labels.find(|(key, value)| other.get(*key).is_some_and(|other| other != *value));
    found.map(|(key, value)| (key.as_str(), value.as_str()))
}

/// The number of pods for which an object asks or has asked; `None` if it never did.
pub fn requested(meta: &ObjectMeta) -> Option<PodCounts> {
    serde_json::from_str(ownership::annotation(meta, labels::QUOTA_REQUEST)?).ok()
}

/// These numbers as the annotation has them.
pub fn to_text(counts: &PodCounts) -> String {
    serde_json::to_string(counts).unwrap_or_default()
}

/// How many of these pods of one PodClique use quota: those that may run, while they are ending too,
/// until they have ended or another pod has their index.
pub fn count_users<'a>(pods: impl Iterator<Item = &'a Pod> + Clone) -> i32 {
    let staying: HashSet<Option<i32>> = pods
        .clone()
        .filter(|pod| !pod.is_terminating())
        .map(Pod::index)
        .collect();
    let is_user = |pod: &&Pod| {
        let is_left_behind = pod.is_terminating() && staying.contains(&pod.index());
        pod.gate_position().is_none() && !pod.has_run_out() && !is_left_behind
    };
    i32::try_from(pods.filter(is_user).count()).unwrap_or(i32::MAX)
}

fn quota_of(gang: &PodGang) -> Option<&GangQuota> {
    gang.status.as_ref()?.quota.as_ref()
}

fn condition(gang: &PodGang) -> Option<&Condition> {
    let conditions = &gang.status.as_ref()?.conditions;
    conditions::find(conditions, ConditionType::QuotaReserved)
}

fn grants_of<'a>(gang: &'a PodGang, podclique: &str) -> impl Iterator<Item = &'a GrantedPods> {
    granted_pods(gang).filter(move |pods| pods.name == podclique)
}

fn granted_pods(gang: &PodGang) -> impl Iterator<Item = &GrantedPods> {
    let grants = quota_of(gang).into_iter().flat_map(|quota| &quota.grants);
    grants.flat_map(|grant| &grant.pods)
}
