//! Waits for others: the rest of a gang, its base gang, dependencies, PodCliques of an earlier
//! attempt.

use api::conditions::Reason;
use api::labels;
use domain::Pod;
use domain::health::readiness::Start;
use domain::object::ownership;
use domain::workload::layout::LayoutSlot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::Situation;
use crate::explain::answer::NextStep;
use crate::workload::observe::lean;

/// The requirements of the gang.
pub(super) fn of_gang(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    let (view, finding) = (situation.view, situation.finding);
    match situation.reason {
        Some(Reason::ReplicaTerminating) => left(situation).into_iter().collect(),
        Some(Reason::WaitingForStartOrder) => {
            let pod = finding.pod.and_then(lean);
            pod.iter().flat_map(|pod| before(situation, pod)).collect()
        }
        Some(Reason::GangIncomplete | Reason::BaseGangNotReady) => {
            let start = finding.podclique.map(|c| view.roster.start_of(c));
            start.map_or_else(Vec::new, |start| of_start(situation, &start))
        }
        _ => Vec::new(),
    }
}

fn left(situation: &Situation<'_, '_>) -> Option<NextStep> {
    let replica = situation.finding.part.as_ref()?.replica;
    let left = match situation.view.roster.previous_of(replica).len() {
        0 => return None,
        1 => "1 PodClique of its earlier attempt is".to_owned(),
        many => format!("{many} PodCliques of its earlier attempt are"),
    };
    let text = format!("replica {replica} is recreated once {left} gone");
    Some(NextStep::sometime(text))
}

fn of_start(situation: &Situation<'_, '_>, start: &Start) -> Vec<NextStep> {
    match start {
        Start::AwaitsBase { gang, base } => vec![NextStep::sometime(format!(
            "gang {gang} starts once its base gang {base} is ready; the base gang is not: {}",
            state_of_gang(situation, base)
        ))],
        Start::Incomplete { gang, .. } | Start::Joins { gang } => {
            let missing = missing_pods(situation, gang);
            vec![NextStep::sometime(format!(
                "gang {gang} starts once all its pods exist{missing}"
            ))]
        }
        _ => Vec::new(),
    }
}

fn state_of_gang(situation: &Situation<'_, '_>, name: &str) -> String {
    let gang = situation.view.roster.gang(name);
    let conditions = gang.and_then(|g| Some(&g.status.as_ref()?.conditions));
    let ready = conditions
        .into_iter()
        .flatten()
        .find(|c: &&Condition| c.type_ == "Ready");
    ready.map_or_else(|| "it does not exist yet".to_owned(), |c| c.message.clone())
}

/// PodCliques of the gang with fewer pods than they should have.
fn missing_pods(situation: &Situation<'_, '_>, gang: &str) -> String {
    let layout = &situation.view.roster.layout;
    let is_in_it = |part: &&LayoutSlot<'_>| {
        let podclique = situation.view.podclique(part);
        let of_gang =
            podclique.and_then(|c| ownership::label(&c.podclique.metadata, labels::POD_GANG));
        of_gang == Some(gang)
    };
    let missing: Vec<String> = layout
        .slots()
        .filter(is_in_it)
        .filter_map(|part| {
            let podclique = situation.view.podclique(part)?;
            let have = podclique.staying().count();
            let want = usize::try_from(podclique.podclique.spec.replicas).unwrap_or(0);
            (have < want).then(|| format!("{have}/{want} of {}", part.name))
        })
        .take(5)
        .collect();
    if missing.is_empty() {
        return String::new();
    }
    format!("; there are {}", missing.join(", "))
}

/// The pod's dependencies, and their ready pods.
fn before(situation: &Situation<'_, '_>, pod: &Pod) -> Vec<NextStep> {
    let pairs = ownership::annotation(&pod.metadata, labels::STARTS_AFTER).unwrap_or_default();
    let waits = pairs
        .split(',')
        .filter_map(|pair| pair.split_once(':'))
        .map(|(name, wanted)| {
            let podclique = situation.view.roster.slot_named(name).occupant();
            let ready = podclique.map_or(0, |c| c.pods.iter().filter(|p| p.is_ready()).count());
            let pods = match wanted {
                "1" => format!("pod of {name} is"),
                _ => format!("pods of {name} are"),
            };
            let are = if ready == 1 { "is" } else { "are" };
            NextStep::sometime(format!(
                "{} starts once {wanted} {pods} ready; now {ready} {are}",
                pod.name()
            ))
        });
    if pod.start_count() > 0 {
        return vec![NextStep::sometime(told(pod))];
    }
    waits.collect()
}

/// The kubelet reads the pod every minute or two without a trigger.
fn told(pod: &Pod) -> String {
    let times = match pod.start_count() {
        1 => "got its start signal".to_owned(),
        count => format!("got its start signal {count} times"),
    };
    format!(
        "{} {times}; its kubelet passes it on within two minutes",
        pod.name()
    )
}
