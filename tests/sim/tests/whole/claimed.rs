//! Sets whose pods share resource claims of all levels, step by step: their claims follow each count,
//! outlive or follow a termination, and are taken over from the Go operator as they are.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sim::check::OPERATOR;
use sim::store::Record;
use sim::{Call, Id, Resource, Store, sharing, view};
use testkit::builders::set;

use crate::course::{Course, play, reason, svc};
use crate::left;
use crate::ring::Begin;
use crate::scenarios::{break_pods, create, manifest, ready_pods, scale, service, terminated};

/// Templates in the set. That of `card` is an object in another namespace.
const OWN: [&str; 9] = [
    "net", "each", "front", "back", "own", "bus", "pool", "head", "disk",
];

/// Entries of all levels, scopes and filters: a standalone clique, and a group of another one.
fn shared() -> Value {
    let mut shared = manifest(set("svc").clique("a", |c| c).clique("b", |c| c).group(
        "g",
        ["b"],
        |g| g.replicas(2).min(1),
    ));
    let template = &mut shared["spec"]["template"];
    template["resourceClaimTemplates"] = json!(OWN.map(of_set));
    template["resourceSharing"] = json!([
        {"name": "net", "scope": "AllReplicas"},
        {"name": "each", "scope": "PerReplica"},
        {"name": "front", "scope": "PerReplica", "filter": {"childCliqueNames": ["a"]}},
        {"name": "back", "scope": "AllReplicas", "filter": {"childScalingGroupNames": ["g"]}},
    ]);
    template["cliques"][0]["resourceSharing"] = json!([
        {"name": "own", "scope": "PerReplica"},
        {"name": "card", "namespace": "shared", "scope": "AllReplicas"},
    ]);
    template["cliques"][1]["resourceSharing"] = json!([{"name": "disk", "scope": "AllReplicas"}]);
    template["podCliqueScalingGroups"][0]["resourceSharing"] = json!([
        {"name": "bus", "scope": "AllReplicas"},
        {"name": "pool", "scope": "PerReplica"},
        {"name": "head", "scope": "AllReplicas", "filter": {"childCliqueNames": ["b"]}},
    ]);
    shared
}

fn request() -> Value {
    json!({"spec": {"devices": {"requests": [{"name": "gpu"}]}}})
}

fn of_set(name: &str) -> Value {
    json!({"name": name, "templateSpec": request()})
}

/// A ResourceClaimTemplate in this namespace.
fn add_template(store: &mut Store, namespace: &str, name: &str) {
    let path = Resource::ResourceClaimTemplate.path(namespace);
    let template = json!({"metadata": {"name": name}, "spec": request()});
    let answer = store.handle("user", &Call::new("POST", &path, template));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

/// The claims of a set whose replicas have so many replicas of the group and pods of the clique.
fn claims_of(replicas: &[(usize, usize)]) -> BTreeSet<String> {
    let mut claims = BTreeSet::from(["svc-all-net", "svc-all-back"].map(str::to_owned));
    for (i, (group, pods)) in replicas.iter().enumerate() {
        let of_replica = ["each", "front", "a-all-card", "g-all-bus", "g-all-head"];
        claims.extend(of_replica.map(|rest| format!("svc-{i}-{rest}")));
        claims.extend((0..*pods).map(|k| format!("svc-{i}-a-{k}-own")));
        for j in 0..*group {
            claims.extend(["pool", "b-all-disk"].map(|rest| format!("svc-{i}-g-{j}-{rest}")));
        }
    }
    claims
}

/// Waits for rest; then exactly the claims of these counts exist, and all pods are Ready.
async fn expect_claims(cluster: &mut Course, replicas: &[(usize, usize)]) -> Result<(), String> {
    cluster.rest().await?;
    let expected = claims_of(replicas);
    let found: BTreeSet<String> = cluster.store(|store| {
        let names = sharing::claims(store).map(|(id, _)| id.name.clone());
        names.collect()
    });
    let pods: usize = replicas.iter().map(|(group, pods)| group + pods).sum();
    let ready = cluster.store(|store| ready_pods(store));
    if (&found, ready) == (&expected, pods) {
        return Ok(());
    }
    Err(format!(
        "{ready} pods are Ready, {pods} are right; the claims are {found:?}, {expected:?} are right"
    ))
}

/// The writes of operators to claims since this length of the log.
fn written_claims(store: &Store, since: usize) -> Vec<String> {
    let records = store.log[since..].iter();
    let is_ours = |record: &&Record| {
        record.actor == OPERATOR && record.id.resource == Resource::ResourceClaim
    };
    let written = records.filter(is_ours);
    written.map(|record| record.id.to_string()).collect()
}

fn uids(store: &Store, resource: Resource) -> BTreeSet<String> {
    let all = store.all(resource);
    all.map(|(_, object)| view::uid(object).to_owned())
        .collect()
}

/// Fails if anything writes to a claim in ten minutes.
async fn expect_quiet(cluster: &mut Course) -> Result<(), String> {
    let length = cluster.store(|store| store.log.len());
    cluster.ring.pass(Duration::from_mins(10)).await?;
    cluster.expect("no claim changes in ten quiet minutes", |store| {
        let mut records = store.log[length..].iter();
        records.all(|record| record.id.resource != Resource::ResourceClaim)
    })
}

/// RS-1: group, clique and set are scaled in and out, and each claim comes and goes with its part.
async fn scale_all(cluster: &mut Course) -> Result<(), String> {
    let group = Resource::PodCliqueScalingGroup;
    cluster.store(|store| {
        add_template(store, "shared", "card");
        create(store, &shared());
    });
    expect_claims(cluster, &[(2, 1)]).await?;
    cluster.store(|store| scale(store, group, "svc-0-g", 1));
    expect_claims(cluster, &[(1, 1)]).await?;
    cluster.store(|store| scale(store, group, "svc-0-g", 3));
    expect_claims(cluster, &[(3, 1)]).await?;
    cluster.store(|store| scale(store, Resource::PodClique, "svc-0-a", 2));
    expect_claims(cluster, &[(3, 2)]).await?;
    cluster.store(|store| scale(store, Resource::PodClique, "svc-0-a", 1));
    expect_claims(cluster, &[(3, 1)]).await?;
    cluster.store(|store| scale(store, Resource::PodCliqueSet, "svc", 2));
    expect_claims(cluster, &[(3, 1), (2, 1)]).await?;
    cluster.store(|store| scale(store, Resource::PodCliqueSet, "svc", 1));
    expect_claims(cluster, &[(3, 1)]).await?;
    expect_quiet(cluster).await?;
    cluster.store(|store| store.remove("user", &Id::new(Resource::PodCliqueSet, "svc")));
    cluster.rest().await?;
    cluster.expect("no claim is left", |store| {
        sharing::claims(store).next().is_none()
    })
}

#[test]
fn claims_follow_each_count_of_each_level() {
    for is_killed in [false, true] {
        play(Begin::empty(), is_killed, &scale_all);
    }
}

/// The template that all pods need comes later.
#[test]
fn a_missing_template_is_named_within_a_second() {
    play(Begin::empty(), false, &async |cluster| {
        let mut waiting = service();
        waiting["spec"]["template"]["resourceSharing"] =
            json!([{"name": "net", "scope": "AllReplicas"}]);
        cluster.store(|store| create(store, &waiting));
        cluster.ring.pass(Duration::from_secs(1)).await?;
        cluster.expect("no pod, and the set says why", |store| {
            let is_there = store.all(Resource::Pod).next().is_some();
            !is_there && reason(&svc(store), "Ready") == "ClaimMissing"
        })?;
        cluster.store(|store| add_template(store, "default", "net"));
        cluster.rest().await?;
        cluster.expect("all run", |store| ready_pods(store) == 6)
    });
}

/// The claim of the PodClique goes with it, and that of the set stays.
#[test]
fn a_terminated_replica_is_back_within_ten_seconds() {
    for is_killed in [false, true] {
        play(Begin::empty(), is_killed, &async |cluster| {
            cluster.store(|store| {
                add_template(store, "shared", "card");
                create(store, &terminated(shared()));
            });
            expect_claims(cluster, &[(2, 1)]).await?;
            let uid = |store: &Store, claim: &str| {
                let claim = store.get(&Id::new(Resource::ResourceClaim, claim));
                claim.map(|claim| view::uid(claim).to_owned())
            };
            let before = cluster.store(|store| {
                break_pods(store, "svc-0-a");
                ["svc-all-net", "svc-0-a-0-own"].map(|claim| uid(store, claim))
            });
            cluster.ring.pass(Duration::from_secs(10)).await?;
            cluster.expect("all pods run again", |store| {
                ready_pods(store) == 3 && view::attempt(&svc(store), 0) == 1
            })?;
            expect_claims(cluster, &[(2, 1)]).await?;
            let after = cluster
                .store(|store| ["svc-all-net", "svc-0-a-0-own"].map(|claim| uid(store, claim)));
            if before[0] == after[0] && before[1] != after[1] {
                return Ok(());
            }
            Err(format!("claims {before:?} are {after:?} afterwards"))
        });
    }
}

/// Claims of the Go operator have the names, labels and owners of this one's.
#[test]
fn claims_of_the_go_operator_are_adopted_without_a_write() {
    play(Begin::empty(), false, &async |cluster| {
        cluster.store(|store| {
            add_template(store, "shared", "card");
            create(store, &shared());
        });
        expect_claims(cluster, &[(2, 1)]).await?;
        cluster.ring.kill_operators();
        let (length, pods, claims) = cluster.store(|store| {
            left::leave(store);
            let pods = uids(store, Resource::Pod);
            (store.log.len(), pods, uids(store, Resource::ResourceClaim))
        });
        cluster.settle().await?;
        let written = cluster.store(|store| written_claims(store, length));
        assert_eq!(written, Vec::<String>::new());
        cluster.expect("all is adopted, nothing is replaced", |store| {
            let is_kept = uids(store, Resource::Pod) == pods;
            is_kept && uids(store, Resource::ResourceClaim) == claims && left::is_adopted(store)
        })
    });
}
