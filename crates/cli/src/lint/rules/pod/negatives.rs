//! Quantities below zero.

use domain::object::quantity::parse_billionths;
use k8s_openapi::api::core::v1::{PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const NEGATIVE: Rule = Rule::error(
    "negative-quantity",
    "a request, a limit or the sizeLimit of an emptyDir below zero",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let of_pod = pod.resources.iter().map(|own| (at.to_owned(), own));
    let of_containers = all_containers(at, pod)
        .filter_map(|(at, container)| Some((at, container.resources.as_ref()?)));
    let resources = of_pod.chain(of_containers);
    let quantities = resources.flat_map(|(at, resources)| of_resources(&at, resources));
    let sizes = sizes(at, pod);
    quantities
        .chain(sizes)
        .filter(|(_, quantity)| parse_billionths(&quantity.0).is_some_and(|amount| amount < 0))
        .map(|(at, quantity)| {
            let remark = Remark::new(&NEGATIVE, at, "must not be negative".to_owned());
            let remark = remark.value(format!("{:?}", quantity.0));
            remark.remedy("write it without the minus sign, or remove it")
        })
        .collect()
}

fn of_resources<'a>(at: &str, resources: &'a ResourceRequirements) -> Vec<(String, &'a Quantity)> {
    let lists = [
        ("limits", &resources.limits),
        ("requests", &resources.requests),
    ];
    lists
        .into_iter()
        .flat_map(|(field, list)| list.iter().flatten().map(move |entry| (field, entry)))
        .map(|(field, (name, amount))| (format!("{at}.resources.{field}[{name}]"), amount))
        .collect()
}

/// The sizes of volumes in memory or on the disk of the node.
fn sizes<'a>(at: &str, pod: &'a PodSpec) -> Vec<(String, &'a Quantity)> {
    let volumes = pod.volumes.iter().flatten().enumerate();
    volumes
        .filter_map(|(i, volume)| {
            let size = volume.empty_dir.as_ref()?.size_limit.as_ref()?;
            Some((format!("{at}.volumes[{i}].emptyDir.sizeLimit"), size))
        })
        .collect()
}
