//! What a controller wrote.

use domain::plan::Purpose;

use super::{Id, Stored};

/// One write of a controller.
#[derive(Clone, Debug)]
pub struct Record {
    /// Number of the decision that asked for it.
    pub decision: usize,
    /// What was done, in one word (`domain::plan::Action::verb`).
    pub verb: &'static str,
    /// What for, where that is not plain.
    pub purpose: Option<Purpose>,
    /// Which object.
    pub id: Id,
    /// As it was; `None` if it is new.
    pub before: Option<Stored>,
    /// As it is; `None` if it is gone.
    pub after: Option<Stored>,
}
