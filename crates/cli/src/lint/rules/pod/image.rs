//! Containers without an image.

use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::parts::all_containers;
use crate::lint::remark::{NOT_SET, Remark, Rule};

pub(in crate::lint) const NO_IMAGE: Rule = Rule::error(
    "no-image",
    "a container without an image",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .filter(|(_, container)| container.image.as_deref().is_none_or(str::is_empty))
        .map(|(at, container)| {
            let problem = format!("container {} needs an image", container.name);
            let remark = Remark::new(&NO_IMAGE, format!("{at}.image"), problem);
            remark.value(NOT_SET).remedy("set it, such as app:1.2")
        })
        .collect()
}
