//! The log of the container, for people.

use std::io::Write as _;

use crate::volume::VolumeContent;

/// Logs the state of the volume, each state once.
#[derive(Default)]
pub struct Report {
    told: Option<VolumeContent>,
}

impl Report {
    /// Logs the state, if it is new.
    pub fn tell(&mut self, seen: &VolumeContent) {
        let told = self.told.as_ref();
        if told == Some(seen) {
            return;
        }
        say(&line(seen, told.is_none()));
        self.told = Some(VolumeContent {
            start: seen.start.clone(),
            starts_after: seen.starts_after.clone(),
        });
    }
}

fn line(seen: &VolumeContent, is_first: bool) -> String {
    if seen.may_start() {
        return if is_first {
            "starts at once".to_owned()
        } else {
            "starts".to_owned()
        };
    }
    let waits = format!("waits for {}", parents(&seen.starts_after));
    match &*seen.start {
        "" | "0" => waits,
        other => format!(
            "{waits}; grove.io/start is {other:?}, which is neither \"now\" nor a number above 0"
        ),
    }
}

/// `a:1,b:2` in words.
fn parents(pairs: &str) -> String {
    let pairs = pairs.split(',').filter(|pair| !pair.is_empty());
    let all: Vec<String> = pairs.map(parent).collect();
    if all.is_empty() {
        return "annotation grove.io/start".to_owned();
    }
    format!("ready pods: {}", all.join(", "))
}

fn parent(pair: &str) -> String {
    let Some((podclique, pods)) = pair.rsplit_once(':') else {
        return pair.to_owned();
    };
    format!("{pods} of {podclique}")
}

/// Writes a line to the log. A failed write is ignored: no reader is required.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", legible(text));
}

/// Writes a line about a problem.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "grove-initc: {}", legible(text));
}

/// Users may edit annotations: characters that would act on a terminal are shown as `\u{1b}`.
fn legible(text: &str) -> String {
    let show = |c: char| {
        let is_plain = !c.is_control() || c == '\n';
        let plain = is_plain.then_some(c);
        let escaped = (!is_plain).then(|| c.escape_unicode());
        plain.into_iter().chain(escaped.into_iter().flatten())
    };
    text.chars().flat_map(show).collect()
}
