//! Mounts of volumes that the pod does not have.

use k8s_openapi::api::core::v1::{Container, PodSpec};
use strsim::osa_distance;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const UNKNOWN_VOLUME: Rule = Rule::error(
    "unknown-volume",
    "volumeMounts or volumeDevices of a volume that the pod does not have",
    "The API server stores the set and refuses each of its pods.",
);

/// So many letters differ at most in a name that was misspelt.
const NEAR: usize = 2;

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let volumes = pod.volumes.iter().flatten();
    let known: Vec<&str> = volumes.map(|volume| volume.name.as_str()).collect();
    all_containers(at, pod)
        .flat_map(|(at, container)| mounts(&at, container))
        .filter(|(_, name)| !known.contains(name))
        .map(|(at, name)| {
            let problem = "is no volume of the pod".to_owned();
            let remark = Remark::new(&UNKNOWN_VOLUME, at, problem).value(format!("{name:?}"));
            remark.remedy(remedy(&known, name))
        })
        .collect()
}

/// The fields that name a volume, and the names.
fn mounts<'a>(at: &str, container: &'a Container) -> Vec<(String, &'a str)> {
    let mounts = container.volume_mounts.iter().flatten().enumerate();
    let mounts = mounts.map(|(i, mount)| (format!("{at}.volumeMounts[{i}].name"), &*mount.name));
    let devices = container.volume_devices.iter().flatten().enumerate();
    let devices =
        devices.map(|(i, device)| (format!("{at}.volumeDevices[{i}].name"), &*device.name));
    mounts.chain(devices).collect()
}

fn remedy(known: &[&str], name: &str) -> String {
    let distances = known
        .iter()
        .map(|known| (osa_distance(known, name), *known));
    match distances.min().filter(|(distance, _)| *distance <= NEAR) {
        Some((_, meant)) => format!("did you mean {meant}?"),
        None => "add it to volumes of the podSpec, or remove the mount".to_owned(),
    }
}
