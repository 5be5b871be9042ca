//! Image names that may mean another image tomorrow.

use api::PodCliqueSet;

use crate::lint::parts::{all_containers, pods};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const NO_VERSION: Rule = Rule::warning(
    "image-without-version",
    "an image without a tag, or with tag latest",
    "A replacement pod runs the image that the tag names by then, beside pods of its gang with \
     the old image, and a new image under the same tag does not update the set.",
);

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let images = pods(set)
        .flat_map(|(at, pod)| all_containers(&at, pod))
        .filter_map(|(at, container)| Some((at, container.image.as_deref()?)));
    let floating = images.filter(|(_, image)| !is_fixed(image));
    let remark = |(at, image): (String, &str)| {
        let problem = "each pod may run another image".to_owned();
        let remark =
            Remark::new(&NO_VERSION, format!("{at}.image"), problem).value(format!("{image:?}"));
        remark.remedy("name a version or a digest, such as app:1.2")
    };
    floating.map(remark).collect()
}

/// Whether it names a digest, or a tag other than `latest`. A registry's port is no tag.
fn is_fixed(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    let tag = name.split_once(':').map(|(_, tag)| tag);
    image.is_empty() || image.contains('@') || !matches!(tag, None | Some("latest" | ""))
}
