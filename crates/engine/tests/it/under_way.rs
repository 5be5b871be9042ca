//! How many dry runs of a plan are under way at once (docs/semantics.md §14.1).

use std::collections::BTreeMap;

use domain::plan::{Action, Check, CheckedTemplate, Object};
use engine::apply::apply_plan;
use engine::backoff::Blocked;
use engine::flow::SLOW;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::timeout;

use crate::server::{Reply, context_of, failure, scripted};

/// More than may be under way.
const CHECKS: usize = 60;

fn check(namespace: &str, clique: usize) -> Action {
    let metadata = ObjectMeta {
        name: Some(format!("probe-{clique}")),
        namespace: Some(namespace.to_owned()),
        ..ObjectMeta::default()
    };
    let pod = Pod {
        metadata,
        ..Pod::default()
    };
    Action::Check(Box::new(Check {
        pod: Object::of(pod),
        template: CheckedTemplate {
            clique: clique.to_string(),
            ..CheckedTemplate::default()
        },
        frees: BTreeMap::new(),
    }))
}

/// The number of dry runs that reach an API server which answers the first ones and no other. All count
/// that are sent before there is nothing left to do but to wait, also once they are slow.
async fn count_sent(answered: usize, namespace: impl Fn(usize) -> String) -> usize {
    let (context, asked) = context_of(scripted(move |_, before| {
        if before < answered {
            // The name is taken: the template passes.
            Reply::Answer(409, failure(409, "AlreadyExists"))
        } else {
            Reply::Hang
        }
    }));
    let checks = (0..CHECKS).map(|number| check(&namespace(number), number));
    let waves: [Vec<Action>; 1] = [checks.collect()];
    let blocked = Blocked::default();
    let applying = apply_plan(&context, &waves, &blocked, Timestamp::UNIX_EPOCH);
    let ended = timeout(SLOW * 5, applying).await;
    assert!(ended.is_err(), "requests without an answer have ended");
    let asked = asked.lock().unwrap();
    let is_dry_run = |asked: &String| asked.starts_with("POST ") && asked.contains("dryRun=All");
    assert!(asked.iter().all(is_dry_run), "{asked:?}");
    asked.len()
}

/// Each in a namespace of its own: a namespace alone has fewer writes under way, whatever they are.
#[tokio::test(start_paused = true)]
async fn sixteen_checks_are_under_way_at_once_and_no_more() {
    for answered in [0, 1, 5] {
        let sent = count_sent(answered, |number| format!("tenant-{number}")).await;
        assert_eq!(sent - answered, 16, "{answered} are answered");
    }
}

#[tokio::test(start_paused = true)]
async fn the_checks_of_one_namespace_leave_places_to_the_others() {
    let sent = count_sent(1, |_| "default".to_owned()).await;
    assert_eq!(sent - 1, 8);
}
