//! Whether the served certificate is valid. Nothing is written when it expires, so that is checked again and
//! again, and reported once.

use std::sync::Arc;

use jiff::Timestamp;

use super::serving::Serving;

/// The check, with the certificate that it reported last.
#[derive(Debug, Default)]
pub struct ValidityCheck {
    reported: Option<Arc<Serving>>,
}

impl ValidityCheck {
    /// The served certificate, if it is not valid at that time and was not reported yet.
    pub fn find_news(
        &mut self,
        served: Option<&Arc<Serving>>,
        now: Timestamp,
    ) -> Option<Arc<Serving>> {
        let invalid = served.filter(|served| !served.is_valid_at(now)).cloned();
        let is_known = match (&invalid, &self.reported) {
            (Some(found), Some(reported)) => Arc::ptr_eq(found, reported),
            _ => false,
        };
        self.reported.clone_from(&invalid);
        invalid.filter(|_| !is_known)
    }
}

/// Writes the news to the log.
pub(super) fn report(found: &Serving) {
    tracing::warn!(
        not_before = %found.not_before,
        not_after = %found.not_after,
        "webhook serves a certificate that has expired or is not yet valid, and API servers refuse \
         it: renew it; in mode auto the leader does"
    );
}
