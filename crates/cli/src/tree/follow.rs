//! `tree -w`: redraws a tree, or the list of sets, after each change.

use std::fmt::Debug;
use std::time::Duration;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use super::args::TreeArgs;
use super::{build_tree, draw_tree_within, now, read_overview};
use crate::cluster::{Cluster, load_workload};
use crate::exit::Failure;
use crate::output;

/// Changes within this time are drawn together.
const TOGETHER: Duration = Duration::from_millis(200);

/// Draws the tree of a set until the set is gone or Ctrl-C.
pub(super) async fn follow_set(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    redraw(changes_of(cluster, name), async || {
        draw_set(cluster, name).await
    })
    .await
}

async fn draw_set(cluster: &Cluster, name: &str) -> Result<String, Failure> {
    let workload = load_workload(cluster, name).await?;
    let tree = build_tree(&workload, now());
    Ok(draw_tree_within(&tree, Some(output::width())))
}

/// Draws the list of sets until Ctrl-C.
pub(super) async fn follow_overview(cluster: &Cluster, args: &TreeArgs) -> Result<(), Failure> {
    redraw(changes_of_sets(cluster, args), async || {
        draw_sets(cluster, args).await
    })
    .await
}

async fn draw_sets(cluster: &Cluster, args: &TreeArgs) -> Result<String, Failure> {
    Ok(read_overview(cluster, args).await?.draw(args))
}

async fn redraw(
    mut changes: BoxStream<'static, ()>,
    draw: impl AsyncFn() -> Result<String, Failure>,
) -> Result<(), Failure> {
    loop {
        let text = draw().await?;
        let height = output::terminal_height();
        output::print_raw(clear(height))?;
        output::print_text(&cut_lines(&text, height))?;
        if changes.next().await.is_none() {
            return Ok(());
        }
        // Collects further changes of the same moment.
        while let Ok(Some(())) = tokio::time::timeout(TOGETHER, changes.next()).await {}
    }
}

/// A terminal is cleared; other outputs get one tree after the other.
fn clear(height: Option<usize>) -> &'static str {
    match height {
        Some(_) => "\x1b[2J\x1b[H",
        None => "\n",
    }
}

/// The lines that fit a terminal, and the number of the others: its top stays.
pub fn cut_lines(text: &str, height: Option<usize>) -> String {
    // One line for the number, and one for the cursor.
    let most = height.map_or(usize::MAX, |height| height.saturating_sub(2).max(1));
    let more = text.lines().count().saturating_sub(most);
    if more == 0 {
        return text.to_owned();
    }
    let kept = text.lines().take(most);
    let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
    format!(
        "{kept}{}\n",
        output::dim(&format!("({})", output::count(more, "more line")))
    )
}

fn changes_of(cluster: &Cluster, name: &str) -> BoxStream<'static, ()> {
    let of_set = watcher::Config::default().labels(&format!("{}={name}", labels::PART_OF));
    let itself = watcher::Config::default().fields(&format!("metadata.name={name}"));
    stream::select_all([
        of_namespace::<PodCliqueSet>(cluster, itself).boxed(),
        of_namespace::<PodCliqueScalingGroup>(cluster, of_set.clone()).boxed(),
        of_namespace::<PodClique>(cluster, of_set.clone()).boxed(),
        of_namespace::<PodGang>(cluster, of_set.clone()).boxed(),
        of_namespace::<Pod>(cluster, of_set).boxed(),
    ])
    .boxed()
}

fn changes_of_sets(cluster: &Cluster, args: &TreeArgs) -> BoxStream<'static, ()> {
    let config = watcher::Config::default().labels(args.selector.as_deref().unwrap_or(""));
    if args.all_namespaces {
        let sets: Api<PodCliqueSet> = Api::all(cluster.client.clone());
        return watch(sets, config).boxed();
    }
    of_namespace::<PodCliqueSet>(cluster, config).boxed()
}

fn of_namespace<K>(cluster: &Cluster, config: watcher::Config) -> impl Stream<Item = ()> + use<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + DeserializeOwned + Debug + Send + 'static,
{
    watch(cluster.namespaced::<K>(), config)
}

fn watch<K>(api: Api<K>, config: watcher::Config) -> impl Stream<Item = ()> + use<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let events = watcher(api, config).default_backoff();
    // A broken watch starts again; the next tree reports a problem of the cluster.
    events.filter_map(|event| async move { event.is_ok().then_some(()) })
}
