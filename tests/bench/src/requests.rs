//! An operator's requests to the API server, from its own metrics.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

const REQUESTS: &str = "grove_api_requests_total{";
const RESTARTS: &str = "grove_watch_restarts_total{";

/// Requests so far by `verb resource`, with the subresource and any code other than 200, and
/// restarted watches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Requests except watches and their first lists.
    pub by_kind: BTreeMap<String, u32>,
    /// Watches that failed: each of them may list again.
    pub watch_restarts: u32,
}

impl Requests {
    /// The requests in the operator's metrics.
    pub fn parse(metrics: &str) -> Result<Self> {
        let mut requests = Self::default();
        for line in metrics.lines() {
            if let Some((labels, count)) = counter(line, REQUESTS) {
                let kind = kind(labels).with_context(|| format!("a metric is odd: {line}"))?;
                requests.by_kind.insert(kind, count.parse()?);
            } else if let Some((_, count)) = counter(line, RESTARTS) {
                requests.watch_restarts += count.parse::<u32>()?;
            }
        }
        Ok(requests)
    }

    /// The requests since then.
    #[must_use]
    pub fn since(mut self, then: &Self) -> Self {
        for (kind, count) in &mut self.by_kind {
            *count -= then.by_kind.get(kind).copied().unwrap_or(0).min(*count);
        }
        self.by_kind.retain(|_, count| *count > 0);
        self.watch_restarts -= then.watch_restarts.min(self.watch_restarts);
        self
    }

    /// The requests with matching description.
    pub fn count(&self, fits: impl Fn(&str) -> bool) -> u32 {
        let fitting = self.by_kind.iter().filter(|(kind, _)| fits(kind));
        fitting.map(|(_, count)| count).sum()
    }

    /// All except events, which change nothing.
    pub fn without_events(&self) -> u32 {
        self.count(|kind| !is_event(kind))
    }
}

/// Whether it is about an event.
pub fn is_event(kind: &str) -> bool {
    kind.contains(" events")
}

/// Whether it reads an object.
pub fn is_read(kind: &str) -> bool {
    kind.starts_with("get ")
}

/// Whether it is a write of a status.
pub fn is_status(kind: &str) -> bool {
    kind.contains("/status")
}

fn counter<'a>(line: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    line.strip_prefix(name)?.split_once("} ")
}

/// `create pods`, `update podcliques/status`, `create pods (409)`.
fn kind(labels: &str) -> Option<String> {
    let label = |name: &str| {
        let mut pairs = labels.split(',').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then(|| value.trim_matches('"')))
    };
    let (verb, resource) = (label("verb")?, label("resource")?);
    let slash = if label("subresource")?.is_empty() {
        ""
    } else {
        "/"
    };
    let code = match label("code")? {
        "200" => String::new(),
        "0" => " (no answer)".to_owned(),
        code => format!(" ({code})"),
    };
    Some(format!(
        "{verb} {resource}{slash}{}{code}",
        label("subresource")?
    ))
}

#[cfg(test)]
mod tests {
    use super::Requests;

    const METRICS: &str = r#"
grove_api_requests_total{verb="create",resource="pods",subresource="",code="200"} 10
grove_api_requests_total{verb="update",resource="podcliques",subresource="status",code="409"} 2
grove_api_requests_total{verb="create",resource="events",subresource="",code="200"} 1
grove_watch_restarts_total{kind="Pod"} 1
grove_queue_depth{controller="podclique"} 0
"#;

    #[test]
    fn are_read_from_metrics_and_counted() {
        let requests = Requests::parse(METRICS).unwrap();
        assert_eq!(requests.by_kind["create pods"], 10);
        assert_eq!(requests.by_kind["update podcliques/status (409)"], 2);
        assert_eq!(
            (requests.without_events(), requests.watch_restarts),
            (12, 1)
        );
    }

    #[test]
    fn since_excludes_earlier_requests() {
        let then = Requests::parse(METRICS).unwrap();
        let now = Requests::parse(&METRICS.replace("} 10", "} 13")).unwrap();
        let since = now.since(&then);
        assert_eq!(
            Vec::from_iter(since.by_kind),
            [("create pods".to_owned(), 3)]
        );
    }
}
