//! A live set whose scheduler receives gangs in another way from now on, and which is then updated:
//! no pod that had a node is gone for longer than its own replacement takes (decision 138).

use std::collections::BTreeMap;
use std::time::Duration;

use domain::scheduling::{Backend, DEFAULT_SCHEDULER};
use jiff::{SignedDuration, Timestamp};
use operator::config::Gangs;
use serde_json::{Value, json};
use sim::store::Record;
use sim::{Id, Resource, Store, view};
use testkit::builders::set;

use crate::mutant::Mutant;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{create, manifest};
use crate::slots::slot;

/// Simulated time within which an update comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// How long the replacement of a pod takes at most.
const REPLACEMENT: SignedDuration = SignedDuration::from_secs(10);
/// Pods of the set.
const PODS: usize = 11;
/// Lines of the story of a failure.
const LINES: usize = 80;
/// The label that distinguishes the templates.
const VERSION: &str = "example.com/version";

/// A way in which a scheduler receives gangs.
struct Way {
    backend: Backend,
    /// `schedulerName` of the pods.
    scheduler: &'static str,
    /// Its profile: backend and mode.
    profile: Option<(&'static str, Gangs)>,
}

const KAI: &str = "kai-scheduler";

const WAYS: [Way; 7] = [
    Way {
        backend: Backend::DefaultScheduler,
        scheduler: DEFAULT_SCHEDULER,
        profile: None,
    },
    Way {
        backend: Backend::Kubernetes,
        scheduler: DEFAULT_SCHEDULER,
        profile: Some(("kubernetes", Gangs::Split)),
    },
    Way {
        backend: Backend::KubernetesTree,
        scheduler: DEFAULT_SCHEDULER,
        profile: Some(("kubernetes", Gangs::Tree)),
    },
    Way {
        backend: Backend::KaiPodGrouper,
        scheduler: KAI,
        profile: Some(("kai-pod-grouper", Gangs::Split)),
    },
    Way {
        backend: Backend::KaiScheduler,
        scheduler: KAI,
        profile: Some((KAI, Gangs::Split)),
    },
    Way {
        backend: Backend::KaiTree,
        scheduler: KAI,
        profile: Some((KAI, Gangs::Tree)),
    },
    Way {
        backend: Backend::Volcano,
        scheduler: "volcano",
        profile: Some(("volcano", Gangs::Split)),
    },
];

impl Way {
    fn told(&self) -> Option<(&'static str, &'static str, Gangs)> {
        self.profile
            .map(|(backend, gangs)| (self.scheduler, backend, gangs))
    }

    fn is_tree(&self) -> bool {
        self.backend.without_tree() != self.backend
    }
}

/// A clique with two required pods, and a group of three replicas, two of them required.
fn service() -> Value {
    let service = set("svc")
        .clique("a", |c| c.replicas(2).min(2))
        .clique("lead", |c| c)
        .clique("work", |c| c.replicas(2).min(2))
        .group("g", ["lead", "work"], |g| g.replicas(3).min(2));
    manifest(service)
}

/// The set names the scheduler and gets another template.
fn edit(set: &mut Value, way: &Way, version: &str) {
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!(way.scheduler);
        clique["annotations"] = json!({VERSION: version});
    }
}

/// The set runs with the one way, and its operator is then replaced by one with the other.
fn switch(from: &Way, to: &Way, mutant: Option<Mutant>) -> Result<(), String> {
    in_paused_time(async {
        let mut begin = Begin::empty().with_scheduler(from.told());
        if [from, to].iter().any(|way| way.is_tree()) {
            begin.checker.has_trees();
        }
        let mut before = Ring::start(begin);
        before.start_operator();
        let mut service = service();
        edit(&mut service, from, "1");
        let server = &before.wire.server;
        server.with_store(|store| create(store, &service));
        before.come_to_rest(LIMIT).await?;
        before.wire.server.with_store(|store| all_run(store, "1"))?;
        let begin = before.present().with_scheduler(to.told());
        drop(before);
        let length = begin.store.log.len();
        let mut ring = Ring::start(begin);
        ring.wire.be(mutant);
        ring.start_operator();
        ring.come_to_rest(LIMIT).await?;
        let id = Id::new(Resource::PodCliqueSet, "svc");
        let update = |set: &mut Value| edit(set, to, "2");
        let server = &ring.wire.server;
        server.with_store(|store| store.edit("user", &id, update));
        let rest = ring.come_to_rest(LIMIT).await;
        let judge = |store: &mut Store| lost(store, length).and_then(|()| all_run(store, "2"));
        let wrong = rest.and_then(|()| ring.wire.server.with_store(judge));
        let (from, to) = (from.backend, to.backend);
        wrong.map_err(|wrong| format!("{}\n{from:?} -> {to:?}: {wrong}", ring.story(LINES)))
    })
}

/// All pods of the set are Ready and of this template.
fn all_run(store: &Store, version: &str) -> Result<(), String> {
    let is_right = |pod: &Value| view::is_ready(pod) && view::annotation(pod, VERSION) == version;
    let pods = store.all(Resource::Pod);
    match pods.filter(|(_, pod)| is_right(pod)).count() {
        PODS => Ok(()),
        pods => Err(format!("{pods} of {PODS} pods run with template {version}")),
    }
}

fn has_node(pod: &Value) -> bool {
    view::is_live(pod) && !view::text(pod, "/spec/nodeName").is_empty()
}

/// Each slot that lost a pod with a node has another one in time.
fn lost(store: &Store, begin: usize) -> Result<(), String> {
    let mut gone: BTreeMap<String, Timestamp> = BTreeMap::new();
    let pods = store.log.iter().skip(begin);
    for record in pods.filter(|r| r.id.resource == Resource::Pod) {
        let slot = slot(&record.last);
        if had_node(record) && !has_it(record) {
            gone.insert(slot, record.time);
        } else if has_it(record)
            && let Some(since) = gone.remove(&slot)
        {
            check(&slot, since, record.time)?;
        }
    }
    let mut gone = gone.iter();
    gone.try_for_each(|(slot, since)| check(slot, *since, store.now))
}

fn had_node(record: &Record) -> bool {
    record.before.as_ref().is_some_and(|pod| has_node(pod))
}

fn has_it(record: &Record) -> bool {
    record.after.as_ref().is_some_and(|pod| has_node(pod))
}

fn check(slot: &str, since: Timestamp, until: Timestamp) -> Result<(), String> {
    let time = until.duration_since(since);
    if time <= REPLACEMENT {
        return Ok(());
    }
    Err(format!("{slot} lost its pod and had no node for {time:#}"))
}

/// Each switch from one way to another.
fn switches() -> impl Iterator<Item = (&'static Way, &'static Way)> {
    let all = |from: &'static Way| WAYS.iter().map(move |to| (from, to));
    let all = WAYS.iter().flat_map(all);
    all.filter(|(from, to)| from.backend != to.backend)
}

#[test]
fn no_switch_costs_a_set_its_next_update() {
    let wrong: Vec<String> = switches()
        .filter_map(|(from, to)| switch(from, to, None).err())
        .collect();
    let lines = wrong.iter().filter_map(|wrong| wrong.lines().last());
    let lines: Vec<&str> = lines.collect();
    assert!(wrong.is_empty(), "{}\n{lines:#?}", wrong[0]);
    assert_eq!(switches().count(), 42);
}

/// The state before decision 135: each pod is marked by the present configuration.
#[test]
fn marks_of_the_moment_cost_a_set_its_next_update() {
    let is_lost = |(from, to): &(&Way, &Way)| {
        let wrong = switch(from, to, Some(Mutant::MarksOfTheMoment(to.backend))).err();
        wrong.is_some_and(|wrong| wrong.contains("had no node"))
    };
    let lost = switches().filter(is_lost);
    let lost: Vec<_> = lost.map(|(from, to)| (from.backend, to.backend)).collect();
    eprintln!(
        "MarksOfTheMoment found by {} switches: {lost:?}",
        lost.len()
    );
    for seen in [
        (Backend::DefaultScheduler, Backend::KaiScheduler),
        (Backend::DefaultScheduler, Backend::Volcano),
        (Backend::KaiScheduler, Backend::KaiTree),
        (Backend::KaiTree, Backend::KaiScheduler),
    ] {
        assert!(lost.contains(&seen), "{seen:?}");
    }
}
