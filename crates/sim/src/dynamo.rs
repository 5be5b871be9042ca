//! What Dynamo's operator concludes from the statuses of the set that it made for a graph.
//!
//! Facts about its release 1.6 from its public documents and threads (dynamo#8423: the fields of
//! readiness; dynamo#11131: the reasons; dynamo#12769: traffic follows the generation), in our own
//! words; no code of it is here. It reads no condition of the set and no `availableReplicas` of it.

mod reader;
mod template;

use serde_json::Value;

use super::view;
pub use reader::{
    Moment, Reader, expect_no_early_ready, expect_no_early_traffic, expect_ready_at_the_end,
};
pub use template::is_of_template;

/// Its verdict on a graph, worst first: pods that are being replaced explain everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A part has not all of its pods, or some of an older template.
    Updating,
    /// A part is absent, has no room, is not Ready, or its latest spec was not observed.
    Pending,
    /// All parts have all of their pods, new and Ready.
    Ready,
}

/// The verdict on a graph: its set, and its parts in replica 0, `None` for one that is absent.
pub fn judge_graph(set: &Value, parts: &[Option<&Value>]) -> Verdict {
    if !is_observed(set) {
        return Verdict::Pending;
    }
    let verdicts = parts
        .iter()
        .map(|part| part.map_or(Verdict::Pending, judge_part));
    verdicts.min().unwrap_or(Verdict::Pending)
}

/// The verdict on a PodClique or a PodCliqueScalingGroup.
pub fn judge_part(part: &Value) -> Verdict {
    let observed = view::at(part, OBSERVED).and_then(Value::as_i64);
    if observed.is_none_or(|observed| observed < view::number(part, GENERATION)) {
        return Verdict::Pending;
    }
    let desired = view::number(part, REPLICAS);
    let is_all = |count: &str| number_of(part, count) == desired;
    let up = if is_group(part) {
        "availableReplicas"
    } else {
        "readyReplicas"
    };
    let (is_whole, is_updated) = (is_all("replicas"), is_all("updatedReplicas"));
    if desired == 0 || (is_whole && is_updated && is_all(up)) {
        Verdict::Ready
    } else if lacks_room(part) || (is_whole && is_updated) {
        Verdict::Pending
    } else {
        Verdict::Updating
    }
}

/// Whether traffic goes to the generation that the set has accepted: all parts have arrived at it.
pub fn serves_accepted(set: &Value, parts: &[Option<&Value>]) -> bool {
    let accepted = view::text(set, "/status/currentGenerationHash");
    let has_arrived = |part: &Value| {
        let desired = view::number(part, REPLICAS);
        view::text(part, "/status/currentPodCliqueSetGenerationHash") == accepted
            && has_ended(part)
            && number_of(part, "replicas") == desired
            && number_of(part, "updatedReplicas") == desired
    };
    let mut parts = parts.iter();
    !accepted.is_empty() && is_observed(set) && parts.all(|part| part.is_some_and(has_arrived))
}

/// Whether scaling that it deferred goes on: the set's spec is observed, and no update of it runs.
pub fn may_scale(set: &Value) -> bool {
    is_observed(set) && has_ended(set)
}

/// The counts that it reads of a part; a PodClique has no available and a group no Ready ones.
pub const COUNTS: [&str; 5] = [
    "replicas",
    "updatedReplicas",
    "scheduledReplicas",
    "readyReplicas",
    "availableReplicas",
];

const GENERATION: &str = "/metadata/generation";
const OBSERVED: &str = "/status/observedGeneration";
const REPLICAS: &str = "/spec/replicas";

/// Of a set both have to be equal. A set without `observedGeneration` is not observed.
fn is_observed(set: &Value) -> bool {
    let observed = view::at(set, OBSERVED).and_then(Value::as_i64);
    observed == Some(view::number(set, GENERATION))
}

/// Whether no update of the object runs, as far as its status says.
fn has_ended(object: &Value) -> bool {
    let progress = view::at(object, "/status/updateProgress");
    let progress = progress.filter(|p| !p.is_null());
    progress.is_none_or(|p| !view::text(p, "/updateEndedAt").is_empty())
}

fn is_group(part: &Value) -> bool {
    view::text(part, "/kind") == "PodCliqueScalingGroup"
}

fn number_of(part: &Value, count: &str) -> i64 {
    view::number(part, &format!("/status/{count}"))
}

/// It distinguishes a lack of room from everything else before it looks at an update.
fn lacks_room(part: &Value) -> bool {
    let scheduled = number_of(part, "scheduledReplicas");
    let is_partly_scheduled = 0 < scheduled && scheduled < view::number(part, REPLICAS);
    let is_false_for = |type_: &str, reasons: &[&str]| {
        let mut conditions = view::list(part, "/status/conditions");
        conditions.any(|c| {
            view::text(c, "/type") == type_
                && view::text(c, "/status") == "False"
                && reasons.contains(&view::text(c, "/reason"))
        })
    };
    let says_so = if is_group(part) {
        let reasons = [
            "InsufficientScheduledPodCliqueScalingGroupReplicas",
            "ScheduledReplicasBelowMinAvailable",
        ];
        is_false_for("MinAvailableBreached", &reasons)
    } else {
        number_of(part, "scheduleGatedReplicas") > 0
            || is_false_for("PodCliqueScheduled", &["InsufficientScheduledPods"])
    };
    is_partly_scheduled || says_so
}
