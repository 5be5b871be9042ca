//! `tree -w`: redraws a tree, or the list of sets, after each change, and when the operator goes or is back.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::args::TreeArgs;
use super::{build_tree_by, draw_warned_tree, now, read_overview};
use crate::cluster::{Cluster, WATCH_SECONDS, load_workload};
use crate::exit::Failure;
use crate::operator_presence::{INTERVAL, OperatorAbsence, PresenceWatch};
use crate::output;

/// Changes within this time are drawn together.
const TOGETHER: Duration = Duration::from_millis(200);

/// Draws the tree of a set until the set is gone or Ctrl-C.
pub(super) async fn follow_set(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    let changes = changes_of(cluster, name);
    let draw = async |absence: Option<OperatorAbsence>| draw_set(cluster, name, absence).await;
    redraw(cluster, changes, draw).await
}

async fn draw_set(
    cluster: &Cluster,
    name: &str,
    absence: Option<OperatorAbsence>,
) -> Result<String, Failure> {
    let workload = load_workload(cluster, name).await?;
    let tree = build_tree_by(&workload, absence, now());
    Ok(draw_warned_tree(&tree, now(), Some(output::width())))
}

/// Draws the list of sets until Ctrl-C.
pub(super) async fn follow_overview(cluster: &Cluster, args: &TreeArgs) -> Result<(), Failure> {
    let changes = changes_of_sets(cluster, args);
    let draw = async |absence: Option<OperatorAbsence>| draw_sets(cluster, args, absence).await;
    redraw(cluster, changes, draw).await
}

async fn draw_sets(
    cluster: &Cluster,
    args: &TreeArgs,
    absence: Option<OperatorAbsence>,
) -> Result<String, Failure> {
    let text = read_overview(cluster, args, absence).await?.draw(args);
    Ok(cut_above_sum(&text, output::terminal_height()))
}

async fn redraw(
    cluster: &Cluster,
    mut changes: BoxStream<'static, ()>,
    draw: impl AsyncFn(Option<OperatorAbsence>) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut presence = PresenceWatch::begin(cluster).await;
    loop {
        let text = draw(presence.absence().cloned()).await?;
        let height = output::terminal_height();
        output::print_raw(clear(height))?;
        let is_read = output::print_next(&cut_lines(&text, height))?;
        if !is_read || !wait_for_news(&mut changes, &mut presence).await {
            return Ok(());
        }
    }
}

/// Waits for a change, or until the operator goes or is back: without it no status changes. False if no
/// change will come any more.
async fn wait_for_news(changes: &mut BoxStream<'static, ()>, presence: &mut PresenceWatch) -> bool {
    let mut change = timeout(INTERVAL, changes.next()).await;
    while change.is_err() {
        if presence.refresh(Instant::now()).await {
            return true;
        }
        change = timeout(INTERVAL, changes.next()).await;
    }
    if matches!(change, Ok(None)) {
        return false;
    }
    // Collects further changes of the same moment.
    while let Ok(Some(())) = timeout(TOGETHER, changes.next()).await {}
    presence.refresh(Instant::now()).await;
    true
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
    let most = most_lines(height);
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

/// The same for lines above their sum: the sum stays, with the number of the lines that do not fit.
pub fn cut_above_sum(text: &str, height: Option<usize>) -> String {
    let most = most_lines(height);
    let lines: Vec<&str> = text.lines().collect();
    let more = lines.len().saturating_sub(most);
    let Some((sum, above)) = lines.split_last().filter(|_| more > 0) else {
        return text.to_owned();
    };
    let kept = above.iter().take(most.saturating_sub(1));
    let kept: String = kept.flat_map(|line| [*line, "\n"]).collect();
    format!("{kept}{sum}; {}\n", output::count(more, "more line"))
}

/// All lines but one for the number, and one for the cursor.
fn most_lines(height: Option<usize>) -> usize {
    height.map_or(usize::MAX, |height| height.saturating_sub(2).max(1))
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
    let events = watcher(api, config.timeout(WATCH_SECONDS)).default_backoff();
    // A broken watch starts again. It counts as a change: the next tree shows the present state if watching is
    // not allowed and listing is, and else reports the problem.
    events.map(|_| ())
}
