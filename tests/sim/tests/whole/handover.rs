//! An operator that leads after another.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::metrics::Metrics;
use http::Request;
use kube::Client;
use kube::client::Body;
use operator::config::{Config, parse};
use operator::run::{Endpoints, run_until};
use serde_json::{Value, json};
use sim::service::Clock;
use sim::{Answer, Resource};
use tokio::time::sleep;

use crate::link::{Answered, Link, respond};
use crate::ring::{Begin, Ring, WATCHED, in_paused_time};

/// Its running time.
const LONG: Duration = Duration::from_secs(40);

fn config() -> Config {
    let config = "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n\
                  leaderElection: {enabled: true, resourceNamespace: grove-system}\n";
    let mut config = parse(config).unwrap();
    "this".clone_into(&mut config.process.identity);
    config
}

/// A Lease with this holder.
fn lease(holder: Option<&str>) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "lease", "namespace": "grove-system", "uid": "u", "resourceVersion": "1"},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15},
    })
}

/// The API server's answer to a request about the Lease; it stores writes.
async fn ask_for_lease(stored: &Mutex<Option<Value>>, request: Request<Body>) -> Answered {
    let (head, body) = request.into_parts();
    let body = body.collect_bytes().await?;
    let mut stored = stored.lock().unwrap();
    if head.method != "GET" {
        let mut lease: Value = serde_json::from_slice(&body)?;
        lease["metadata"]["uid"] = json!("u");
        lease["metadata"]["resourceVersion"] = json!("2");
        *stored = Some(lease);
    }
    let is_of_one = !head.uri.path().ends_with("/leases") || head.method != "GET";
    let answer = match stored.clone().filter(|_| is_of_one) {
        Some(lease) => Answer {
            code: 200,
            body: lease,
        },
        None => Answer {
            code: 404,
            body: json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound",
                "message": "not found"}),
        },
    };
    Ok(respond(&answer))
}

/// How many times an operator that finds this Lease and then leads lists each kind.
async fn count_lists(found: Option<Value>) -> BTreeMap<Resource, usize> {
    let ring = Ring::start(Begin::empty());
    ring.wire.begin(None);
    let link = Link::new(&ring.wire);
    let stored = Arc::new(Mutex::new(found));
    let kept = stored.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (link, stored) = (link.clone(), stored.clone());
        async move {
            if request.uri().path().contains("/leases") {
                ask_for_lease(&stored, request).await
            } else {
                link.send(request).await
            }
        }
    });
    let server = ring.wire.server.clone();
    let clock: Clock = Arc::new(move || server.with_store(|store| store.now));
    let client = Client::new(service, "default");
    let (endpoints, metrics) = (Endpoints::Unserved, Metrics::default());
    run_until(config(), client, clock, sleep(LONG), endpoints, metrics)
        .await
        .unwrap();
    let kept = kept.lock().unwrap().clone();
    assert!(
        kept.is_some_and(|lease| lease["spec"]["renewTime"].is_string()),
        "it led"
    );
    ring.wire.state().lists.clone()
}

/// The last writes of the other leader may not be shown yet, or not in order: a job may be shown as
/// complete before its last PodClique is, and would be restarted for that.
#[test]
fn a_new_leader_lists_everything_before_it_decides() {
    for (found, expected) in [
        (None, 1),
        (Some(lease(Some("this"))), 1),
        (Some(lease(None)), 2),
        (Some(lease(Some("other"))), 2),
    ] {
        let lists = in_paused_time(count_lists(found.clone()));
        let expected = WATCHED.into_iter().map(|kind| (kind, expected));
        assert_eq!(lists, expected.collect(), "{found:?}");
    }
}
