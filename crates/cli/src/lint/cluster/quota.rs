//! Whether quotas have room for a set.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use domain::object::pod_requests::Which;
use domain::object::quantity::parse_billionths;
use k8s_openapi::api::core::v1::{Container, LimitRange, PodSpec, ResourceQuota};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::answers::NamespaceQuota;
use super::requests::{ONE, pods_of, sum_of};
use super::rules::{QUOTA_EXCEEDED, QUOTA_NEEDS_REQUESTS};
use crate::lint::parts::{all_containers, pods};
use crate::lint::remark::Remark;

/// Resources that a quota demands of each container.
const DEMANDED: [&str; 2] = ["cpu", "memory"];

/// Remarks of quotas on a set; quotas with scopes are ignored.
pub(super) fn check(set: &PodCliqueSet, namespace: &NamespaceQuota) -> Vec<Remark> {
    let spec = |quota: &&ResourceQuota| {
        let spec = quota.spec.as_ref();
        spec.is_some_and(|s| s.scopes.is_none() && s.scope_selector.is_none())
    };
    let quotas = namespace.quotas.iter().filter(spec);
    quotas
        .flat_map(|quota| {
            let over = over(set, namespace.stored.as_ref(), quota);
            let silent = silent_containers(set, quota, &namespace.limits);
            [over, silent].concat()
        })
        .collect()
}

fn over(set: &PodCliqueSet, stored: Option<&PodCliqueSet>, quota: &ResourceQuota) -> Vec<Remark> {
    hard_of(quota)
        .into_iter()
        .flatten()
        .filter_map(|(key, hard)| {
            let hard = parse_billionths(&hard.0)?;
            let used = used_of(quota, key);
            let before = stored.and_then(|stored| asked(stored, key));
            let asked = asked(set, key)?;
            // Usage includes the stored version, except pods that were refused.
            let free = hard.saturating_sub(used);
            let left = free.saturating_add(before.unwrap_or_default()).min(hard);
            let problem = format!(
                "quota {} has {} of {key} left of {}, and the set asks for {} in all",
                name_of(quota),
                shown(key, left.max(0)),
                shown(key, hard),
                shown(key, asked)
            );
            (asked > left).then(|| {
                let remark = Remark::new(&QUOTA_EXCEEDED, "spec", problem);
                remark.remedy("raise the quota, or ask for less: pods beyond it are refused")
            })
        })
        .collect()
}

fn hard_of(quota: &ResourceQuota) -> Option<&BTreeMap<String, Quantity>> {
    quota.spec.as_ref()?.hard.as_ref()
}

fn used_of(quota: &ResourceQuota, key: &str) -> i128 {
    let used = quota.status.as_ref().and_then(|s| s.used.as_ref());
    let used = used.and_then(|used| parse_billionths(&used.get(key)?.0));
    used.unwrap_or_default()
}

fn name_of(quota: &ResourceQuota) -> &str {
    quota.metadata.name.as_deref().unwrap_or_default()
}

/// The amount of a quota's resource that a set requests, in billionths; none without any.
fn asked(set: &PodCliqueSet, key: &str) -> Option<i128> {
    let of = |which, resource: &str| sum_of(set, which).get(resource);
    match key {
        "pods" | "count/pods" => Some(pods_of(set).saturating_mul(ONE)),
        "count/podcliquesets.grove.io" => Some(ONE),
        "cpu" | "memory" | "ephemeral-storage" => of(Which::Requests, key),
        _ => match key.split_once('.') {
            Some(("requests", resource)) => of(Which::Requests, resource),
            Some(("limits", resource)) => of(Which::Limits, resource),
            _ => None,
        },
    }
}

/// If a quota limits CPU or memory, the API server refuses pods without requests for it, unless a
/// `LimitRange` gives a default.
fn silent_containers(
    set: &PodCliqueSet,
    quota: &ResourceQuota,
    limits: &[LimitRange],
) -> Vec<Remark> {
    hard_of(quota)
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .filter_map(|key| {
            let (which, resource) = split(key);
            let is_given = has_default(limits, which, resource);
            (DEMANDED.contains(&resource) && !is_given).then_some((key, which, resource))
        })
        .filter_map(|(key, which, resource)| {
            let silent = |(at, pod): (String, &PodSpec)| first_silent(&at, pod, which, resource);
            let at = pods(set).find_map(silent)?;
            let problem = format!(
                "quota {} counts {key}, and pods with a container without it are refused",
                name_of(quota)
            );
            let remark = Remark::new(&QUOTA_NEEDS_REQUESTS, at, problem);
            Some(remark.remedy(format!("set {resource} in each container")))
        })
        .collect()
}

fn split(key: &str) -> (Which, &str) {
    match key.split_once('.') {
        Some(("requests", resource)) => (Which::Requests, resource),
        Some(("limits", resource)) => (Which::Limits, resource),
        _ => (Which::Requests, key),
    }
}

fn has_default(limits: &[LimitRange], which: Which, resource: &str) -> bool {
    limits
        .iter()
        .filter_map(|range| range.spec.as_ref())
        .flat_map(|spec| &spec.limits)
        .any(|item| {
            let requests = item
                .default_request
                .iter()
                .filter(|_| which == Which::Requests);
            item.type_ == "Container"
                && item
                    .default
                    .iter()
                    .chain(requests)
                    .any(|of| of.contains_key(resource))
        })
}

/// Path of the resources of the first container without a request.
fn first_silent(at: &str, pod: &PodSpec, which: Which, resource: &str) -> Option<String> {
    let says = |resources: Option<&k8s_openapi::api::core::v1::ResourceRequirements>| {
        resources.is_some_and(|r| {
            let requests = r.requests.iter().filter(|_| which == Which::Requests);
            r.limits
                .iter()
                .chain(requests)
                .any(|of| of.contains_key(resource))
        })
    };
    if says(pod.resources.as_ref()) {
        return None;
    }
    let is_silent = |(_, c): &(String, &Container)| !says(c.resources.as_ref());
    let (at, _) = all_containers(at, pod).find(is_silent)?;
    Some(format!("{at}.resources"))
}

/// Billionths in the usual notation.
fn shown(key: &str, billionths: i128) -> String {
    const MI: f64 = 1024.0 * 1024.0;
    const GI: f64 = 1024.0 * MI;
    #[allow(clippy::cast_precision_loss, reason = "it is rounded for reading")]
    let amount = billionths as f64 / 1e9;
    let is_bytes = key.ends_with("memory") || key.ends_with("storage");
    match amount {
        amount if is_bytes && amount >= GI => format!("{}Gi", rounded(amount / GI)),
        amount if is_bytes => format!("{}Mi", rounded(amount / MI)),
        amount if amount.fract() > 0.0 => format!("{:.0}m", amount * 1000.0),
        amount => rounded(amount),
    }
}

fn rounded(amount: f64) -> String {
    let text = format!("{amount:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
