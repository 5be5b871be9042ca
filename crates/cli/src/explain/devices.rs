//! How many devices of a DeviceClass are free, at most: drivers list devices in ResourceSlices, and claims say
//! which of them they have. Only a scheduler knows which of the free ones suit a claim.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use kube::Api;

use crate::cluster::Cluster;
use crate::output::count;

/// Driver, pool and name of a device.
type DeviceId<'a> = (&'a str, &'a str, &'a str);

/// The devices of the cluster.
pub struct Devices {
    classes: BTreeMap<String, DeviceClass>,
    slices: Vec<ResourceSlice>,
    claims: Vec<ResourceClaim>,
}

/// The classes of the devices that a claim requests.
pub fn classes_of(claim: &ResourceClaim) -> BTreeSet<&str> {
    let spec = claim.spec.as_ref();
    let devices = spec.and_then(|spec| spec.devices.as_ref()).into_iter();
    let requests = devices.flat_map(|devices| devices.requests.iter().flatten());
    requests
        .flat_map(|request| {
            let exactly = request.exactly.iter().map(|e| &e.device_class_name);
            let any = request.first_available.iter().flatten();
            exactly.chain(any.map(|sub| &sub.device_class_name))
        })
        .map(String::as_str)
        .collect()
}

/// Reads them for these classes; none if the user may not. Without the right to list the claims of all
/// namespaces those of the own one count: that leaves more devices free.
pub async fn read_devices(cluster: &Cluster, classes: &BTreeSet<&str>) -> Option<Devices> {
    let api: Api<DeviceClass> = Api::all(cluster.client.clone());
    let reads = classes.iter().map(|name| api.get_opt(name));
    let found = try_join_all(reads).await.ok()?;
    let slices = cluster.list_everywhere::<ResourceSlice>("").await.ok()?;
    let claims = match cluster.list_everywhere::<ResourceClaim>("").await {
        Ok(claims) => claims,
        Err(_) => cluster.list::<ResourceClaim>("").await.ok()?,
    };
    let named = classes.iter().map(|name| (*name).to_owned()).zip(found);
    Some(Devices {
        classes: named
            .filter_map(|(name, class)| Some((name, class?)))
            .collect(),
        slices,
        claims,
    })
}

impl Devices {
    /// `class gpu.example.com: at most 2 of 8 devices free`.
    pub fn describe(&self, class: &str) -> String {
        let Some(found) = self.classes.get(class) else {
            return format!("class {class} does not exist");
        };
        let all = self.list(driver_of(found));
        let allocated = self.allocated();
        let free = all
            .iter()
            .filter(|(id, is_shared)| **is_shared || !allocated.contains(*id))
            .count();
        let all = count(all.len(), "device");
        format!("class {class}: at most {free} of {all} free")
    }

    /// The devices of the driver, or of all drivers, with whether several claims may have them.
    fn list(&self, driver: Option<&str>) -> BTreeMap<DeviceId<'_>, bool> {
        let newest = self.newest_generations();
        let specs = self.slices.iter().map(|slice| &slice.spec);
        specs
            .filter(|spec| driver.is_none_or(|driver| driver == spec.driver))
            .filter(|spec| {
                let pool = (spec.driver.as_str(), spec.pool.name.as_str());
                newest.get(&pool) == Some(&spec.pool.generation)
            })
            .flat_map(|spec| {
                let devices = spec.devices.iter().flatten();
                devices.map(move |device| {
                    let (driver, pool) = (spec.driver.as_str(), spec.pool.name.as_str());
                    let is_shared = device.allow_multiple_allocations.unwrap_or(false);
                    ((driver, pool, device.name.as_str()), is_shared)
                })
            })
            .collect()
    }

    /// Slices of older generations of a pool count no more.
    fn newest_generations(&self) -> BTreeMap<(&str, &str), i64> {
        let mut newest = BTreeMap::new();
        for spec in self.slices.iter().map(|slice| &slice.spec) {
            let pool = (spec.driver.as_str(), spec.pool.name.as_str());
            let known = newest.entry(pool).or_insert(spec.pool.generation);
            *known = spec.pool.generation.max(*known);
        }
        newest
    }

    /// The devices that a claim has; access by an administrator leaves them to others.
    fn allocated(&self) -> BTreeSet<DeviceId<'_>> {
        let statuses = self.claims.iter().filter_map(|claim| claim.status.as_ref());
        let allocations = statuses.filter_map(|status| status.allocation.as_ref());
        let devices = allocations.filter_map(|allocation| allocation.devices.as_ref());
        let results = devices.flat_map(|devices| devices.results.iter().flatten());
        results
            .filter(|result| result.admin_access != Some(true))
            .map(|result| {
                let (driver, pool) = (result.driver.as_str(), result.pool.as_str());
                (driver, pool, result.device.as_str())
            })
            .collect()
    }
}

/// The driver that a class selects; none if that does not follow from the beginning of an expression.
fn driver_of(class: &DeviceClass) -> Option<&str> {
    let spec = class.spec.iter();
    let selectors = spec.flat_map(|spec| spec.selectors.iter().flatten());
    let mut expressions = selectors.filter_map(|selector| selector.cel.as_ref());
    expressions.find_map(|cel| driver_in(&cel.expression))
}

/// `device.driver == 'x'`, alone or before `&&`.
fn driver_in(expression: &str) -> Option<&str> {
    if expression.contains("||") || expression.contains('?') {
        return None;
    }
    let first = expression.split("&&").next()?;
    let value = first.trim().strip_prefix("device.driver")?.trim_start();
    let value = value.strip_prefix("==")?.trim_start();
    let quote = value.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let name = value.strip_prefix(quote)?.strip_suffix(quote)?;
    (!name.contains(quote)).then_some(name)
}
