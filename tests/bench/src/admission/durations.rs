//! Durations of the webhook's answers, from its own metrics.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

const BUCKETS: &str = "grove_admission_duration_seconds_bucket{";

/// Per webhook, how many answers took at most that many seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations(BTreeMap<String, Vec<(f64, u64)>>);

impl Durations {
    /// The durations in the operator's metrics.
    pub fn parse(metrics: &str) -> Result<Self> {
        let mut all = Self::default();
        for line in metrics.lines() {
            let Some(rest) = line.strip_prefix(BUCKETS) else {
                continue;
            };
            let (webhook, bucket) =
                bucket(rest).with_context(|| format!("a metric is odd: {line}"))?;
            all.0.entry(webhook).or_default().push(bucket);
        }
        Ok(all)
    }

    /// The durations since then.
    #[must_use]
    pub fn since(mut self, then: &Self) -> Self {
        for (webhook, buckets) in &mut self.0 {
            let then = then.0.get(webhook);
            for (i, (_, count)) in buckets.iter_mut().enumerate() {
                let before = then.and_then(|then| then.get(i));
                *count -= before.map_or(0, |(_, before)| *before).min(*count);
            }
        }
        self.0.retain(|_, buckets| total(buckets) > 0);
        self
    }

    /// The number of answers of each webhook.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let all = self.0.iter();
        all.map(|(webhook, buckets)| (webhook.as_str(), total(buckets)))
    }

    /// Per webhook, the bound in seconds that this percentage of its answers did not exceed.
    pub fn percentiles(&self, percent: u64) -> impl Iterator<Item = (&str, f64)> {
        let all = self.0.iter();
        all.map(move |(webhook, buckets)| {
            let rank = (total(buckets) * percent).div_ceil(100);
            let bound = buckets.iter().find(|(_, count)| *count >= rank);
            (webhook.as_str(), bound.map_or(0.0, |(bound, _)| *bound))
        })
    }
}

fn total(buckets: &[(f64, u64)]) -> u64 {
    buckets.last().map_or(0, |(_, count)| *count)
}

fn bucket(rest: &str) -> Option<(String, (f64, u64))> {
    let (labels, count) = rest.split_once("} ")?;
    let label = |name: &str| {
        let mut pairs = labels.split(',').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then(|| value.trim_matches('"')))
    };
    let bound = label("le")?.parse().ok()?;
    Some((label("webhook")?.to_owned(), (bound, count.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::Durations;

    const METRICS: &str = r#"
grove_admission_duration_seconds_sum{webhook="a"} 0.5
grove_admission_duration_seconds_bucket{le="0.00025",webhook="a"} 90
grove_admission_duration_seconds_bucket{le="0.0005",webhook="a"} 99
grove_admission_duration_seconds_bucket{le="+Inf",webhook="a"} 100
"#;

    #[test]
    fn are_read_from_metrics() {
        let durations = Durations::parse(METRICS).unwrap();
        assert!(durations.counts().eq([("a", 100)]));
        for (percent, bound) in [(90, 0.000_25), (99, 0.000_5), (100, f64::INFINITY)] {
            assert!(durations.percentiles(percent).eq([("a", bound)]));
        }
    }

    #[test]
    fn since_excludes_earlier_durations() {
        let then = Durations::parse(METRICS).unwrap();
        let now = METRICS.replace("} 99", "} 105").replace("} 100", "} 106");
        let since = Durations::parse(&now).unwrap().since(&then);
        assert!(since.counts().eq([("a", 6)]));
        assert!(since.percentiles(50).eq([("a", 0.000_5)]));
        assert_eq!(then.clone().since(&then), Durations::default());
    }
}
