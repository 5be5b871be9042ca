//! A reader that looks at everything after each change, in the order in which the API server made
//! the changes: a reader of watches sees some of these states, and no others if it is not late.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Verdict, is_of_template, judge_graph, may_scale, serves_accepted};
use crate::view;

const SET: &str = "PodCliqueSet";
const CLIQUE: &str = "PodClique";
const GROUP: &str = "PodCliqueScalingGroup";
const POD: &str = "Pod";

/// The kinds that it reads; it judges by the first three, and is judged by pods.
const KINDS: [&str; 4] = [SET, CLIQUE, GROUP, POD];

/// What it concludes after one change.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The object that has changed.
    pub change: String,
    /// The generation of the set.
    pub generation: i64,
    /// Its verdict on the graph.
    pub verdict: Verdict,
    /// Whether traffic goes to the accepted generation.
    pub serves: bool,
    /// Whether deferred scaling goes on.
    pub may_scale: bool,
    /// Pods that stay and are of an older template than the set's, if the conclusion is that there
    /// are none. The reader itself sees no pods.
    pub old_pods: Vec<String>,
}

/// The reader of the only set of a namespace.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    objects: BTreeMap<(&'static str, String), Arc<Value>>,
}

impl Reader {
    /// Sees the next change of an object of that kind and name, `None` if it is gone. Returns
    /// nothing if no conclusion follows: the kind is another one, or there is no set.
    pub fn see(&mut self, kind: &str, name: &str, object: Option<Arc<Value>>) -> Option<Moment> {
        let kind = KINDS.into_iter().find(|known| *known == kind)?;
        let key = (kind, name.to_owned());
        match object {
            Some(object) => self.objects.insert(key, object),
            None => self.objects.remove(&key),
        };
        let set = self.all(SET).next()?;
        let parts: Vec<Option<&Value>> = parts_of(set)
            .into_iter()
            .map(|(kind, name)| self.objects.get(&(kind, name)).map(Arc::as_ref))
            .collect();
        let (verdict, serves) = (judge_graph(set, &parts), serves_accepted(set, &parts));
        let is_said_to_be_new = serves || verdict == Verdict::Ready;
        let old_pods = self
            .all(POD)
            .filter(|pod| is_said_to_be_new && view::is_live(pod) && !is_of_template(set, pod));
        Some(Moment {
            change: format!("{kind} {name}"),
            generation: view::number(set, "/metadata/generation"),
            verdict,
            serves,
            may_scale: may_scale(set),
            old_pods: old_pods.map(|pod| view::name(pod).to_owned()).collect(),
        })
    }

    fn all(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        let all = self.objects.iter().filter(move |((of, _), _)| *of == kind);
        all.map(|(_, object)| &**object)
    }
}

/// The kinds and names of what it looks for: the groups of each replica, and the cliques that are
/// in none.
fn parts_of(set: &Value) -> Vec<(&'static str, String)> {
    let groups = || view::list(set, "/spec/template/podCliqueScalingGroups");
    let is_grouped = |clique: &Value| {
        groups().any(|group| {
            let mut members = view::list(group, "/cliqueNames");
            members.any(|member| Some(member) == clique.get("name"))
        })
    };
    let cliques = view::list(set, "/spec/template/cliques").filter(|clique| !is_grouped(clique));
    let named: Vec<(&'static str, &str)> = cliques
        .map(|clique| (CLIQUE, view::text(clique, "/name")))
        .chain(groups().map(|group| (GROUP, view::text(group, "/name"))))
        .collect();
    (0..view::number(set, "/spec/replicas"))
        .flat_map(|replica| {
            let part = move |name: &str| format!("{}-{replica}-{name}", view::name(set));
            named.iter().map(move |(kind, name)| (*kind, part(name)))
        })
        .collect()
}

/// Fails if traffic went to a generation while pods of an older one were there.
///
/// Holds of every set, whatever disturbs it: these hashes exist for it.
pub fn expect_no_early_traffic(moments: &[Moment]) -> Result<(), String> {
    let early = moments.iter().find(|m| m.serves && !m.old_pods.is_empty());
    early.map_or(Ok(()), |moment| {
        Err(format!("traffic before the pods are new: {moment:?}"))
    })
}

/// Fails if the graph passed for ready while pods of an older template were there: what Dynamo
/// restarts one after the other would go down together.
///
/// Holds of a set with one replica, the only form that Dynamo makes.
pub fn expect_no_early_ready(moments: &[Moment]) -> Result<(), String> {
    let early = moments
        .iter()
        .find(|m| m.verdict == Verdict::Ready && !m.old_pods.is_empty());
    early.map_or(Ok(()), |moment| {
        Err(format!("ready before the pods are new: {moment:?}"))
    })
}

/// Fails unless the graph becomes ready once, at the end: of the moments of one change of it, in
/// which nothing is lost.
pub fn expect_ready_at_the_end(moments: &[Moment]) -> Result<(), String> {
    let mut verdicts: Vec<Verdict> = moments.iter().map(|m| m.verdict).collect();
    verdicts.dedup();
    let ready = verdicts.iter().filter(|v| **v == Verdict::Ready).count();
    let is_right = ready == 1 && verdicts.last() == Some(&Verdict::Ready);
    is_right.then_some(()).ok_or_else(|| {
        let changes: Vec<String> = moments
            .iter()
            .map(|m| format!("{} {:?}", m.change, m.verdict))
            .collect();
        format!("{verdicts:?} of {changes:#?}")
    })
}
