//! Asks the webhook: a set is sent as a dry run.

use api::PodCliqueSet;
use kube::Api;
use kube::api::PostParams;
use serde::Deserialize as _;
use serde_json::json;

use super::observed::{ObservedWebhook, Read, WebhookAnswer};
use crate::cluster::Cluster;

/// With these words the API server refuses the user, not the set.
const MAY_NOT_CREATE: &str = "cannot create resource";
/// Before the name of a webhook that did not answer.
const NOT_CALLED: &str = "failed calling webhook \"";
/// Before and behind the name of a webhook that refused.
const REFUSED_BY: &str = "admission webhook \"";
const REFUSED: &str = "\" denied the request";
/// The end of the names of the operator's webhooks.
const OWN: &str = ".webhooks.grove.io";

/// The namespace whose sets a webhook is asked about: that of the user, or else the first one that is
/// watched.
pub fn choose_namespace<'a>(webhooks: &'a Read<Vec<ObservedWebhook>>, own: &'a str) -> &'a str {
    let all = webhooks.as_deref().unwrap_or_default();
    if all.iter().any(|webhook| webhook.is_asked_about_sets(own)) {
        return own;
    }
    let of_sets = all.iter().filter(|webhook| webhook.is_of_sets());
    let mut watched = of_sets.flat_map(|webhook| &webhook.namespaces);
    watched.next().map_or(own, String::as_str)
}

/// Sends a set as a dry run: the API server asks the webhook and stores nothing.
pub(super) async fn ask_webhook(cluster: &Cluster) -> WebhookAnswer {
    let set = PodCliqueSet::deserialize(&json!({
        "metadata": {"name": "status-check"},
        "spec": {"replicas": 1, "template": {"cliques": [{"name": "a", "spec": {
            "roleName": "a", "replicas": 1,
            "podSpec": {"containers": [{"name": "main", "image": "example.com/none:1"}]},
        }}]}},
    }));
    let set = match set {
        Ok(set) => set,
        Err(error) => return WebhookAnswer::NotAsked(error.to_string()),
    };
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let sets: Api<PodCliqueSet> = cluster.namespaced();
    match sets.create(&params, &set).await {
        Ok(_) => WebhookAnswer::Accepted,
        Err(kube::Error::Api(status)) => interpret_answer(status.code, &status.message),
        Err(error) => WebhookAnswer::NotAsked(error.to_string()),
    }
}

/// The answer to the set, by the API server's status code and message. Other webhooks of the cluster may
/// refuse it, or not be reached, before the operator's one is asked.
pub fn interpret_answer(code: u16, message: &str) -> WebhookAnswer {
    if name_after(message, NOT_CALLED).is_some_and(is_own) {
        return WebhookAnswer::Failed(message.to_owned());
    }
    match code {
        409 => WebhookAnswer::Accepted,
        _ if message.contains(REFUSED) && name_after(message, REFUSED_BY).is_some_and(is_own) => {
            WebhookAnswer::Refused
        }
        403 if message.contains(MAY_NOT_CREATE) => {
            WebhookAnswer::NotAsked("you have no right to create PodCliqueSets".to_owned())
        }
        _ => WebhookAnswer::NotAsked(message.to_owned()),
    }
}

/// The quoted name after these words.
fn name_after<'a>(message: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once(words)?;
    rest.split('"').next()
}

fn is_own(name: &str) -> bool {
    name.ends_with(OWN)
}
