//! The sentences of the table of states. None changes while the state lasts: a sentence is part of a
//! stored condition.

use super::sight::Sight;
use crate::object::pod::Terminated;

/// The runtime writes this text before the cause of a failed start.
const BEFORE_CAUSE: &str = "unable to start container process: ";

pub(super) fn image(sight: &Sight<'_>) -> String {
    match sight.spec().map_or("", |c| c.image.as_str()) {
        "" => "its image cannot be pulled".to_owned(),
        image if sight.waits_for("InvalidImageName") => {
            format!("image {image} is not a valid name")
        }
        image if sight.waits_for("ErrImageNeverPull") => {
            format!("image {image} is not on the node, and imagePullPolicy is Never")
        }
        image => format!("image {image} cannot be pulled"),
    }
}

/// The kubelet's words.
pub(super) fn waiting(sight: &Sight<'_>) -> String {
    let reason = sight.waiting().unwrap_or_default();
    match sight.message() {
        "" => reason.to_owned(),
        message => format!("{reason}: {message}"),
    }
}

/// The runtime's words, which stay the same while it waits for the next try.
pub(super) fn not_started(sight: &Sight<'_>) -> String {
    let end = sight.end().and_then(|end| end.message.as_deref());
    let message = end.unwrap_or(sight.message()).trim();
    let cause = message.rsplit_once(BEFORE_CAUSE);
    let cause = cause.map_or(message, |(_, cause)| cause);
    format!("cannot be started: {cause}")
}

pub(super) fn hook(sight: &Sight<'_>) -> String {
    format!("its postStart hook fails: {}", sight.message())
}

pub(super) fn lost_container(sight: &Sight<'_>) -> String {
    let end = sight.end();
    describe_loss(sight, end)
}

pub(super) fn killed_for_hook(sight: &Sight<'_>) -> String {
    let end = describe_kill(sight);
    format!("{end}, as the kubelet does when the postStart hook fails")
}

pub(super) fn killed_for_probe(sight: &Sight<'_>) -> String {
    let end = describe_kill(sight);
    format!("{end}, as the kubelet does when the liveness or startup probe fails")
}

fn describe_kill(sight: &Sight<'_>) -> String {
    let code = sight.end().map_or(137, |end| end.exit_code);
    format!("is killed with exit code {code}, {}", restarts(sight))
}

pub(super) fn good_end(sight: &Sight<'_>) -> String {
    let why = if sight.is_probed() {
        "its command ends, or its liveness probe fails"
    } else {
        "its command ends"
    };
    let restarts = restarts(sight);
    format!("ends with exit code 0, {restarts}: {why}; a server must keep running")
}

pub(super) fn crash(sight: &Sight<'_>) -> String {
    let restarts = restarts(sight);
    let Some(end) = sight.end() else {
        return format!("crashed, {restarts}");
    };
    let reason = end.reason.as_deref().filter(|r| *r != "Error");
    let reason = reason.map_or(String::new(), |r| format!("{r}, "));
    format!(
        "crashed with {reason}exit code {}, {restarts}",
        end.exit_code
    )
}

fn restarts(sight: &Sight<'_>) -> String {
    let container = sight.container;
    if container.is_some_and(|c| sight.pod.final_end(c).is_some()) {
        return "not started again".to_owned();
    }
    match container.map_or(0, |c| c.restart_count) {
        0 => "not restarted yet".to_owned(),
        1 => "restarted once".to_owned(),
        n => format!("restarted {n} times"),
    }
}

pub(super) fn in_creation(sight: &Sight<'_>) -> String {
    let since = sight.in_creation_since();
    let since = since.map_or(String::new(), |at| format!(" since {at}"));
    format!(
        "is being created{since}; `kubectl describe pod {}` shows whether a volume cannot be \
         mounted or an image is still being pulled",
        sight.pod.name()
    )
}

pub(super) fn ended_for_reason(sight: &Sight<'_>) -> String {
    let status = &sight.pod.status;
    let words = [status.reason.as_deref(), status.message.as_deref()];
    describe_end(sight, words.map(|w| w.map(str::to_owned)))
}

pub(super) fn lost_pod(sight: &Sight<'_>) -> String {
    let name = sight.pod.name();
    format!("{name} {}", describe_loss(sight, sight.pod.failure()))
}

fn describe_loss(sight: &Sight<'_>, end: Option<&Terminated>) -> String {
    let node = node(sight);
    match end.and_then(|end| end.reason.as_deref()) {
        Some("Unknown") => format!("was lost when its node {node} restarted"),
        _ => format!("was lost: the kubelet of node {node} does not find it, as after a restart"),
    }
}

pub(super) fn ended_well(sight: &Sight<'_>) -> String {
    let due = sight.pod.replacement_due();
    let due = due.filter(|_| sight.pod.earlier_failures() > 0);
    let due = due.map_or(String::new(), |at| format!(" at {at}"));
    let name = sight.pod.name();
    format!("{name} ended with exit code 0 and is replaced{due}")
}

pub(super) fn ended(sight: &Sight<'_>) -> String {
    let end = sight.pod.failure();
    let code = end.map(|t| format!("exit code {}", t.exit_code));
    let reason = end.and_then(|t| t.reason.clone());
    describe_end(sight, [reason, code])
}

fn describe_end(sight: &Sight<'_>, words: [Option<String>; 2]) -> String {
    let name = sight.pod.name();
    let message = sight.pod.status.message.clone();
    let [first, second] = words;
    let second = second.or(message);
    let words: Vec<String> = [first, second].into_iter().flatten().collect();
    match words.join(", ").trim_end() {
        "" => format!("{name} ended"),
        words => format!("{name} ended: {words}"),
    }
}

pub(super) fn gate(sight: &Sight<'_>) -> String {
    let name = sight.pod.name();
    let ready = sight.pod.find_condition("Ready");
    let message = ready.and_then(|c| c.message.as_deref()).unwrap_or_default();
    let message = message.trim_end_matches('.');
    format!("{name} is not ready, though its containers are: {message}")
}

pub(super) fn not_ready(sight: &Sight<'_>) -> String {
    let reason = sight.ready_reason().unwrap_or_default();
    match gate(sight) {
        text if text.ends_with(": ") => format!("{text}{reason}"),
        text => text,
    }
}

pub(super) fn lost_node(sight: &Sight<'_>) -> String {
    let name = sight.pod.name();
    let node = node(sight);
    format!("{name} is not ready, though its containers are: its node {node} is lost")
}

fn node<'a>(sight: &Sight<'a>) -> &'a str {
    sight.pod.spec.node_name.as_deref().unwrap_or("?")
}

pub(super) fn refusal(sight: &Sight<'_>) -> String {
    sight.refusal.unwrap_or_default().to_owned()
}

/// Whether the stock scheduler reports of a pod that no node has room for its whole group (1.37).
pub(super) fn is_of_group(sentence: &str) -> bool {
    sentence.starts_with("pod group is unschedulable")
}

/// "pod group is unschedulable, ... minCount (5) cannot be satisfied: 4 scheduled, 0 remaining".
pub(super) fn group(sight: &Sight<'_>) -> String {
    let numbers = || {
        let (_, rest) = sight.refusal?.split_once("minCount (")?;
        let (wanted, rest) = rest.split_once(") cannot be satisfied: ")?;
        let (found, _) = rest.split_once(" scheduled")?;
        Some(format!(": {found} of {wanted} found a place"))
    };
    let numbers = numbers().unwrap_or_default();
    format!("there is no room for all pods that must be placed together{numbers}")
}
