//! Builds the tree: expected and existing objects.

use api::conditions::{self, ConditionType, Reason};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::workload::layout::{Group, GroupReplica, LayoutSlot, Replica};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};

use super::branch::{Branch, BranchKind, MISSING};
use super::contradictions::mark_contradictions;
use crate::operator_presence::OperatorAbsence;
use crate::workload::{Workload, pod_state};

/// The tree of a set at that time.
pub fn build_tree(workload: &Workload, now: Timestamp) -> Branch {
    let builder = Builder { workload, now };
    builder.of_set()
}

/// The same for an operator that may be away: the tree says so, and where its pods contradict it.
pub fn build_tree_by(
    workload: &Workload,
    absence: Option<OperatorAbsence>,
    now: Timestamp,
) -> Branch {
    let mut tree = build_tree(workload, now);
    if absence.is_some() {
        mark_contradictions(&mut tree, workload);
    }
    tree.operator_absence = absence;
    tree
}

struct Builder<'a> {
    workload: &'a Workload,
    now: Timestamp,
}

impl Builder<'_> {
    fn of_set(&self) -> Branch {
        let set = &self.workload.set;
        let status = set.status.clone().unwrap_or_default();
        let available = status.available_replicas;
        let layout = self.workload.layout();
        let replicas = layout.replicas.iter().map(|r| self.of_replica(r));
        let mut branch = self.of_object(BranchKind::Set, &set.metadata, &status.conditions);
        if ownership::is_terminating(&set.metadata) {
            // The operator does not update the conditions of a set that is being deleted.
            "Terminating".clone_into(&mut branch.state);
            branch.is_good = None;
            branch.cause = Some("it is being deleted".to_owned());
        }
        branch.count(available, set.spec.replicas);
        branch.children = replicas.collect();
        branch
    }

    fn of_replica(&self, replica: &Replica<'_>) -> Branch {
        let cliques = replica.standalone.iter().map(|part| self.of_part(part));
        let groups = replica.groups.iter().map(|group| self.of_group(group));
        let index = replica.index.to_string();
        let mut branch = self.of_gang(BranchKind::Replica, index, &replica.base_gang);
        branch.children = cliques.chain(groups).collect();
        branch
    }

    fn of_group(&self, group: &Group<'_>) -> Branch {
        let surge = group.surge.iter().filter(|r| self.exists(r));
        let replicas = group.replicas.iter().chain(surge);
        let children = replicas.map(|r| self.of_group_replica(r)).collect();
        let Some(found) = self.workload.group(&group.name) else {
            return missing(BranchKind::Group, &group.name, children);
        };
        let status = found.status.clone().unwrap_or_default();
        let available = status.available_replicas;
        let mut branch = self.of_object(BranchKind::Group, &found.metadata, &status.conditions);
        branch.count(available, found.spec.replicas);
        branch.children = children;
        branch
    }

    /// Whether a PodClique of the replica exists.
    fn exists(&self, replica: &GroupReplica<'_>) -> bool {
        let mut cliques = replica.cliques.iter();
        cliques.any(|part| self.workload.podclique(&part.name).is_some())
    }

    fn of_group_replica(&self, replica: &GroupReplica<'_>) -> Branch {
        let index = replica.index.to_string();
        let mut branch = if replica.base_gang.is_some() {
            self.of_gang(BranchKind::GroupReplica, index, &replica.gang)
        } else {
            blank(BranchKind::GroupReplica, index)
        };
        let cliques = replica.cliques.iter().map(|part| self.of_part(part));
        branch.children = cliques.collect();
        branch
    }

    /// A replica by its PodGang, which provides state and cause.
    fn of_gang(&self, kind: BranchKind, index: String, gang: &str) -> Branch {
        let mut branch = blank(kind, index);
        branch.gang = Some(gang.to_owned());
        let Some(found) = self.workload.gang(gang) else {
            return branch;
        };
        let status = found.status.clone().unwrap_or_default();
        judge(&mut branch, &status.conditions);
        branch.date(created(&found.metadata), self.now);
        branch
    }

    fn of_part(&self, part: &LayoutSlot<'_>) -> Branch {
        let Some(found) = self.workload.podclique(&part.name) else {
            return missing(BranchKind::Clique, &part.name, Vec::new());
        };
        let status = found.status.clone().unwrap_or_default();
        let mut branch = self.of_object(BranchKind::Clique, &found.metadata, &status.conditions);
        branch.count(status.ready_replicas, found.spec.replicas);
        if found.metadata.deletion_timestamp.is_some() {
            let attempt = Attempt::of(&found.metadata).set;
            "Terminating".clone_into(&mut branch.state);
            branch.is_good = None;
            branch.cause = Some(format!("terminating; it is of attempt {attempt}"));
        }
        let pods = self.workload.pods_of(found).into_iter();
        branch.children = pods.map(|pod| self.of_pod(pod)).collect();
        branch
    }

    fn of_pod(&self, pod: &Pod) -> Branch {
        let name = pod.metadata.name.clone().unwrap_or_default();
        let mut branch = blank(BranchKind::Pod, name);
        branch.state = pod_state::word(pod);
        branch.is_good = match (pod_state::is_ready(pod), &*branch.state) {
            (true, _) | (_, "Completed") => Some(true),
            (
                _,
                "Running" | "Pending" | "ContainerCreating" | "SchedulingGated" | "Terminating",
            ) => None,
            _ => Some(false),
        };
        branch.node = pod_state::node_of(pod).map(str::to_owned);
        branch.index = pod_state::index_of(pod);
        branch.rank = pod_state::rank_of(pod);
        branch.host = pod_state::host_of(pod).map(str::to_owned);
        branch.date(created(&pod.metadata), self.now);
        branch
    }

    fn of_object(&self, kind: BranchKind, meta: &ObjectMeta, conditions: &[Condition]) -> Branch {
        let mut branch = blank(kind, ownership::name(meta).to_owned());
        judge(&mut branch, conditions);
        branch.date(created(meta), self.now);
        branch
    }
}

fn created(meta: &ObjectMeta) -> Option<Timestamp> {
    meta.creation_timestamp.as_ref().map(|at| at.0)
}

/// State and cause from condition `Ready`.
fn judge(branch: &mut Branch, conditions: &[Condition]) {
    let Some(ready) = conditions::find(conditions, ConditionType::Ready) else {
        return;
    };
    branch.state.clone_from(&ready.reason);
    let is_ready = ready.status == "True";
    let reason: Option<Reason> = ready.reason.parse().ok();
    let is_update_held = reason.is_some_and(Reason::holds_an_update_up);
    let needs_somebody = conditions::has_blocking_reason(ready);
    let is_stuck = reason.is_some_and(Reason::is_stuck_update);
    let is_good = is_ready && !is_stuck && !needs_somebody;
    branch.is_good = (is_ready || needs_somebody).then_some(is_good);
    let is_incomplete = is_update_held || reason == Some(Reason::MinimumReady);
    let tells_more = !is_ready || needs_somebody || is_incomplete;
    branch.cause = tells_more.then(|| ready.message.clone());
}

fn blank(kind: BranchKind, name: String) -> Branch {
    Branch {
        kind,
        name,
        ..Branch::default()
    }
}

fn missing(kind: BranchKind, name: &str, children: Vec<Branch>) -> Branch {
    let mut branch = blank(kind, name.to_owned());
    MISSING.clone_into(&mut branch.state);
    branch.children = children;
    branch
}
