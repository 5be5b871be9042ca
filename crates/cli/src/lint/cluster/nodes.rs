//! The nodes of the cluster, as far as pods choose them.

use std::collections::{BTreeMap, BTreeSet};

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::Node;
use kube::Api;
use kube::api::ListParams;

use super::rules::CHECK_SKIPPED;
use super::{node_resources, node_selectors};
use crate::cluster::{Cluster, read_pages};
use crate::exit::Failure;
use crate::lint::remark::Remark;

/// All nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedNodes {
    /// The resources that any of them has, by name.
    pub resources: BTreeSet<String>,
    /// The labels of each.
    pub labels: Vec<BTreeMap<String, String>>,
}

/// Remarks on the nodes that a set asks for; without `nodes` the user may not read them.
pub fn check_nodes(set: &PodCliqueSet, nodes: Option<&OfferedNodes>) -> Vec<Remark> {
    if let Some(nodes) = nodes {
        let resources = node_resources::check(set, &nodes.resources);
        return [resources, node_selectors::check(set, &nodes.labels)].concat();
    }
    let first = first_question(set);
    first.map(|at| skipped(&at)).into_iter().collect()
}

/// The first field that only nodes can answer.
fn first_question(set: &PodCliqueSet) -> Option<String> {
    let devices = node_resources::devices(set).into_iter();
    let mut fields = devices.map(|(at, _)| at);
    let mut selectors = node_selectors::selectors(set).into_iter();
    fields.next().or_else(|| Some(selectors.next()?.0))
}

fn skipped(at: &str) -> Remark {
    let problem = "was not checked in the cluster: you have no right to list nodes".to_owned();
    let remark = Remark::new(&CHECK_SKIPPED, at, problem);
    remark.remedy("ask for that right, or check it by other means")
}

/// Reads all nodes if a set asks for some; none if the user may not.
pub(crate) async fn read(
    cluster: &Cluster,
    sets: &[&PodCliqueSet],
) -> Result<Option<OfferedNodes>, Failure> {
    let mut offered = OfferedNodes::default();
    if sets.iter().all(|set| first_question(set).is_none()) {
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
        let resources = status.allocatable.unwrap_or_default().into_keys();
        offered.resources.extend(resources);
        offered
            .labels
            .push(node.metadata.labels.unwrap_or_default());
        Ok(())
    };
    read_pages(&nodes, ListParams::default(), "list nodes", keep).await?;
    Ok(Some(offered))
}
