//! The evidence, one line each.

use super::Clock;
use crate::explain::answer::{Condition, Container, Evidence, Explanation};
use crate::output::{self, Zone};

/// Draws the evidence without messages that were printed above.
pub(super) fn draw_evidence<Z: Zone>(answer: &Explanation, clock: &Clock<'_, Z>) -> String {
    let mut told = in_one_line(&answer.cause);
    let mut text = String::new();
    for evidence in &answer.evidence {
        let line = line_of(evidence, clock);
        let message = line
            .message
            .filter(|message| !is_part_of(&told, message))
            .map_or(String::new(), |message| format!(": {message}"));
        let lead = format!("  {:<9}  ", line.what);
        text.push_str(&output::indent(&lead, &format!("{}{message}", line.head)));
        // The last words of a container line by line.
        for words in line.last_words {
            text.push_str(&output::indent("             | ", words));
        }
        told.push('\n');
        told.push_str(&in_one_line(line.message.unwrap_or_default()));
    }
    text
}

/// Events have their message in one line, and a long one without its end.
fn is_part_of(told: &str, message: &str) -> bool {
    told.contains(in_one_line(message).trim_end_matches('…'))
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A piece of evidence, in the parts of its line.
struct EvidenceLine<'a> {
    what: &'static str,
    head: String,
    message: Option<&'a str>,
    last_words: &'a [String],
}

fn line_of<'a, Z: Zone>(evidence: &'a Evidence, clock: &Clock<'_, Z>) -> EvidenceLine<'a> {
    let (what, head, message, last_words): (_, _, _, &[String]) = match evidence {
        Evidence::Condition(c) => (
            "condition",
            describe_condition(c, clock),
            Some(&c.message),
            &[],
        ),
        Evidence::Event(e) => {
            let last = e.last.map_or(String::new(), |at| clock.tell(at));
            let head = format!("{} {} {last}{}", e.object, e.reason, times(e.count));
            ("event", head, Some(&e.message), &[])
        }
        Evidence::Pin(p) => {
            let labels = p.node_selector.iter();
            let labels: Vec<String> = labels
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            let head = format!("{} only on nodes with {}", p.object, labels.join(","));
            ("pin", head, None, &[])
        }
        Evidence::Container(c) => ("container", describe(c), None, &c.last_words),
        Evidence::Claim(c) => ("claim", format!("{} {}", c.name, c.state), None, &[]),
        Evidence::Error(e) => {
            let head = format!("{} {} {}", e.object, e.code, clock.tell(e.at));
            ("error", head, Some(&e.description), &[])
        }
        Evidence::Failure(f) => {
            let head = format!("pod/{} {}: {}", f.pod, clock.tell(f.at), f.end);
            ("failure", head, None, &f.last_words)
        }
        Evidence::Termination(t) => {
            let head = format!(
                "{}, attempt {} since {}: pod {} of clique {}: {}",
                t.replica,
                t.attempt,
                clock.tell(t.at),
                t.pod,
                t.clique,
                t.trouble
            );
            ("attempt", head, None, &t.last_words)
        }
    };
    EvidenceLine {
        what,
        head,
        message: message.map(String::as_str),
        last_words,
    }
}

/// The time is that of the status; the reason may have changed since.
fn describe_condition<Z: Zone>(c: &Condition, clock: &Clock<'_, Z>) -> String {
    let status = format!("{} {}={}", c.object, c.type_, c.status);
    let Some(since) = c.since else {
        return format!("{status} {}", c.reason).trim_end().to_owned();
    };
    let reported = c.reason_reported;
    let reported = reported.map(|at| format!(" (first reported {})", clock.tell(at)));
    let (since, reported) = (clock.tell(since), reported.unwrap_or_default());
    // The kubelet gives no reason for a pod that is not Ready because of a readiness gate.
    let now = match c.reason.as_str() {
        "" => String::new(),
        reason => format!(", now {reason}"),
    };
    format!("{status} since {since}{now}{reported}")
}

fn times(count: i32) -> String {
    if count > 1 {
        format!(", {count} times")
    } else {
        String::new()
    }
}

fn describe(container: &Container) -> String {
    let restarts = match container.restarts {
        0 => String::new(),
        1 => ", restarted once".to_owned(),
        many => format!(", restarted {many} times"),
    };
    let last = container.last_end.as_ref();
    let last = last.map_or(String::new(), |end| format!("; it ended before: {end}"));
    format!("{} {}{restarts}{last}", container.name, container.state)
}
