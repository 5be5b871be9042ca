//! An operator's requests to the API server, from its own metrics.

use std::collections::BTreeMap;

use super::operator::Operator;

const METRIC: &str = "grove_api_requests_total{";

/// Requests so far, by their labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requests(BTreeMap<String, usize>);

impl Requests {
    /// The requests of this operator since it started.
    pub fn of(operator: &Operator) -> Result<Self, String> {
        let metrics = match operator.get("/metrics") {
            Ok((200, metrics)) => metrics,
            other => return Err(format!("{other:?}")),
        };
        let count = |line: &str| {
            let (labels, count) = line.strip_prefix(METRIC)?.split_once("} ")?;
            Some((labels.to_owned(), count.parse().unwrap()))
        };
        Ok(Self(metrics.lines().filter_map(count).collect()))
    }

    /// The requests with matching labels.
    pub fn count(&self, fits: impl Fn(&str) -> bool) -> usize {
        let fitting = self.0.iter().filter(|(labels, _)| fits(labels));
        fitting.map(|(_, count)| count).sum()
    }

    /// All requests except those of statuses and events.
    pub fn count_main(&self) -> usize {
        let is_aside =
            |l: &str| l.contains("subresource=\"status\"") || l.contains("resource=\"events\"");
        self.count(|labels| !is_aside(labels))
    }

    /// Successful writes, from the operator's own metrics.
    pub fn writes(&self) -> usize {
        self.count(|labels| labels.contains("code=\"200\"") && !is_read(labels))
    }

    /// Writes, also those that were refused.
    pub fn tried_writes(&self) -> usize {
        self.count(|labels| !is_read(labels))
    }
}

fn is_read(labels: &str) -> bool {
    let mut verbs = ["get", "list", "watch"].iter();
    verbs.any(|verb| labels.contains(&format!("verb=\"{verb}\"")))
}
