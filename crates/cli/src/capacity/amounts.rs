//! Amounts of resources in whole units, as kube-scheduler counts: thousandths of a CPU, bytes,
//! pieces.

use std::collections::BTreeMap;

use domain::object::quantity::parse_billionths;
use domain::object::quantity_text::smallest_unit;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// How much of each resource.
pub type Amounts = BTreeMap<String, i64>;

/// A quantity that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{resource} {quantity:?} is not a quantity; write it like 500m, 8 or 16Gi")]
pub struct BadQuantity {
    resource: String,
    quantity: String,
}

/// Reads quantities. A fraction of a unit counts as one.
pub fn read_amounts(quantities: &BTreeMap<String, Quantity>) -> Result<Amounts, BadQuantity> {
    let read = |(resource, quantity): (&String, &Quantity)| {
        let amount = whole_units(resource, &quantity.0).ok_or_else(|| BadQuantity {
            resource: resource.clone(),
            quantity: quantity.0.clone(),
        })?;
        Ok((resource.clone(), amount))
    };
    quantities.iter().map(read).collect()
}

fn whole_units(resource: &str, quantity: &str) -> Option<i64> {
    let rounded_up = -(-parse_billionths(quantity)?).div_euclid(smallest_unit(resource));
    let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(rounded_up.clamp(bounds.0, bounds.1)).ok()
}

/// Adds up.
pub fn add(sum: &mut Amounts, more: &Amounts) {
    add_times(sum, more, 1);
}

/// Adds that many times as much.
pub fn add_times(sum: &mut Amounts, more: &Amounts, times: i64) {
    for (resource, amount) in more {
        let held = sum.entry(resource.clone()).or_default();
        *held = held.saturating_add(amount.saturating_mul(times));
    }
}

/// Of each resource the larger amount.
pub fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let held = most.entry(resource.clone()).or_insert(*amount);
        *held = (*held).max(*amount);
    }
}
