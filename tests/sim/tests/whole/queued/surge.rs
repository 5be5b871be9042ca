//! Updates with surge of a set in a queue (decision 186).

use jiff::Timestamp;
use serde_json::{Value, json};
use sim::store::Record;
use sim::{Resource, Store, view};
use testkit::builders::set;

use super::gates::in_kubernetes;
use super::restarts::expect_despite_restarts;
use super::{Course, Setup, expect_course_in, in_queue};
use crate::ring::Begin;
use crate::scenarios::{edit_templates, is_updated, manifest, ready_pods};

/// Pods of the set. The surge pod has the index behind theirs.
const PODS: i64 = 2;

/// One pod may exist beyond those of the set, and one may be missing.
fn with_surge(begin: Begin, pods: i64) -> Setup {
    let mut set = manifest(set("svc").clique("a", |c| c.replicas(2).min(1)));
    let rolling = json!({"maxSurge": 1, "maxUnavailable": 1});
    set["spec"]["template"]["cliques"][0]["rollingUpdate"] = rolling;
    Setup {
        begin,
        quota: vec![("", pods)],
        set: in_queue(set),
    }
}

/// The begin of an update.
struct Begun {
    at: usize,
    time: Timestamp,
}

/// Updates all pods, until all is done.
async fn update(cluster: &mut Course) -> Result<Begun, String> {
    cluster.expect("all run", |store| ready_pods(store) == 2)?;
    let begun = cluster.store(|store| {
        edit_templates(store, "2");
        Begun {
            at: store.log.len(),
            time: store.now,
        }
    });
    // A wait for quota lasts about as long as it takes to see that all is at rest.
    for _ in 0..2 {
        cluster.rest().await?;
    }
    cluster.expect("the update has ended", |store| is_updated(store, "2", 2))?;
    cluster.expect("the gang asks for no more quota", |store| {
        store.all(Resource::KueueWorkload).count() == 1
    })?;
    Ok(begun)
}

fn is_surge(pod: &Value) -> bool {
    view::index(pod).is_some_and(|index| index >= PODS)
}

/// Whether an old pod, or its successor, ends here.
fn is_end(record: &Record) -> bool {
    let is_own = record.id.resource == Resource::Pod && !is_surge(&record.last);
    let after = record.after.as_deref();
    is_own && after.is_none_or(view::is_terminating)
}

/// When the first old pod ended, in seconds from the begin, and whether a surge pod was Ready before.
fn find_first_end(store: &Store, begun: &Begun) -> Result<(i64, bool), String> {
    let records = || store.log.iter().skip(begun.at);
    let first = records().find(|record| is_end(record));
    let first = first.ok_or("no pod has ended")?;
    let before = records().take_while(|record| !is_end(record));
    let mut pods = before.filter(|record| record.id.resource == Resource::Pod);
    let has_surge = pods.any(|record| is_surge(&record.last) && view::is_ready(&record.last));
    let waited = first.time.duration_since(begun.time);
    Ok((waited.as_secs(), has_surge))
}

async fn update_with_surge(cluster: &mut Course) -> Result<(), String> {
    let begun = update(cluster).await?;
    let (waited, has_surge) = cluster.store(|store| find_first_end(store, &begun))?;
    let text = format!("surge comes first, and soon: after {waited} s, {has_surge}");
    cluster.expect(&text, |_| has_surge && waited < 30)
}

async fn update_without_surge(cluster: &mut Course) -> Result<(), String> {
    let begun = update(cluster).await?;
    let (waited, has_surge) = cluster.store(|store| find_first_end(store, &begun))?;
    // Stored times are whole seconds.
    let text = format!("it goes on without surge after a minute: after {waited} s, {has_surge}");
    cluster.expect(&text, |_| !has_surge && (59..=70).contains(&waited))
}

/// Fails if the quota of surge pods is asked for once they exist.
#[test]
fn an_update_with_free_quota_uses_surge() {
    for begin in [in_kubernetes(), Begin::empty()] {
        expect_course_in(&with_surge(begin, 3), &update_with_surge);
    }
    expect_despite_restarts(&with_surge(in_kubernetes(), 3), &update_with_surge);
}

/// Fails if surge that waits for quota holds the update up.
#[test]
fn an_update_in_a_full_queue_goes_on_without_surge() {
    for begin in [in_kubernetes(), Begin::empty()] {
        expect_course_in(&with_surge(begin, 2), &update_without_surge);
    }
    expect_despite_restarts(&with_surge(in_kubernetes(), 2), &update_without_surge);
}
