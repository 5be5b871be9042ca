//! Resources that no node has.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::Node;
use kube::Api;
use kube::api::ListParams;

use super::rules::{CHECK_SKIPPED, NO_NODE_WITH_RESOURCE};
use crate::cluster::{Cluster, read_pages};
use crate::exit::Failure;
use crate::lint::parts::pods;
use crate::lint::remark::Remark;
use crate::lint::rules::pod::resource_names::{is_own, named_by, nearest};

/// The resources of all nodes, by name.
pub type Offered = BTreeSet<String>;

/// The fields of a set that name a device, and the names.
fn devices(set: &PodCliqueSet) -> Vec<(String, &str)> {
    pods(set)
        .flat_map(|(at, pod)| named_by(&at, pod))
        .filter(|(_, name)| !is_own(name) && name.contains('/'))
        .collect()
}

/// Remarks on a set; without `offered` the user may not read nodes.
pub fn check_resources(set: &PodCliqueSet, offered: Option<&Offered>) -> Vec<Remark> {
    let devices = devices(set);
    let Some(offered) = offered else {
        return devices
            .first()
            .map(|(at, _)| skipped(at))
            .into_iter()
            .collect();
    };
    let known: Vec<&str> = offered.iter().map(String::as_str).collect();
    let missing = devices
        .into_iter()
        .filter(|(_, name)| !known.contains(name));
    missing
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

fn skipped(at: &str) -> Remark {
    let problem = "was not checked in the cluster: you have no right to list nodes".to_owned();
    let remark = Remark::new(&CHECK_SKIPPED, at, problem);
    remark.remedy("ask for that right, or check it by other means")
}

/// Reads all nodes if a set names a device; none if the user may not.
pub(super) async fn read(
    cluster: &Cluster,
    sets: &[&PodCliqueSet],
) -> Result<Option<Offered>, Failure> {
    let mut offered = Offered::new();
    if sets.iter().all(|set| devices(set).is_empty()) {
        return Ok(Some(offered));
    }
    let nodes: Api<Node> = Api::all(cluster.client.clone());
    let one = ListParams::default().limit(1);
    if let Err(kube::Error::Api(status)) = nodes.list_metadata(&one).await
        && status.code == 403
    {
        return Ok(None);
    }
    let keep = |node: Node| {
        let status = node.status.unwrap_or_default();
        offered.extend(status.allocatable.unwrap_or_default().into_keys());
        Ok(())
    };
    read_pages(&nodes, ListParams::default(), "list nodes", keep).await?;
    Ok(Some(offered))
}
