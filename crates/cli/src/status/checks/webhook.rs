//! Whether the API server reaches the webhook.

use crate::output::count;
use crate::status::{Check, Observed, ObservedWebhook, Verdict, WebhookAnswer};

const NAME: &str = "webhook";
const RIGHT: &str = "ask for verb list on mutatingwebhookconfigurations and \
                     validatingwebhookconfigurations of admissionregistration.k8s.io";

pub(super) fn check(observed: &Observed) -> Check {
    let webhooks = match observed.webhooks.as_deref() {
        Ok([]) => {
            let details = "no webhook is registered: sets are checked by the operator only";
            return Check::new(NAME, Verdict::Unknown, details);
        }
        Ok(all) => Ok(all),
        Err(why) => Err(why.as_str()),
    };
    let known = webhooks.map_or_else(str::to_owned, registered);
    match &observed.answer {
        WebhookAnswer::Accepted => judge_accepted(webhooks, &observed.asked_namespace),
        WebhookAnswer::Refused => {
            let details = format!("the operator's webhook refused a dry run; {known}");
            Check::new(NAME, Verdict::Ok, details)
        }
        WebhookAnswer::NotAsked(why) => {
            let namespace = &observed.asked_namespace;
            let details = format!("not asked in namespace {namespace}: {why}; {known}");
            Check::new(NAME, Verdict::Unknown, details)
        }
        WebhookAnswer::Failed(why) => Check::new(NAME, Verdict::Wrong, why)
            .remedy("docs/operations.md lists the webhook's errors and their remedies"),
    }
}

/// The API server accepts a set without a webhook too: only a registered one was asked.
fn judge_accepted(webhooks: Result<&[ObservedWebhook], &str>, namespace: &str) -> Check {
    let accepted = format!("a set was accepted as a dry run in namespace {namespace}");
    match webhooks {
        Err(why) => {
            let details = format!("{accepted}, as it is without a webhook too: {why}");
            Check::new(NAME, Verdict::Unknown, details).remedy(RIGHT)
        }
        Ok(all) if all.iter().any(|w| w.is_asked_about_sets(namespace)) => {
            let details = format!("{}; {accepted}", registered(all));
            Check::new(NAME, Verdict::Ok, details)
        }
        Ok(all) => {
            let details = format!("{}, but none for sets; {accepted}", registered(all));
            Check::new(NAME, Verdict::Unknown, details)
        }
    }
}

fn registered(webhooks: &[ObservedWebhook]) -> String {
    format!("{} are registered", count(webhooks.len(), "webhook"))
}
