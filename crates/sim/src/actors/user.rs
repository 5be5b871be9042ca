//! The user: creates, scales, deletes and recreates one PodCliqueSet.

use std::time::Duration;

use api::kueue::keys;
use serde_json::{Value, json};

use super::cluster::FOREIGN_GATE;
use super::{
    autoscaling, constraints, containers, idle, job, nvlink, queue, sharing, suspend, update,
};
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};
use testkit::builders::set;

/// In this many of a thousand seeds the set is a training job.
const JOBS: usize = 350;

/// In this many of a thousand seeds the cliques have a start order.
const ORDERED: usize = 300;

/// In this many of a thousand seeds another namespace has a set of the same name.
const SHARED: usize = 80;

/// The user's intentions.
#[derive(Clone, Debug)]
pub struct User {
    manifest: Value,
    namespaces: &'static [&'static str],
}

impl User {
    /// A user with a random manifest.
    pub fn new(rng: &mut Rng) -> Self {
        let number = |rng: &mut Rng, low, high| i32::try_from(rng.between(low, high)).unwrap_or(1);
        let mut builder = set("demo").replicas(number(rng, 1, 2));
        if rng.chance(800) {
            let replicas = number(rng, 1, 3);
            let min = number(rng, 1, i64::from(replicas));
            builder = builder.clique("front", |c| c.replicas(replicas).min(min));
        }
        let replicas = number(rng, 1, 2);
        let min = number(rng, 1, i64::from(replicas));
        builder = builder.clique("work", |c| c.replicas(replicas).min(min));
        if rng.chance(600) {
            let replicas = number(rng, 1, 3);
            let min = number(rng, 1, i64::from(replicas));
            builder = builder.group("grp", ["work"], |g| g.replicas(replicas).min(min));
        }
        let mut manifest = json!(builder.build());
        // A separate random source: gang termination changes nothing else about a seed.
        delays(&mut manifest, &mut rng.clone());
        if rng.chance(400) {
            manifest["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["schedulingGates"] =
                json!([{"name": FOREIGN_GATE}]);
        }
        start_order(&mut manifest, &rng.clone());
        let mut own = rng.fork();
        if own.chance(JOBS) {
            job::write(&mut manifest, &mut own);
        } else {
            autoscaling::write_some(&mut manifest, &mut own);
        }
        containers::write_some(&mut manifest, &own);
        update::write_some(&mut manifest, &mut own.clone());
        manifest["metadata"] = json!({"name": "demo", "labels": {"team": "blue"}});
        manifest["apiVersion"] = json!(Resource::PodCliqueSet.api_version());
        manifest["kind"] = json!("PodCliqueSet");
        // In some seeds another namespace has a set of the same name, too.
        let namespaces = if rng.clone().fork().chance(SHARED) {
            &["default", "other"][..]
        } else {
            &["default"]
        };
        Self {
            manifest,
            namespaces,
        }
    }

    /// A user whose set stays undisturbed: nothing of it is terminated, scaled or updated.
    pub fn of_quiet_set(rng: &mut Rng) -> Self {
        let number = |rng: &mut Rng, low, high| i32::try_from(rng.between(low, high)).unwrap_or(1);
        let mut builder = set("demo").replicas(number(rng, 1, 2));
        if rng.chance(800) {
            let replicas = number(rng, 1, 2);
            builder = builder.clique("front", |c| c.replicas(replicas).min(1));
        }
        builder = builder.clique("work", |c| c.replicas(1).min(1));
        if rng.chance(600) {
            let replicas = number(rng, 1, 2);
            builder = builder.group("grp", ["work"], |g| g.replicas(replicas).min(1));
        }
        let mut manifest = json!(builder.build());
        manifest["metadata"] = json!({"name": "demo"});
        manifest["apiVersion"] = json!(Resource::PodCliqueSet.api_version());
        manifest["kind"] = json!("PodCliqueSet");
        Self {
            manifest,
            namespaces: &["default"],
        }
    }

    /// The same user, whose set has topology constraints.
    #[must_use]
    pub fn with_constraints(mut self, rng: &mut Rng) -> Self {
        constraints::write(&mut self.manifest, rng);
        self
    }

    /// The same user, whose pods share resource claims.
    #[must_use]
    pub fn with_sharing(mut self, rng: &mut Rng) -> Self {
        sharing::write(&mut self.manifest, rng);
        self
    }

    /// The same user, whose pods share NVLink over nodes.
    #[must_use]
    pub fn with_nvlink(mut self, rng: &mut Rng) -> Self {
        nvlink::write(&mut self.manifest, rng);
        self
    }

    /// The same user, whose set names a queue of Kueue.
    #[must_use]
    pub fn in_queue(mut self) -> Self {
        self.manifest["metadata"]["labels"][keys::QUEUE] = json!("team-a");
        self
    }

    /// Whether it is a training job.
    pub fn has_job(&self) -> bool {
        view::is_job(&self.manifest)
    }

    /// How long a gang may be breached before it is terminated, if it ever is.
    pub fn termination_delay(&self) -> Option<Duration> {
        let delay = view::duration(&self.manifest, "/spec/template/terminationDelay")?;
        Duration::try_from(delay).ok().filter(|_| !self.has_job())
    }

    /// `kubectl apply` in each namespace: creates the set unless it is there.
    pub fn create(&self, store: &mut Store) {
        for namespace in self.namespaces {
            let path = Resource::PodCliqueSet.path(namespace);
            store.handle("user", &Call::new("POST", &path, self.manifest.clone()));
        }
    }

    /// One of the sets.
    fn set(&self, rng: &mut Rng) -> Id {
        let namespace = match self.namespaces {
            [only] => Some(only),
            several => rng.pick(several),
        };
        let mut set = Id::new(Resource::PodCliqueSet, "demo");
        if let Some(namespace) = namespace {
            (*namespace).clone_into(&mut set.namespace);
        }
        set
    }
}

/// Gang termination is enabled half the time, sometimes with another delay for a group.
fn delays(manifest: &mut Value, rng: &mut Rng) {
    const DELAYS: [&str; 4] = ["1s", "7s", "23s", "90s"];
    let template = &mut manifest["spec"]["template"];
    if let Some(delay) = rng.pick(&DELAYS).filter(|_| rng.chance(500)) {
        template["terminationDelay"] = json!(delay);
        let group = template.pointer_mut("/podCliqueScalingGroups/0");
        let own = rng.pick(&DELAYS).filter(|_| rng.chance(300));
        if let (Some(group), Some(own)) = (group, own) {
            group["terminationDelay"] = json!(own);
        }
    }
}

/// Some sets have a start order, and one more clique for it: beside `work`, in its group.
fn start_order(manifest: &mut Value, rng: &Rng) {
    /// A separate random source, so that nothing else about a seed changes.
    const APART: u64 = 0x0A5C_11DE;
    let mut dice = Rng::new(rng.clone().number() ^ APART);
    if !dice.chance(ORDERED) {
        return;
    }
    let template = &mut manifest["spec"]["template"];
    if dice.chance(600) {
        let lead = testkit::builders::set("demo").clique("lead", |c| c).build();
        let lead = json!(lead.spec.template.cliques[0]);
        if let Some(cliques) = template["cliques"].as_array_mut() {
            cliques.insert(cliques.len().saturating_sub(1), lead);
        }
        if let Some(Value::Array(members)) =
            template.pointer_mut("/podCliqueScalingGroups/0/cliqueNames")
        {
            members.insert(0, json!("lead"));
        }
    }
    let is_explicit = dice.chance(500);
    let type_ = if is_explicit { "Explicit" } else { "InOrder" };
    template["cliqueStartupType"] = json!(format!("CliqueStartupType{type_}"));
    if let Some(cliques) = template["cliques"].as_array_mut().filter(|_| is_explicit) {
        after_later_ones(cliques, &mut dice);
    }
}

/// Each clique gets dependencies among the cliques behind it in the list.
fn after_later_ones(cliques: &mut [Value], dice: &mut Rng) {
    let names: Vec<Value> = cliques.iter().map(|c| c["name"].clone()).collect();
    for (at, clique) in cliques.iter_mut().enumerate() {
        let some: Vec<&Value> = names
            .iter()
            .skip(at + 1)
            .filter(|_| dice.chance(700))
            .collect();
        clique["spec"]["startsAfter"] = json!(some);
    }
}

/// One move of the user.
pub fn act(user: &User, store: &mut Store, rng: &mut Rng) {
    if user.has_job() {
        return act_on_job(user, store, rng);
    }
    match rng.below(20) {
        11 | 12 => {
            let set = user.set(rng);
            update::edit_template(store, rng, &set);
        }
        13 => {
            let set = user.set(rng);
            update::switch_strategy(store, rng, &set);
        }
        0 => store.remove("user", &user.set(rng)),
        1 | 2 => user.create(store),
        15 => {
            let set = user.set(rng);
            store.edit("user", &set, |set| autoscaling::change_one(set, rng));
        }
        3 | 4 => scale(store, rng, Resource::PodCliqueSet, 0, 3),
        5..=7 | 14 | 16 | 17 => scale(store, rng, Resource::PodCliqueScalingGroup, 0, 4),
        8 => orphan(store, rng),
        18 | 19 => idle::toggle_idle(store, rng),
        _ => scale(store, rng, Resource::PodClique, 0, 4),
    }
}

/// One move of a user who suspends and resumes, beside those of [`act`].
pub fn act_with_suspensions(user: &User, store: &mut Store, rng: &mut Rng) {
    let set = user.set(rng);
    match rng.below(20) {
        0 => user.create(store),
        1 => job::delete_one(store, rng, Resource::Pod),
        2 | 3 if user.has_job() => suspend::keep(store, rng, &set),
        2 | 3 => scale(store, rng, Resource::PodCliqueScalingGroup, 0, 4),
        4 if !user.has_job() => scale(store, rng, Resource::PodClique, 0, 4),
        _ => suspend::toggle(store, &set),
    }
}

/// One move of a user whose set is in a queue, or of somebody who needs its quota, beside those of [`act`].
pub fn act_in_queue(user: &User, store: &mut Store, rng: &mut Rng) {
    let set = user.set(rng);
    match rng.below(20) {
        0 => user.create(store),
        1 => suspend::toggle(store, &set),
        2 | 3 => queue::toggle_active(store, rng),
        4 => job::delete_one(store, rng, Resource::KueueWorkload),
        5..=9 if user.has_job() => job::delete_one(store, rng, Resource::Pod),
        5 => update::edit_template(store, rng, &set),
        6 | 7 => scale(store, rng, Resource::PodCliqueScalingGroup, 0, 4),
        8 | 9 => scale(store, rng, Resource::PodClique, 0, 4),
        _ => {
            queue::preempt_workload(store, rng);
        }
    }
}

/// The same for a job, which is neither scaled nor edited, as both are refused.
fn act_on_job(user: &User, store: &mut Store, rng: &mut Rng) {
    match rng.below(13) {
        0 => store.remove("user", &user.set(rng)),
        1 => user.create(store),
        2..=4 => {
            let set = user.set(rng);
            job::change_limits(store, rng, &set);
        }
        5 => job::delete_one(store, rng, Resource::PodClique),
        6..=9 => job::delete_one(store, rng, Resource::Pod),
        10 => scale(store, rng, Resource::PodCliqueSet, 0, 3),
        11 => orphan(store, rng),
        _ => scale(store, rng, Resource::PodClique, 1, 4),
    }
}

/// `kubectl delete --cascade=orphan` of a set, a scaling group or a PodClique.
fn orphan(store: &mut Store, rng: &mut Rng) {
    const KINDS: [Resource; 3] = [
        Resource::PodCliqueSet,
        Resource::PodCliqueScalingGroup,
        Resource::PodClique,
    ];
    let Some(kind) = rng.pick(&KINDS) else { return };
    let ids: Vec<Id> = store.all(*kind).map(|(id, _)| id.clone()).collect();
    let Some(id) = rng.pick(&ids) else { return };
    delete_alone(store, id);
}

/// `kubectl delete --cascade=orphan` of this object.
pub fn delete_alone(store: &mut Store, id: &Id) {
    let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
    let options = json!({"propagationPolicy": "Orphan"});
    store.handle("user", &Call::new("DELETE", &path, options));
}

fn scale(store: &mut Store, rng: &mut Rng, resource: Resource, low: i64, high: i64) {
    // Cliques of a scaling group are scaled by their group only.
    let is_scaled = |o: &Value| view::owner(o).is_none_or(|(kind, ..)| kind == "PodCliqueSet");
    let ids: Vec<Id> = store
        .all(resource)
        .filter(|(_, o)| is_scaled(o))
        .map(|(id, _)| id.clone())
        .collect();
    let Some(id) = rng.pick(&ids) else { return };
    let path = format!("{}/{}/scale", resource.path(&id.namespace), id.name);
    let body = json!({"spec": {"replicas": rng.between(low, high)}});
    store.handle("user", &Call::merge(&path, body));
}
