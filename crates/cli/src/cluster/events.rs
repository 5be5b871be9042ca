//! Events of a cluster: of one object, or a selection of a namespace's events.

use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;

use super::{Cluster, PAGE};
use crate::exit::Failure;

impl Cluster {
    /// The events about the object of that uid.
    pub async fn events_about(&self, uid: &str) -> Result<Vec<Event>, Failure> {
        let about = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
        self.read_events(about, |_| true).await
    }

    /// The wanted events of the namespace. All are read, page after page; the others are dropped.
    pub async fn events_where(
        &self,
        is_wanted: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Event>, Failure> {
        self.read_events(ListParams::default(), is_wanted).await
    }

    async fn read_events(
        &self,
        params: ListParams,
        is_wanted: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Event>, Failure> {
        let what = format!("list events in namespace {}", self.namespace);
        let mut params = params.limit(PAGE);
        let mut found = Vec::new();
        loop {
            let page = self.namespaced::<Event>().list(&params).await;
            let page = page.map_err(|error| Failure::of_request(&what, &error))?;
            found.extend(page.items.into_iter().filter(|e| is_wanted(e)));
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => return Ok(found),
            }
        }
    }
}
