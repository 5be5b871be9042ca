//! Sets that name a queue of Kueue, where the operator waits for its quota (docs/queues.md).

use api::PodCliqueSet;
use api::kueue::{MAX_POD_SETS, keys};
use domain::health::suspension;
use domain::scheduling::{Profiles, quota};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use serde_json::{Value, json};

use super::immutable::same;
use super::options::Rules;
use crate::clique_paths::{cliques, template};
use crate::field::{FieldError, Path};

/// The queue that the set names, if the operator waits for quota.
pub(crate) fn queue_of<'a>(pcs: &'a PodCliqueSet, rules: &Rules) -> Option<&'a str> {
    let profiles = rules.profiles.as_ref()?;
    let queue = quota::local_queue(&pcs.metadata)?;
    profiles.is_queueing().then_some(queue)
}

pub(super) fn check(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let profiles = rules.profiles.as_ref();
    if !profiles.is_some_and(Profiles::is_queueing) {
        return Vec::new();
    }
    let named = cliques(pcs).filter_map(|(at, clique)| {
        let queue = clique.labels.get(keys::QUEUE)?;
        let problem = "here it hands pods to Kueue one by one";
        let remedy = "name the queue in metadata.labels of the PodCliqueSet";
        Some(
            at.field("labels")
                .key(keys::QUEUE)
                .wrong(queue, problem, remedy),
        )
    });
    named.chain(too_many_cliques(pcs, rules)).collect()
}

/// A gang asks for quota by clique.
fn too_many_cliques(pcs: &PodCliqueSet, rules: &Rules) -> Option<FieldError> {
    let count = pcs.spec.template.cliques.len();
    let is_above = count > MAX_POD_SETS && queue_of(pcs, rules).is_some();
    let problem = format!("a Workload of Kueue has at most {MAX_POD_SETS} kinds of pods");
    let remedy = "split the workload into several sets, or remove the queue";
    let at = template().field("cliques");
    is_above.then(|| at.wrong(count, problem, remedy))
}

/// Fields by which quota is counted, or that say where it is, are fixed while a set that names a queue is
/// not suspended: the pods that run use the quota of the earlier ones.
pub(super) fn check_change(
    old: &PodCliqueSet,
    new: &PodCliqueSet,
    rules: &Rules,
) -> Vec<FieldError> {
    let Some(queue) = queue_of(old, rules) else {
        return Vec::new();
    };
    if suspension::is_suspended(old.status.as_ref()) {
        return Vec::new();
    }
    let after = quota::local_queue(&new.metadata);
    let moved = (after != Some(queue)).then(|| {
        let at = Path::new("metadata.labels").key(keys::QUEUE);
        let problem = "cannot be changed while gangs hold quota";
        at.wrong(
            after,
            problem,
            "suspend the set first: kubectl grove suspend NAME",
        )
    });
    let changed = cliques(new).enumerate().flat_map(|(i, (at, clique))| {
        let before = same(&old.spec.template.cliques, i, |c| c.name == clique.name);
        let at = at.field("spec").field("podSpec");
        let after = read_by_kueue(&clique.spec.pod_spec);
        let before = before.map(|before| read_by_kueue(&before.spec.pod_spec));
        changed_fields(&at, before, after)
    });
    moved.into_iter().chain(changed).collect()
}

fn changed_fields(
    at: &Path,
    before: Option<Vec<(&'static str, Value)>>,
    after: Vec<(&'static str, Value)>,
) -> Vec<FieldError> {
    let Some(before) = before else {
        return Vec::new();
    };
    let changed = before.into_iter().zip(after);
    changed
        .filter(|((_, before), (_, after))| before != after)
        .map(|(_, (field, after))| {
            let problem = "cannot be changed while the set is queued";
            let remedy = "suspend the set first: kubectl grove suspend NAME";
            at.field(field).wrong(after, problem, remedy)
        })
        .collect()
}

/// The fields of pods by which Kueue counts quota and chooses nodes.
fn read_by_kueue(pods: &PodSpec) -> Vec<(&'static str, Value)> {
    let resources = |list: &[Container]| {
        let named = list
            .iter()
            .map(|c| json!({"name": c.name, "resources": c.resources}));
        Value::Array(named.collect())
    };
    let init = pods.init_containers.as_deref().unwrap_or_default();
    vec![
        ("containers", resources(&pods.containers)),
        ("initContainers", resources(init)),
        ("resources", json!(pods.resources)),
        ("nodeSelector", json!(pods.node_selector)),
        ("tolerations", json!(pods.tolerations)),
        ("affinity", json!(pods.affinity)),
    ]
}
