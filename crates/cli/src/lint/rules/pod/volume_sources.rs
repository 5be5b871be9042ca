//! Volumes with more than one source.

use k8s_openapi::api::core::v1::PodSpec;
use serde_json::Value;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const TWO_SOURCES: Rule = Rule::error(
    "two-volume-sources",
    "a volume with more than one source, such as emptyDir and hostPath",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let volumes = pod.volumes.iter().flatten().enumerate();
    volumes
        .filter_map(|(i, volume)| {
            let fields = serde_json::to_value(volume).unwrap_or_default();
            let sources = sources_of(&fields);
            let problem = format!("has {} sources: {}", sources.len(), sources.join(", "));
            (sources.len() > 1).then(|| {
                let remark = Remark::new(&TWO_SOURCES, format!("{at}.volumes[{i}]"), problem);
                remark.remedy("keep one of them")
            })
        })
        .collect()
}

fn sources_of(volume: &Value) -> Vec<&str> {
    let fields = volume.as_object().into_iter().flatten();
    let names = fields.map(|(name, _)| name.as_str());
    names.filter(|name| *name != "name").collect()
}
