//! Whether the API server reaches the webhook.

use crate::output::count;
use crate::status::{Check, Observed, ObservedWebhook, Verdict, WebhookAnswer};

const NAME: &str = "webhook";
const RIGHT: &str = "ask for verb list on mutatingwebhookconfigurations and \
                     validatingwebhookconfigurations of admissionregistration.k8s.io";

/// Words of the API server about a webhook that it cannot call, each with the remedy (docs/operations.md,
/// "Errors of the webhook").
const FAILURES: [(&str, &str); 5] = [
    (
        "certificate has expired",
        "the leading operator renews its certificate, in mode `manual` its provider does: look at the \
         line of the leader, and for a missing right in its log",
    ),
    (
        "signed by unknown authority",
        "another tool writes `caBundle` too: let only one write it; in mode `manual` write the CA of the \
         Secret there",
    ),
    (
        "certificate is valid for",
        "the certificate has other names: correct `webhooks.url`; in mode `manual` the certificate",
    ),
    ("connection refused", NO_OPERATOR),
    ("no endpoints available", NO_OPERATOR),
];
const NO_OPERATOR: &str = "no operator runs there, or none is ready: look at the lines of the operator and \
                           of the leader";
const MANUAL: &str = "docs/operations.md lists the webhook's errors and their remedies";

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
        WebhookAnswer::Failed(why) => Check::new(NAME, Verdict::Wrong, why).remedy(remedy_of(why)),
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

/// The remedy of a failed call.
fn remedy_of(why: &str) -> String {
    let mut all = FAILURES.iter();
    let known = all.find(|(words, _)| why.contains(*words));
    known.map_or_else(
        || MANUAL.to_owned(),
        |(_, remedy)| format!("{remedy}; {MANUAL}"),
    )
}

fn registered(webhooks: &[ObservedWebhook]) -> String {
    format!("{} are registered", count(webhooks.len(), "webhook"))
}
