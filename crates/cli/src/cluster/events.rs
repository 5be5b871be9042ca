//! Events of a cluster: of one object, or a selection of a namespace's events.

use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;

use super::{Cluster, list_all, read_pages};
use crate::exit::Failure;

impl Cluster {
    /// The events about the object of that uid.
    pub async fn events_about(&self, uid: &str) -> Result<Vec<Event>, Failure> {
        let about = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
        list_all(&self.namespaced(), about, &self.listing()).await
    }

    /// The wanted events of the namespace. All are read, page after page; the others are dropped.
    pub async fn events_where(
        &self,
        is_wanted: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Event>, Failure> {
        let mut found = Vec::new();
        let keep = |event: Event| {
            found.extend(Some(event).filter(&is_wanted));
            Ok(())
        };
        let all = ListParams::default();
        read_pages(&self.namespaced(), all, &self.listing(), keep).await?;
        Ok(found)
    }

    fn listing(&self) -> String {
        format!("list events in namespace {}", self.namespace)
    }
}
