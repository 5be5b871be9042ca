//! Objects that lost the label by which the watches select, while the operator was away.

use std::sync::Arc;

use api::PodCliqueSet;
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::{Context, informer};
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::server::{Reply, controllers, scripted};

fn service(name: &str, owner: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": name, "namespace": "default", "uid": name, "resourceVersion": "5",
            "labels": {"grove.io/podcliqueset-replica-index": "0"},
            "ownerReferences": [
                {"apiVersion": owner, "kind": "PodCliqueSet", "name": "x", "uid": "x", "controller": true},
            ],
        },
    })
}

fn list(items: &[Value], next: &str) -> Reply {
    let metadata = json!({"resourceVersion": "9", "continue": next});
    let body = json!({
        "apiVersion": "v1", "kind": "ServiceList", "metadata": metadata, "items": items,
    });
    Reply::Answer(200, body)
}

#[tokio::test]
async fn are_known_before_anything_is_decided() {
    let strays = [
        service("demo-0", "grove.io/v1alpha1"),
        service("other", "example.com/v1"),
    ];
    let (client, asked) = scripted(move |asked, _| match asked {
        _ if asked.contains("watch=true") => Reply::Hang,
        _ if !asked.contains("replica-index") => list(&[], ""),
        _ if asked.contains("continue=more") => list(&strays[..1], ""),
        _ => list(&strays[1..], "more"),
    });
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client.clone(), metrics.clone());
    let context = Arc::new(Context::new(requests, metrics, controllers()));
    context.expect::<Service>();
    tokio::select! {
        () = informer::watch::<Service>(context.clone(), client) => unreachable!("watches for ever"),
        () = context.synced() => {}
    }
    let metadata = ObjectMeta {
        namespace: Some("default".into()),
        uid: Some("x".into()),
        ..ObjectMeta::default()
    };
    let known = context.caches.of::<Service>().owned_by(&PodCliqueSet {
        metadata,
        ..PodCliqueSet::default()
    });
    let names: Vec<_> = known
        .iter()
        .filter_map(|s| s.metadata.name.as_deref())
        .collect();
    assert_eq!(names, ["demo-0"], "foreign objects are left out");
    let asked = asked.lock().unwrap();
    let of_strays = "labelSelector=grove.io%2Fpodcliqueset-replica-index%2C\
                     app.kubernetes.io%2Fmanaged-by%21%3Dgrove-operator";
    let strays = asked.iter().filter(|asked| asked.contains(of_strays));
    assert_eq!(strays.count(), 2, "both pages: {asked:?}");
}
