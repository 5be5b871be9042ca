//! Quota of ResourceFlavors: it is for some nodes only.

use api::labels::POD_CLIQUE;
use serde_json::{Value, json};
use sim::{Id, Resource, Store, queue, topology, view};

use super::{Course, PODS, Setup, expect_course_in, gang, queued, running_pods};
use crate::ring::Begin;
use crate::scenarios::{domains, packed_in, pods_of, ready_pods, scale};

/// The node label of the flavors.
const KIND: &str = "kind";
/// The clique whose pods are scaled out.
const SCALED: &str = "svc-0-a";

fn add_flavor(store: &mut Store, name: &str, (key, value): (&str, &str)) {
    let resource = Resource::ResourceFlavor;
    let flavor = json!({
        "apiVersion": resource.api_version(),
        "kind": resource.kind(),
        "metadata": {"name": name},
        "spec": {"nodeLabels": {key: value}},
    });
    store.add("administrator", resource, flavor);
}

/// Quota for all pods on reserved nodes, and none on spot nodes.
fn with_kinds() -> Setup {
    let mut begin = Begin::empty();
    for name in ["reserved", "spot"] {
        add_flavor(&mut begin.store, name, (KIND, name));
    }
    Setup {
        begin,
        quota: vec![("reserved", PODS), ("spot", 0)],
        set: queued(),
    }
}

fn is_added(pod: &Value) -> bool {
    view::label(pod, POD_CLIQUE) == SCALED && view::index(pod) == Some(2)
}

/// So many pods are Ready. The one that was added selects spot nodes, and the others reserved ones.
fn expect_kinds(cluster: &Course, count: usize) -> Result<(), String> {
    cluster.expect(&format!("{count} pods on the right nodes"), |store| {
        let mut pods = store.all(Resource::Pod);
        let are_right = pods.all(|(_, pod)| {
            let kind = if is_added(pod) { "spot" } else { "reserved" };
            view::text(pod, "/spec/nodeSelector/kind") == kind
        });
        are_right && ready_pods(store) == count
    })
}

/// All pods of the clique are replaced, one after the other.
async fn replace_each(cluster: &mut Course) -> Result<(), String> {
    for pod in cluster.store(|store| pods_of(store, SCALED)) {
        cluster.store(|store| store.remove("user", &pod));
        cluster.rest().await?;
        expect_kinds(cluster, 7)?;
    }
    Ok(())
}

/// Fails if an added pod gets the nodes of the first quota, or if a replacement gets those of another index.
#[test]
fn an_added_pod_runs_on_the_nodes_of_its_own_quota() {
    expect_course_in(&with_kinds(), &async |cluster| {
        expect_kinds(cluster, 6)?;
        cluster.set_quotas(vec![("reserved", PODS), ("spot", 1)]);
        cluster.store(|store| scale(store, Resource::PodClique, SCALED, 3));
        cluster.rest().await?;
        expect_kinds(cluster, 7)?;
        replace_each(cluster).await
    });
}

/// A zone has quota for the base gang, and the other zone for all pods.
fn with_zones() -> Setup {
    let mut begin = Begin::empty().with_topology(true);
    let (_, key) = topology::LEVELS[0];
    for (name, zone) in [("east", "z0"), ("west", "z1")] {
        add_flavor(&mut begin.store, name, (key, zone));
    }
    let mut set = packed_in("zone");
    set["metadata"]["labels"] = queued()["metadata"]["labels"].clone();
    Setup {
        begin,
        quota: vec![("east", 4), ("west", PODS)],
        set,
    }
}

/// The node labels that the podSets of the scaled gang ask for.
fn pins(store: &Store) -> Vec<&Value> {
    let id = Id::new(Resource::KueueWorkload, "svc-0-g-0");
    let sets = store.get(&id).into_iter();
    sets.flat_map(|workload| view::list(workload, "/spec/podSets"))
        .filter_map(|set| view::at(set, "/template/spec/nodeSelector"))
        .collect()
}

/// What the scaled gang says about its quota.
fn words(store: &Store) -> String {
    let mut conditions = view::list(gang(store, "svc-0-g-0"), "/status/conditions");
    let found = conditions.find(|c| view::text(c, "/type") == "QuotaReserved");
    found.map_or_else(String::new, |c| view::text(c, "/message").to_owned())
}

/// The request of the scaled gang does not suit the other zone, which has room. Fails if it lacks the labels
/// of the zone: Kueue would give quota with which the pods cannot start.
#[test]
fn a_request_names_the_zone_that_its_pods_have_to_join() {
    expect_course_in(&with_zones(), &async |cluster| {
        let (_, key) = topology::LEVELS[0];
        let zone = json!({key: "z0"});
        cluster.expect("the base gang runs, and the other one waits", |store| {
            ready_pods(store) == 4 && running_pods(store) == 4
        })?;
        cluster.expect("both podSets ask for its zone", |store| {
            pins(store) == [&zone, &zone]
        })?;
        let said = cluster.store(|store| words(store));
        cluster.expect(&format!("{said:?} names both flavors"), |_| {
            let east = "insufficient unused quota for pods in flavor east, 2 more needed";
            let west = "flavor west doesn't match node affinity";
            said.contains(&format!("{east}, {west}"))
        })?;
        cluster.set_quotas(vec![("east", PODS), ("west", PODS)]);
        cluster.rest().await?;
        cluster.expect("all run in the zone", |store| {
            let zones = domains(store, 0, "svc-0-");
            let is_one = zones.into_iter().eq([Some(vec!["z0"])]);
            let mut workloads = store.all(Resource::KueueWorkload);
            let hold_quota = workloads.all(|(_, workload)| queue::holds_quota(workload));
            ready_pods(store) == 6 && is_one && hold_quota
        })
    });
}
