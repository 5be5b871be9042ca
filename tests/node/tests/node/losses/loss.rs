//! A loss: the fate of the node, and the workloads that meet it.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::judge::available_is_latched;
use crate::namespace::{self, Namespace};
use crate::row::{Row, row_alone};
use crate::runner::said;
use crate::seen::condition;
use crate::sets::with_pod;
use crate::site::{self, Site};
use crate::wait;

/// The node that is lost; the operators are on the other one.
pub const LOST: &str = "node-2";
/// The node that stays.
pub const STAYS: &str = "node-1";

/// The fate of the node.
pub struct Loss {
    /// Theme of its rows.
    pub theme: &'static str,
    /// Takes the node away, and returns when that shows.
    pub lose: fn(&Site),
    /// Brings it back, and returns when that shows.
    pub restore: fn(&Site),
    /// The workloads that meet it.
    pub met_by: Vec<Met>,
}

/// A workload that meets a loss, and its expected states.
#[derive(Clone, Copy)]
pub struct Met {
    pub name: &'static str,
    pub finding: &'static str,
    /// Returns when it runs.
    pub start: fn(&Namespace),
    /// Checks it while the node is lost.
    pub lost: fn(&Namespace),
    /// Checks it when the node is back.
    pub back: fn(&Namespace),
}

type Results = BTreeMap<&'static str, Result<(), String>>;

/// A row for each workload that meets the loss. The first of them to run takes the node away for
/// all.
pub fn rows(loss: Loss) -> Vec<Row> {
    let names: Vec<_> = loss
        .met_by
        .iter()
        .map(|met| (met.name, met.finding))
        .collect();
    let theme = loss.theme;
    let results = Arc::new(Mutex::new(None));
    let loss = Arc::new(loss);
    let row_of = |(name, finding)| {
        let (results, loss) = (results.clone(), loss.clone());
        row_alone(&format!("losses::{theme}::{name}"), finding, move |site| {
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            let all: &mut Results = results.get_or_insert_with(|| happen(site, &loss));
            all.remove(name)
                .unwrap_or_else(|| Err("it did not take part".to_owned()))
        })
    };
    names.into_iter().map(row_of).collect()
}

fn happen(site: &'static Site, loss: &Loss) -> Results {
    let pinned = format!("nodeSelector.kubernetes\\.io/hostname={STAYS}");
    // The default is 60 s, for which no row has to wait.
    let stuck = "config.stuckPodTimeout=20s";
    site::install(&site.cluster, &[&pinned, stuck]).unwrap();
    until_free(site, LOST);
    let purpose = |met: &Met| format!("{}-{}", loss.theme, met.name).replace('_', "-");
    let create = |met: &Met| (*met, Namespace::create(&purpose(met), &json!({})), Ok(()));
    let mut all: Vec<_> = loss.met_by.iter().map(create).collect();
    judge(&mut all, |met| met.start);
    judge(&mut all, |_| until_known);
    let happened = attempt(|| (loss.lose)(site));
    judge(&mut all, |met| met.lost);
    let restored = attempt(|| (loss.restore)(site));
    judge(&mut all, |met| met.back);
    for (_, _, result) in &mut all {
        *result = happened.clone().and(restored.clone()).and(result.clone());
    }
    for (_, ns, _) in &all {
        ns.remove();
    }
    all.into_iter()
        .map(|(met, _, result)| (met.name, result))
        .collect()
}

/// Waits until the operator has seen the start.
fn until_known(ns: &Namespace) {
    ns.until("the operator sees the start", available_is_latched);
}

/// A panic is an error.
fn attempt(act: impl FnOnce()) -> Result<(), String> {
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(|panic| said(&*panic))
}

/// All at once; a workload that failed earlier is not checked again.
fn judge(all: &mut [(Met, Namespace, Result<(), String>)], stage: fn(&Met) -> fn(&Namespace)) {
    thread::scope(|scope| {
        for (met, ns, result) in all.iter_mut().filter(|(_, _, result)| result.is_ok()) {
            scope.spawn(move || {
                let judged = panic::catch_unwind(AssertUnwindSafe(|| stage(met)(ns)));
                *result = judged
                    .map_err(|panic| format!("{}\n{}", said(&*panic), namespace::report::of(ns)));
            });
        }
    });
}

/// Waits until the node's Ready has that status.
pub fn until_node_is(site: &Site, node: &str, status: &str) {
    let limit = Duration::from_secs(90);
    let is = || {
        let node = site.connection.node(node)?;
        let is = condition(&node, "Ready")["status"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        (is == status).then_some(()).ok_or(is)
    };
    wait::within(limit, is).unwrap();
}

/// Waits until the node is Ready and accepts pods: after a loss its taints stay for a moment.
fn until_free(site: &Site, node: &str) {
    until_node_is(site, node, "True");
    let is_free = || {
        let taints = site.connection.node(node)?["spec"]["taints"].clone();
        taints
            .is_null()
            .then_some(())
            .ok_or_else(|| taints.to_string())
    };
    wait::within(Duration::from_mins(1), is_free).unwrap();
}

/// The clique on that node.
pub fn on(node: &str, clique: Value) -> Value {
    with_pod(
        clique,
        &json!({"nodeSelector": {"kubernetes.io/hostname": node}}),
    )
}

/// The clique, preferably on that node.
pub fn rather_on(node: &str, clique: Value) -> Value {
    let is_it = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]});
    let rather = json!([{"weight": 100, "preference": {"matchExpressions": [is_it]}}]);
    let affinity =
        json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": rather}});
    with_pod(clique, &json!({"affinity": affinity}))
}

/// The clique that is evicted 5 s after its node was lost; Kubernetes' default is 300 s.
pub fn impatient(clique: Value) -> Value {
    let toleration = |key: &str| {
        json!({
            "key": format!("node.kubernetes.io/{key}"),
            "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5,
        })
    };
    with_pod(
        clique,
        &json!({"tolerations": [toleration("not-ready"), toleration("unreachable")]}),
    )
}
