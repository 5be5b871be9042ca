//! How much of each resource pods ask the scheduler for.

use std::collections::BTreeMap;

use domain::object::quantity::parse_quantity;
use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// Amounts by name of the resource, in thousandths: of a core, a byte, a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests(BTreeMap<String, i128>);

impl Requests {
    /// What a pod of this spec asks for: all its containers together, or the init container that
    /// asks for more, and its overhead. As the API server does it, what is only limited is asked
    /// for.
    pub fn of_pod(spec: &PodSpec) -> Self {
        let init = || spec.init_containers.iter().flatten();
        let mut running = Self::default();
        for container in spec
            .containers
            .iter()
            .chain(init().filter(|c| is_sidecar(c)))
        {
            running.add(&Self::of_container(container), 1);
        }
        let mut sidecars = Self::default();
        for container in init() {
            let own = Self::of_container(container);
            if is_sidecar(container) {
                sidecars.add(&own, 1);
            } else {
                let mut starting = sidecars.clone();
                starting.add(&own, 1);
                running.raise(&starting);
            }
        }
        running.replace(spec.resources.as_ref());
        running.add(&Self::read(spec.overhead.as_ref()), 1);
        running
    }

    /// So many times these are added.
    pub fn add(&mut self, other: &Self, times: i128) {
        for (name, amount) in &other.0 {
            let sum = self.0.entry(name.clone()).or_default();
            *sum = sum.saturating_add(amount.saturating_mul(times));
        }
    }

    /// As Kubernetes writes them, by name; nothing is left out.
    pub fn quantities(&self) -> BTreeMap<String, String> {
        let all = self.0.iter();
        all.map(|(name, amount)| (name.clone(), write_quantity(name, *amount)))
            .collect()
    }

    fn of_container(container: &Container) -> Self {
        let mut all = Self::default();
        all.replace(container.resources.as_ref());
        all
    }

    /// What these say wins.
    fn replace(&mut self, resources: Option<&ResourceRequirements>) {
        let Some(resources) = resources else { return };
        let limits = Self::read(resources.limits.as_ref());
        let requests = Self::read(resources.requests.as_ref());
        self.0.extend(limits.0);
        self.0.extend(requests.0);
    }

    fn raise(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let most = self.0.entry(name.clone()).or_default();
            *most = (*most).max(*amount);
        }
    }

    fn read(quantities: Option<&BTreeMap<String, Quantity>>) -> Self {
        let all = quantities.into_iter().flatten();
        let read = all.filter_map(|(name, q)| Some((name.clone(), thousandths(&q.0)?)));
        Self(read.collect())
    }
}

/// An init container that goes on beside the others.
fn is_sidecar(container: &Container) -> bool {
    container.restart_policy.as_deref() == Some("Always")
}

/// Rounded up, as the scheduler does it.
fn thousandths(quantity: &str) -> Option<i128> {
    // What takes part in a rounding error of floating point is far below a millionth.
    const ROUNDING: f64 = 1e-6;
    let amount = (parse_quantity(quantity)? * 1000.0 - ROUNDING).ceil();
    let fits = (0.0..1e30).contains(&amount);
    #[allow(clippy::cast_possible_truncation, reason = "it is whole, and fits")]
    fits.then_some(amount as i128)
}

fn write_quantity(name: &str, thousandths: i128) -> String {
    let whole = thousandths.saturating_add(999) / 1000;
    if thousandths % 1000 != 0 && name == "cpu" {
        return format!("{thousandths}m");
    }
    let is_bytes =
        ["memory", "ephemeral-storage"].contains(&name) || name.starts_with("hugepages-");
    if is_bytes {
        write_bytes(whole)
    } else {
        whole.to_string()
    }
}

fn write_bytes(bytes: i128) -> String {
    const UNITS: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let (mut amount, mut unit) = (bytes, 0);
    while amount != 0 && amount % 1024 == 0 && unit + 1 < UNITS.len() {
        amount /= 1024;
        unit += 1;
    }
    format!("{amount}{}", UNITS.get(unit).unwrap_or(&""))
}
