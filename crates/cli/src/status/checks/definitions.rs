//! Whether the API server serves all kinds.

use crate::status::read::KINDS;
use crate::status::{Check, Observed, Verdict};

const NAME: &str = "definitions";

pub(super) fn check(observed: &Observed) -> Check {
    let served = match &observed.served {
        Ok(served) => served,
        Err(why) => return Check::new(NAME, Verdict::Unknown, why),
    };
    let is_missing = |kind: &&str| !served.iter().any(|served| served == kind);
    let missing: Vec<&str> = KINDS.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Check::new(
            NAME,
            Verdict::Ok,
            format!("{} kinds are served", KINDS.len()),
        );
    }
    let details = format!("not served: {}", missing.join(", "));
    let check = Check::new(NAME, Verdict::Wrong, details);
    check.remedy(
        "`helm upgrade` with crds.install=true, or `kubectl apply --server-side -f config/crd`",
    )
}
