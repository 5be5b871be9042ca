//! Whether the API server reaches the webhook.

use crate::status::{Check, Observed, Verdict, WebhookAnswer};

const NAME: &str = "webhook";

pub(super) fn check(observed: &Observed) -> Check {
    let count = match observed.bundles.as_deref() {
        Ok([]) => {
            let details = "no webhook is registered: sets are checked by the operator only";
            return Check::new(NAME, Verdict::Unknown, details);
        }
        Ok(all) => format!(
            "{} are registered",
            crate::output::count(all.len(), "webhook")
        ),
        Err(why) => why.clone(),
    };
    match &observed.answer {
        WebhookAnswer::Answered => {
            let details = format!("a set was accepted as a dry run; {count}");
            Check::new(NAME, Verdict::Ok, details)
        }
        WebhookAnswer::NotAsked(why) => {
            Check::new(NAME, Verdict::Unknown, format!("not asked: {why}; {count}"))
        }
        WebhookAnswer::Failed(why) => Check::new(NAME, Verdict::Wrong, why)
            .remedy("docs/operations.md lists the webhook's errors and their remedies"),
    }
}
