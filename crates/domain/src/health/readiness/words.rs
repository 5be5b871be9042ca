//! The sentences of the table of states. None changes while the state lasts: a sentence is part of a
//! stored condition.

use super::pull_failure;
use super::state_input::StateInput;
use crate::object::pod::Terminated;

/// The runtime writes this text before the cause of a failed start.
const BEFORE_CAUSE: &str = "unable to start container process: ";

pub(super) fn image(input: &StateInput<'_>) -> String {
    match input.spec().map_or("", |c| c.image.as_str()) {
        "" => "its image cannot be pulled".to_owned(),
        image if input.waits_for("InvalidImageName") => {
            format!("image {image} is not a valid name")
        }
        image if input.waits_for("ErrImageNeverPull") => {
            format!("image {image} is not on the node, and imagePullPolicy is Never")
        }
        image => {
            let answer = pull_failure::describe(input.message());
            let answer = answer.map_or(String::new(), |answer| format!(": {answer}"));
            format!("image {image} cannot be pulled{answer}")
        }
    }
}

/// The kubelet's words.
pub(super) fn waiting(input: &StateInput<'_>) -> String {
    let reason = input.waiting().unwrap_or_default();
    match input.message() {
        "" => reason.to_owned(),
        message => format!("{reason}: {message}"),
    }
}

/// The runtime's words, which stay the same while it waits for the next try.
pub(super) fn not_started(input: &StateInput<'_>) -> String {
    let end = input.end().and_then(|end| end.message.as_deref());
    let message = end.unwrap_or(input.message()).trim();
    let cause = message.rsplit_once(BEFORE_CAUSE);
    let cause = cause.map_or(message, |(_, cause)| cause);
    format!("cannot be started: {cause}")
}

pub(super) fn hook(input: &StateInput<'_>) -> String {
    format!("its postStart hook fails: {}", input.message())
}

pub(super) fn lost_container(input: &StateInput<'_>) -> String {
    let end = input.end();
    describe_loss(input, end)
}

pub(super) fn killed_for_hook(input: &StateInput<'_>) -> String {
    let end = describe_kill(input);
    format!("{end}, as the kubelet does when the postStart hook fails")
}

pub(super) fn killed_for_probe(input: &StateInput<'_>) -> String {
    let end = describe_kill(input);
    format!("{end}, as the kubelet does when the liveness or startup probe fails")
}

fn describe_kill(input: &StateInput<'_>) -> String {
    let code = input.end().map_or(137, |end| end.exit_code);
    format!("is killed with exit code {code}, {}", restarts(input))
}

pub(super) fn good_end(input: &StateInput<'_>) -> String {
    let why = if input.is_probed() {
        "its command ends, or its liveness probe fails"
    } else {
        "its command ends"
    };
    let restarts = restarts(input);
    format!("ends with exit code 0, {restarts}: {why}; a server must keep running")
}

pub(super) fn crash(input: &StateInput<'_>) -> String {
    let restarts = restarts(input);
    let Some(end) = input.end() else {
        return format!("crashed, {restarts}");
    };
    let reason = end.reason.as_deref().filter(|r| *r != "Error");
    let reason = reason.map_or(String::new(), |r| format!("{r}, "));
    format!(
        "crashed with {reason}exit code {}, {restarts}",
        end.exit_code
    )
}

fn restarts(input: &StateInput<'_>) -> String {
    let container = input.container;
    if container.is_some_and(|c| input.pod.final_end(c).is_some()) {
        return "not started again".to_owned();
    }
    match container.map_or(0, |c| c.restart_count) {
        0 => "not restarted yet".to_owned(),
        1 => "restarted once".to_owned(),
        n => format!("restarted {n} times"),
    }
}

pub(super) fn in_creation(input: &StateInput<'_>) -> String {
    let since = input.in_creation_since();
    let since = since.map_or(String::new(), |at| format!(" since {at}"));
    format!(
        "is being created{since}; `kubectl describe pod {}` shows whether a volume cannot be \
         mounted or an image is still being pulled",
        input.pod.name()
    )
}

pub(super) fn ended_for_reason(input: &StateInput<'_>) -> String {
    let status = &input.pod.status;
    let words = [status.reason.as_deref(), status.message.as_deref()];
    describe_end(input, words.map(|w| w.map(str::to_owned)))
}

pub(super) fn lost_pod(input: &StateInput<'_>) -> String {
    let name = input.pod.name();
    format!("{name} {}", describe_loss(input, input.pod.failure()))
}

fn describe_loss(input: &StateInput<'_>, end: Option<&Terminated>) -> String {
    let node = node(input);
    match end.and_then(|end| end.reason.as_deref()) {
        Some("Unknown") => format!("was lost when its node {node} restarted"),
        _ => format!("was lost: the kubelet of node {node} does not find it, as after a restart"),
    }
}

pub(super) fn ended_well(input: &StateInput<'_>) -> String {
    let due = input.pod.replacement_due();
    let due = due.filter(|_| input.pod.earlier_failures() > 0);
    let due = due.map_or(String::new(), |at| format!(" at {at}"));
    let name = input.pod.name();
    format!("{name} ended with exit code 0 and is replaced{due}")
}

pub(super) fn ended(input: &StateInput<'_>) -> String {
    let end = input.pod.failure();
    let code = end.map(|t| format!("exit code {}", t.exit_code));
    let reason = end.and_then(|t| t.reason.clone());
    describe_end(input, [reason, code])
}

fn describe_end(input: &StateInput<'_>, words: [Option<String>; 2]) -> String {
    let name = input.pod.name();
    let message = input.pod.status.message.clone();
    let [first, second] = words;
    let second = second.or(message);
    let words: Vec<String> = [first, second].into_iter().flatten().collect();
    match words.join(", ").trim_end() {
        "" => format!("{name} ended"),
        words => format!("{name} ended: {words}"),
    }
}

pub(super) fn gate(input: &StateInput<'_>) -> String {
    let name = input.pod.name();
    let ready = input.pod.find_condition("Ready");
    let message = ready.and_then(|c| c.message.as_deref()).unwrap_or_default();
    let message = message.trim_end_matches('.');
    format!("{name} is not ready, though its containers are: {message}")
}

pub(super) fn not_ready(input: &StateInput<'_>) -> String {
    let reason = input.ready_reason().unwrap_or_default();
    match gate(input) {
        text if text.ends_with(": ") => format!("{text}{reason}"),
        text => text,
    }
}

pub(super) fn lost_node(input: &StateInput<'_>) -> String {
    let name = input.pod.name();
    let node = node(input);
    format!("{name} is not ready, though its containers are: its node {node} is lost")
}

fn node<'a>(input: &StateInput<'a>) -> &'a str {
    input.pod.spec.node_name.as_deref().unwrap_or("?")
}

pub(super) fn refusal(input: &StateInput<'_>) -> String {
    input.refusal.unwrap_or_default().to_owned()
}
