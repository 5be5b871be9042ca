//! `tree -w`: redraws the tree after each change of the set.

use std::fmt::Debug;
use std::io::IsTerminal;
use std::time::Duration;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::runtime::{WatchStreamExt, watcher};
use serde::de::DeserializeOwned;

use super::{build_tree, draw_tree, now};
use crate::cluster::{Cluster, load_workload};
use crate::exit::Failure;
use crate::output;

/// Changes within this time are drawn together.
const TOGETHER: Duration = Duration::from_millis(200);

/// Draws until the set is gone or Ctrl-C.
pub async fn follow(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    let mut changes = changes_of(cluster, name);
    loop {
        let workload = load_workload(cluster, name).await?;
        let text = draw_tree(&build_tree(&workload, now()), false);
        output::print_raw(clear())?;
        output::print_text(&text)?;
        if changes.next().await.is_none() {
            return Ok(());
        }
        // Collects further changes of the same moment.
        while let Ok(Some(())) = tokio::time::timeout(TOGETHER, changes.next()).await {}
    }
}

/// A terminal is cleared; other outputs get one tree after the other.
fn clear() -> &'static str {
    if std::io::stdout().is_terminal() {
        "\x1b[2J\x1b[H"
    } else {
        "\n"
    }
}

fn changes_of(cluster: &Cluster, name: &str) -> BoxStream<'static, ()> {
    let of_set = watcher::Config::default().labels(&format!("{}={name}", labels::PART_OF));
    let itself = watcher::Config::default().fields(&format!("metadata.name={name}"));
    stream::select_all([
        watch::<PodCliqueSet>(cluster, itself).boxed(),
        watch::<PodCliqueScalingGroup>(cluster, of_set.clone()).boxed(),
        watch::<PodClique>(cluster, of_set.clone()).boxed(),
        watch::<PodGang>(cluster, of_set.clone()).boxed(),
        watch::<Pod>(cluster, of_set).boxed(),
    ])
    .boxed()
}

fn watch<K>(cluster: &Cluster, config: watcher::Config) -> impl Stream<Item = ()> + use<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + DeserializeOwned + Debug + Send + 'static,
{
    let events = watcher(cluster.namespaced::<K>(), config).default_backoff();
    // A broken watch starts again; the next tree reports a problem of the cluster.
    events.filter_map(|event| async move { event.is_ok().then_some(()) })
}
