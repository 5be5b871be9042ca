//! Names of images that no registry can have.

use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_IMAGE: Rule = Rule::error(
    "invalid-image",
    "an image with spaces, or with capitals in its repository",
    "The API server refuses each pod of the set, or the kubelet does not pull the image \
     (InvalidImageName).",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .filter_map(|(at, container)| of_image(&at, container.image.as_deref()?))
        .collect()
}

fn of_image(at: &str, image: &str) -> Option<Remark> {
    let repository = repository_of(image);
    let (problem, remedy) = if image.contains(char::is_whitespace) {
        ("must not have spaces", "remove them".to_owned())
    } else if repository.contains(|c: char| c.is_ascii_uppercase()) {
        let remedy = format!("write {}", repository.to_lowercase());
        ("must not have capitals in its repository", remedy)
    } else {
        return None;
    };
    let remark = Remark::new(&INVALID_IMAGE, format!("{at}.image"), problem.to_owned());
    Some(remark.value(format!("{image:?}")).remedy(remedy))
}

/// The image without its registry, tag and digest.
fn repository_of(image: &str) -> &str {
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    let path = match name.split_once('/') {
        Some((first, rest)) if is_registry(first) => rest,
        _ => name,
    };
    match path.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => path,
    }
}

/// Whether the first part of a name is a host, as container runtimes distinguish it.
fn is_registry(first: &str) -> bool {
    let is_of_host = |c: char| matches!(c, '.' | ':') || c.is_ascii_uppercase();
    first == "localhost" || first.contains(is_of_host)
}
