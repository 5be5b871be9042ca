//! The requirements.

use crate::sample::Sample;
use crate::section::Section;
use crate::shape::Shape;

/// The bar for 1,000 pods on 60 nodes, in MB.
const MAX_MEMORY: f64 = 60.0;
/// The largest allowed ratio of requests to the least possible number, for the one clique. For
/// other workloads the ratio is reported only.
const MAX_REQUESTS: f64 = 1.05;

/// The requirements: no reads, in any workload; limits of memory and requests in the one clique
/// only.
pub fn judge(section: &mut Section, shape: &Shape, peak_rss: &Sample, requests: f64, reads: f64) {
    let title = &shape.title;
    let mut breach = |what: String| section.breaches.push(format!("{title}: {what}"));
    if reads > 0.0 {
        breach(format!("{reads} GET requests, and none is asked for"));
    }
    if !shape.is_one_clique() {
        return;
    }
    if peak_rss.max() >= MAX_MEMORY {
        breach(format!(
            "the operator had {:.1} MB resident, and less than {MAX_MEMORY} MB is asked for",
            peak_rss.max()
        ));
    }
    if requests > MAX_REQUESTS {
        breach(format!(
            "{requests:.2} times the least number of requests, \
             and at most {MAX_REQUESTS} times is asked for"
        ));
    }
}
