//! Kinds of others, which the cluster may not serve.

use super::*;

/// A server with the API groups of these kinds: name, version, plural, kind and whether it is namespaced.
fn serve(server: &Server, kinds: &[(&str, &str, &str, &str, bool)]) {
    let groups = kinds.iter().map(|(group, version, ..)| {
        let version = json!({"groupVersion": format!("{group}/{version}"), "version": version});
        json!({"name": group, "versions": [version], "preferredVersion": version})
    });
    let groups = json!({"groups": groups.collect::<Vec<_>>()});
    server.answer("/apis", 200, &groups.to_string());
    for (group, version, plural, kind, namespaced) in kinds {
        let resource = json!({
            "name": plural, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["list"],
        });
        let list = json!({"groupVersion": format!("{group}/{version}"), "resources": [resource]});
        server.answer(&format!("/apis/{group}/{version}"), 200, &list.to_string());
    }
}

const OF_OTHERS: [(&str, &str, &str, &str, bool); 4] = [
    ("kueue.x-k8s.io", "v1beta2", "workloads", "Workload", true),
    (
        "resource.k8s.io",
        "v1",
        "resourceclaims",
        "ResourceClaim",
        true,
    ),
    (
        "resource.nvidia.com",
        "v1beta1",
        "computedomains",
        "ComputeDomain",
        true,
    ),
    ("kai.scheduler", "v1alpha1", "topologies", "Topology", false),
];

/// Set `queued`, which uses all of these, beside `svc`, which uses none.
fn put_queued(server: &Server) {
    serve(server, &OF_OTHERS);
    let labelled = |name: &str| {
        let labels = json!({
            "app.kubernetes.io/part-of": "queued", "kueue.x-k8s.io/queue-name": "team-a",
        });
        json!({"metadata": {"name": name, "namespace": "ml", "labels": labels}})
    };
    let mut set = labelled("queued");
    set["metadata"]["annotations"] = json!({"grove.io/mnnvl-group": "rack"});
    let sharing = json!([{"name": "pool", "scope": "AllReplicas"}]);
    let constraint = json!({"topologyName": "fabric", "pack": {"required": "rack"}});
    let template =
        json!({"cliques": [], "resourceSharing": sharing, "topologyConstraint": constraint});
    set["spec"] = json!({"replicas": 1, "template": template});
    server.put(&format!("/apis/grove.io/v1alpha1/{ML}/podcliquesets"), set);
    server.put(
        &format!("/apis/kueue.x-k8s.io/v1beta2/{ML}/workloads"),
        labelled("queued-0"),
    );
    let mut claim = labelled("queued-all-pool");
    let opaque = json!({"driver": "gpu.example.com", "parameters": {"key": "hunter2"}});
    claim["spec"] = json!({"devices": {"config": [{"opaque": opaque}]}});
    server.put(
        &format!("/apis/resource.k8s.io/v1/{ML}/resourceclaims"),
        claim,
    );
    let domains = format!("/apis/resource.nvidia.com/v1beta1/{ML}/computedomains");
    server.put(&domains, labelled("queued-0-rack"));
    for name in ["fabric", "other"] {
        let topology = json!({"metadata": {"name": name}});
        server.put("/apis/kai.scheduler/v1alpha1/topologies", topology);
    }
}

#[tokio::test]
async fn workloads_claims_domains_and_topologies_are_in_it() {
    let server = server();
    put_queued(&server);
    let found = read(&server.cluster(), "queued", None).await.unwrap();
    let bundle = compose(&found, false, *EPOCH);
    let paths = bundle.files.iter().map(|file| &*file.path);
    let objects: Vec<&str> = paths.filter(|path| path.starts_with("objects/")).collect();
    let expected = [
        "objects/computedomains.resource.nvidia.com/queued-0-rack.yaml",
        "objects/podcliquesets/queued.yaml",
        "objects/resourceclaims.resource.k8s.io/queued-all-pool.yaml",
        "objects/topologies.kai.scheduler/fabric.yaml",
        "objects/workloads.kueue.x-k8s.io/queued-0.yaml",
    ];
    assert_eq!(objects, expected);
    assert_eq!(bundle.missing, Vec::<String>::new());
    assert!(
        bundle
            .files
            .iter()
            .all(|file| !file.text.contains("hunter2"))
    );
}

/// Nor are they missing from the bundle of a set that has none of them.
#[tokio::test]
async fn kinds_that_may_not_be_read_are_named_for_sets_that_use_them() {
    let server = server();
    put_queued(&server);
    for (group, version, plural, _, is_namespaced) in OF_OTHERS {
        let place = if is_namespaced {
            format!("{ML}/")
        } else {
            String::new()
        };
        let name = if is_namespaced { "" } else { "/fabric" };
        server.forbid(&format!("/apis/{group}/{version}/{place}{plural}{name}"));
    }
    let found = read(&server.cluster(), "queued", None).await.unwrap();
    let missing = found.missing.join("\n");
    for words in [
        "list workloads",
        "list resourceclaims",
        "list computedomains",
        "get topologies fabric",
    ] {
        assert!(missing.contains(words), "{words} is not in {missing}");
    }
    assert_eq!(found.missing.len(), OF_OTHERS.len(), "{missing}");
    assert_eq!(collected(&server).await.missing, Vec::<String>::new());
}
