//! Resources that no node has.

use std::collections::BTreeSet;

use api::PodCliqueSet;

use super::rules::NO_NODE_WITH_RESOURCE;
use crate::lint::parts::pods;
use crate::lint::remark::Remark;
use crate::lint::rules::pod::resource_names::{is_own, named_by, nearest};

/// The fields of a set that name a device, and the names.
pub(crate) fn devices(set: &PodCliqueSet) -> Vec<(String, &str)> {
    pods(set)
        .flat_map(|(at, pod)| named_by(&at, pod))
        .filter(|(_, name)| !is_own(name) && name.contains('/'))
        .collect()
}

pub(super) fn check(set: &PodCliqueSet, offered: &BTreeSet<String>) -> Vec<Remark> {
    let known: Vec<&str> = offered.iter().map(String::as_str).collect();
    let devices = devices(set).into_iter();
    devices
        .filter(|(_, name)| !known.contains(name))
        .map(|(at, name)| {
            let problem = format!("no node has {name}");
            let remark = Remark::new(&NO_NODE_WITH_RESOURCE, at, problem);
            remark.remedy(match nearest(&known, name) {
                Some(meant) => format!("did you mean {meant}?"),
                None => "correct the name, or install its device plugin".to_owned(),
            })
        })
        .collect()
}
