//! The amounts of a pod that a `ResourceQuota` counts.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::object::quantity::parse_quantity;

/// The amounts by the names that a quota may use for them: `cpu` and `requests.cpu` are the same.
pub fn count_for_quota(spec: &PodSpec) -> BTreeMap<String, f64> {
    let one = ["pods", "count/pods"].map(|name| (name.to_owned(), 1.0));
    let mut all = BTreeMap::from(one);
    for container in &spec.containers {
        let Some(resources) = &container.resources else {
            continue;
        };
        for (name, amount) in amounts(resources.requests.as_ref()) {
            *all.entry(format!("requests.{name}")).or_default() += amount;
            *all.entry(name).or_default() += amount;
        }
        for (name, amount) in amounts(resources.limits.as_ref()) {
            *all.entry(format!("limits.{name}")).or_default() += amount;
        }
    }
    all
}

fn amounts(
    given: Option<&BTreeMap<String, Quantity>>,
) -> impl Iterator<Item = (String, f64)> + use<'_> {
    let given = given.into_iter().flatten();
    given.filter_map(|(name, amount)| Some((name.clone(), parse_quantity(&amount.0)?)))
}
