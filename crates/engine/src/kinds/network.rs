//! The kinds of networks between nodes.

use api::nvidia::ComputeDomain;

use super::Kinds;
use crate::context::Context;

impl Kinds {
    /// The table without ComputeDomains, unless the configuration asks for them.
    #[must_use]
    pub fn for_network(self, has_mnnvl: bool, context: &Context) -> Self {
        if has_mnnvl {
            self
        } else {
            self.without::<ComputeDomain>(context)
        }
    }
}
