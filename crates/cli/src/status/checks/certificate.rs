//! Whether the CA that the API server trusts is still valid. The certificate that the operator serves is
//! in a Secret beside its key, which this command does not read.

use jiff::Timestamp;

use crate::status::{Check, Observed, Verdict, latest_end};

const NAME: &str = "certificate";
const REMEDY: &str = "the operator, or the tool that provides the certificate, has to renew it: read \
                      the operator's log";

pub(super) fn check(observed: &Observed, now: Timestamp) -> Check {
    let webhooks = match observed.webhooks.as_deref() {
        Ok([]) => return Check::new(NAME, Verdict::Unknown, "no webhook is registered"),
        Ok(webhooks) => webhooks,
        Err(why) => return Check::new(NAME, Verdict::Unknown, why),
    };
    let ends: Option<Vec<Timestamp>> = webhooks.iter().map(|w| latest_end(&w.bundle)).collect();
    match ends.and_then(|ends| ends.into_iter().min()) {
        None => {
            let details = "a webhook has no caBundle that can be read";
            Check::new(NAME, Verdict::Wrong, details).remedy(REMEDY)
        }
        Some(end) if end <= now => {
            let details = format!("the CA that the API server trusts expired at {end}");
            Check::new(NAME, Verdict::Wrong, details).remedy(REMEDY)
        }
        Some(end) => {
            let days = end.duration_since(now).as_hours() / 24;
            let details =
                format!("only the CA is read, and it is valid until {end}, for {days} more days");
            Check::new(NAME, Verdict::Ok, details)
        }
    }
}
