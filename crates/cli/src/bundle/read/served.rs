//! Objects of schedulers, queues and devices, in the version that the cluster serves.

use std::collections::BTreeSet;

use api::labels;
use kube::core::ApiResource;
use serde_json::Value;

use super::super::collected::CollectedKind;
use super::super::kinds::{self, ServedGroup};
use super::Reader;
use crate::exit::Failure;

impl Reader<'_> {
    /// Those of the set. A kind that it has no use for is not asked about: most users may not read it.
    pub async fn read_served(&mut self) {
        let client = &self.cluster.client;
        let groups = client.list_api_groups().await;
        let groups = groups.map_err(|error| Failure::of_request("list API groups", &error));
        let served = self.keep(groups).groups;
        let set = self.read.all_objects().next().map(Value::to_string);
        let set = set.unwrap_or_default();
        for group in &kinds::SERVED {
            let is_served = served.iter().any(|served| served.name == group.name);
            if is_served && set.contains(group.word) {
                self.read_group(group).await;
            }
        }
    }

    async fn read_group(&mut self, group: &ServedGroup) {
        let found = kube::discovery::group(&self.cluster.client, group.name).await;
        let what = format!("list kinds of {}", group.name);
        let resources = found
            .map(|found| found.recommended_resources())
            .map_err(|error| Failure::of_request(&what, &error));
        for (resource, _) in self.keep(resources) {
            if !group.kinds.contains(&&*resource.kind) {
                continue;
            }
            if resource.kind == kinds::TOPOLOGY {
                self.read_topologies(resource).await;
            } else {
                self.read_kind(resource).await;
            }
        }
    }

    /// Those that the set, or one of its PodGangs, names.
    async fn read_topologies(&mut self, resource: ApiResource) {
        let mut names = BTreeSet::new();
        for object in self.read.all_objects() {
            collect_names(object, &mut names);
        }
        let mut items = Vec::new();
        for name in names {
            let found = self.cluster.get_raw(&resource, None, &name).await;
            items.extend(self.keep(found));
        }
        self.read.objects.push(CollectedKind { resource, items });
    }
}

/// Names of topologies, wherever they are.
fn collect_names(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let is_name = [kinds::TOPOLOGY_NAME, labels::TOPOLOGY_NAME].contains(&&**key);
                match value.as_str() {
                    Some(name) if is_name => {
                        names.insert(name.to_owned());
                    }
                    _ => collect_names(value, names),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|item| collect_names(item, names)),
        _ => (),
    }
}
