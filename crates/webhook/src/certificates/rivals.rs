//! Other writers of the bundles: two that undo each other never end.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::Target;
use super::plan::Patch;

/// This many rewrites in [`SHORT_TIME`] are no accident. Tools that run every 10 minutes count,
/// too.
const MANY: usize = 4;
const SHORT_TIME: Duration = Duration::from_hours(1);

/// Our writes, and changes of them by others.
#[derive(Debug, Default)]
pub struct Rivals(BTreeMap<Target, Written>);

#[derive(Debug, Default)]
struct Written {
    bundle: Vec<String>,
    /// When it was found changed, of late.
    rewrites: VecDeque<Instant>,
    is_reported: bool,
}

/// Why a bundle has to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// It is another one than before.
    Own,
    /// Another writer changed the value.
    Foreign,
    /// Another writer does so repeatedly, and it was not reported yet.
    Rival,
}

impl Rivals {
    /// This is about to be written.
    pub fn judge(&mut self, patch: &Patch, now: Instant) -> Rewrite {
        let written = self.0.get_mut(&patch.target);
        let Some(written) = written.filter(|written| written.bundle == patch.bundle) else {
            return Rewrite::Own;
        };
        let is_old = |at: &Instant| now.duration_since(*at) > SHORT_TIME;
        while written.rewrites.front().is_some_and(is_old) {
            written.rewrites.pop_front();
        }
        written.is_reported &= !written.rewrites.is_empty();
        if written.rewrites.len() == MANY {
            written.rewrites.pop_front();
        }
        written.rewrites.push_back(now);
        if written.is_reported || written.rewrites.len() < MANY {
            return Rewrite::Foreign;
        }
        written.is_reported = true;
        Rewrite::Rival
    }

    /// This was written.
    pub fn remember(&mut self, patch: &Patch) {
        let written = self.0.entry(patch.target.clone()).or_default();
        written.bundle.clone_from(&patch.bundle);
    }
}

/// The remedy against another writer, for the log.
pub(super) fn explain(patch: &Patch) -> String {
    let field = |place| format!("webhooks[{place}].clientConfig.caBundle");
    let fields: Vec<String> = patch.webhooks.iter().map(field).collect();
    let fields = fields.join(", ");
    format!(
        "{}: another writer changes {fields} again and again: set \
         webhooks.certificates.mode to manual, or keep the other tool from writing it",
        patch.target
    )
}
