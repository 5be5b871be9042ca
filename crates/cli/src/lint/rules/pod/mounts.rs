//! Paths of mounts.

use k8s_openapi::api::core::v1::{PodSpec, VolumeMount};

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_MOUNT: Rule = Rule::error(
    "invalid-mount",
    "a volumeMount with an empty mountPath, or with a subPath that leaves the volume",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .flat_map(|(at, container)| {
            let mounts = container.volume_mounts.iter().flatten().enumerate();
            mounts
                .flat_map(|(i, mount)| of_mount(&format!("{at}.volumeMounts[{i}]"), mount))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn of_mount(at: &str, mount: &VolumeMount) -> Vec<Remark> {
    let path = mount.mount_path.is_empty().then(|| {
        let problem = "must not be empty".to_owned();
        let remark = Remark::new(&INVALID_MOUNT, format!("{at}.mountPath"), problem);
        remark.value("\"\"").remedy("set it, such as /data")
    });
    let below = [
        ("subPath", &mount.sub_path),
        ("subPathExpr", &mount.sub_path_expr),
    ];
    let below = below.into_iter().filter_map(|(field, path)| {
        let remedy = remedy(path.as_deref()?)?;
        let problem = "must be a path within the volume".to_owned();
        let remark = Remark::new(&INVALID_MOUNT, format!("{at}.{field}"), problem);
        Some(
            remark
                .value(format!("{:?}", path.as_deref()?))
                .remedy(remedy),
        )
    });
    path.into_iter().chain(below).collect()
}

/// The remedy for a path that leaves its volume.
fn remedy(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(format!("write {}", path.trim_start_matches('/')));
    }
    let leaves = path.split('/').any(|step| step == "..");
    leaves.then(|| "write it without ..".to_owned())
}
