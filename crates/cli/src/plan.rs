//! `plan`: the objects that a file will create, or the changes that applying it would make in the
//! cluster.
//!
//! ```text
//! file ─▶ admission ─▶ world: the operator's own rules, offline ─▶ outline · changes ─▶ draw
//!                        ▲
//!                        └── the objects of the cluster, with --live
//! ```
//!
//! The operator's own rules compute the plan.

mod admission_result;
mod apply;
mod args;
mod changes;
mod checks;
mod claim_templates;
mod config;
mod draw;
mod objects;
mod offline;
mod outline;
mod surge;
mod surroundings;
mod world;

use std::path::Path;

use admission::FieldError;
use jiff::Timestamp;
use kube::config::Kubeconfig;
use serde::Serialize;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::format::Format;
use crate::json;
use crate::manifest::read_manifest;
use crate::output;
use crate::tree::now;

pub use args::PlanArgs;
pub use changes::{
    Action, Change, Difference, PlannedShare, PlannedStep, PlannedUpdate, PlannedUpdateStep,
    StoredWorkload, find_differences, plan_change,
};
pub use checks::{PlannedAnswer, PlannedAnswers, PlannedCheck};
pub(crate) use config::read_operator;
pub use config::read_rules;
pub(crate) use draw::draw_difference;
pub use draw::draw_plan;
pub use offline::plan_new;
pub use outline::{Outline, PackedScope};
pub use surge::{PlannedSurge, judge_surge};
pub use surroundings::Surroundings;
pub use world::Rules;

/// The plan for the sets of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// One for each set.
    pub sets: Vec<Planned>,
}

/// The plan for one set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Planned {
    /// A refused set: the API server would not store it.
    Refused(Refusal),
    /// The new objects.
    New(Box<Outline>),
    /// The changes in the cluster.
    Changed(Box<Change>),
}

impl Planned {
    fn refuse(file: &Value, namespace: &str, errors: Vec<FieldError>) -> Result<Self, Failure> {
        Ok(Self::Refused(Refusal {
            name: admission_result::name_of(file)?.to_owned(),
            namespace: namespace.to_owned(),
            refused: errors,
        }))
    }
}

/// A refused set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// Name of the set.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The errors.
    pub refused: Vec<FieldError>,
}

/// Runs the command.
pub async fn run(args: &PlanArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let rules = config::read_rules(args)?;
    let objects = read_manifest(&args.file)?;
    let sets = find_sets(&args.file, &objects)?;
    let around = Surroundings::of_file(&objects)?;
    let plan = if args.live {
        plan_live(&sets, connection, &rules, &around, now()).await?
    } else {
        plan_offline(&sets, connection, &rules, &around, now())?
    };
    let is_wide = args.output == Format::Wide;
    output::print_value(&plan, args.output, |plan| draw_plan(plan, is_wide))?;
    Ok(plan.exit())
}

impl Plan {
    /// Refused sets and differences give exit code 1.
    fn exit(&self) -> Exit {
        let is_finding = |set: &Planned| match set {
            Planned::Refused(_) => true,
            Planned::New(_) => false,
            Planned::Changed(change) => change.is_changed,
        };
        if self.sets.iter().any(is_finding) {
            Exit::Finding
        } else {
            Exit::Ok
        }
    }
}

/// The changes that applying these sets makes in the cluster.
async fn plan_live(
    sets: &[&Value],
    connection: &ConnectionArgs,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Plan, Failure> {
    let mut cluster = Cluster::connect(connection).await?;
    let (default, asked) = (cluster.namespace.clone(), connection.namespace.as_deref());
    let mut planned = Vec::new();
    for set in sets {
        cluster.namespace = choose_namespace(set, &default, asked)?;
        planned.push(plan_live_set(set, &cluster, rules, around, now).await?);
    }
    Ok(Plan { sets: planned })
}

/// The changes of one set. The plan tells which pods the operator would ask the API server about;
/// the answers decide whether its update begins.
async fn plan_live_set(
    set: &Value,
    cluster: &Cluster,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Planned, Failure> {
    let name = admission_result::name_of(set)?;
    let mut found = changes::read_found(cluster, name, rules).await?;
    let around = &around
        .clone()
        .in_cluster_of(set, found.as_ref(), cluster)
        .await;
    let namespace = &cluster.namespace;
    let mut planned = plan_change(set, namespace, found.as_ref(), rules, around, now)?;
    if let (Some(found), Planned::Changed(change)) = (&mut found, &planned)
        && !change.checks.is_empty()
    {
        found.answers = checks::ask_all(cluster, &change.checks).await?;
        planned = plan_change(set, namespace, Some(found), rules, around, now)?;
    }
    if let Planned::Changed(change) = &mut planned {
        change.surge = surge::plan_surge(cluster, change).await?;
    }
    Ok(planned)
}

/// The new objects of these sets.
fn plan_offline(
    sets: &[&Value],
    connection: &ConnectionArgs,
    rules: &Rules,
    around: &Surroundings,
    now: Timestamp,
) -> Result<Plan, Failure> {
    let (default, asked) = (namespace_of(connection), connection.namespace.as_deref());
    let sets = sets
        .iter()
        .map(|set| {
            let namespace = choose_namespace(set, &default, asked)?;
            plan_new(set, &namespace, rules, around, now)
        })
        .collect::<Result<_, _>>()?;
    Ok(Plan { sets })
}

fn find_sets<'a>(file: &Path, objects: &'a [Value]) -> Result<Vec<&'a Value>, Failure> {
    let mut sets = Vec::new();
    for object in objects {
        if admission_result::is_set(object)? {
            sets.push(object);
        }
    }
    if sets.is_empty() {
        return Err(Failure::BadInput(format!(
            "no PodCliqueSet in {}; name a file that has one",
            file.display()
        )));
    }
    Ok(sets)
}

/// As in kubectl: two different namespaces are an error.
fn choose_namespace(set: &Value, namespace: &str, asked: Option<&str>) -> Result<String, Failure> {
    let named = json::meta(set, "namespace");
    if named.is_empty() {
        return Ok(namespace.to_owned());
    }
    match asked.filter(|asked| *asked != named) {
        None => Ok(named.to_owned()),
        Some(asked) => Err(Failure::BadInput(format!(
            "podcliqueset {} has namespace {named}; omit --namespace {asked}",
            admission_result::name_of(set)?
        ))),
    }
}

/// The namespace of the command line, or else of the kubeconfig's context.
pub(crate) fn namespace_of(connection: &ConnectionArgs) -> String {
    let of_context = || {
        let read = match connection.kubeconfig.as_deref() {
            Some(file) => Kubeconfig::read_from(file).ok()?,
            None => Kubeconfig::read().ok()?,
        };
        let current = connection.context.clone().or(read.current_context)?;
        let context = read
            .contexts
            .into_iter()
            .find(|context| context.name == current)?;
        context.context?.namespace
    };
    let namespace = connection.namespace.clone().or_else(of_context);
    namespace.unwrap_or_else(|| "default".to_owned())
}
