//! The totals of a set with its live replica counts: users and autoscalers scale groups and cliques
//! alone.

use std::collections::HashMap;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels, names};
use domain::object::ownership;
use domain::workload::limits::{MAX_GANG_PODS, MAX_PODCLIQUES, MAX_PODS, MAX_TEMPLATE_BYTES};

use super::shape::{Amount, Group, Shape};
use super::single::{self, length};
use crate::clique_paths::template;
use crate::error_limit::bound_errors;
use crate::field::{FieldError, Path};

/// The limit that the set exceeds with these groups and PodCliques; each is read once. Objects that
/// will be scaled in do not count.
pub fn of_live<'a>(
    set: &PodCliqueSet,
    groups: impl Iterator<Item = &'a PodCliqueScalingGroup>,
    podcliques: impl Iterator<Item = &'a PodClique>,
) -> Vec<FieldError> {
    let mut tally = Tally::of(set);
    groups.for_each(|group| tally.add_group(group));
    podcliques.for_each(|podclique| tally.add_podclique(podclique));
    bound_errors(tally.errors())
}

/// The limit that a set exceeds by itself when one replica of it has all of its surge.
pub(super) fn of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    Tally::with_surge(set).errors()
}

/// All that makes a set too large by itself, the second reason behind the first one too.
pub(super) fn all_of_sent(set: &PodCliqueSet) -> Vec<FieldError> {
    let tally = Tally::with_surge(set);
    tally.totals().chain(tally.of_gangs()).collect()
}

/// The count of a child that differs most from its template: the one to be named.
struct Farthest {
    kind: &'static str,
    name: String,
    replicas: i32,
    by: i128,
}

struct Tally<'a> {
    set: &'a PodCliqueSet,
    shape: Shape<'a>,
    total: Amount,
    /// Surge pods of the base gang.
    surge_in_base: i128,
    /// Whether the totals include surge.
    has_surge: bool,
    /// Live replicas of the groups that exist, by name.
    live: HashMap<String, i128>,
    /// How many pods a gang has more than by the template.
    gangs: HashMap<String, i128>,
    /// Pods of scaled gangs by the template, where they have more.
    scaled: HashMap<String, i128>,
    farthest: Option<Farthest>,
    errors: Vec<FieldError>,
}

impl<'a> Tally<'a> {
    fn of(set: &'a PodCliqueSet) -> Self {
        let shape = Shape::of(set);
        let total = shape.each().times(i128::from(set.spec.replicas.max(0)));
        Self {
            set,
            shape,
            total,
            surge_in_base: 0,
            has_surge: false,
            live: HashMap::new(),
            gangs: HashMap::new(),
            scaled: HashMap::new(),
            farthest: None,
            errors: Vec::new(),
        }
    }

    /// Only the replica that has the turn in an update has surge.
    fn with_surge(set: &'a PodCliqueSet) -> Self {
        let tally = Self::of(set);
        let surge = tally.shape.surge;
        Self {
            total: tally.total.plus(surge.all),
            surge_in_base: surge.in_base,
            has_surge: surge.all.pods > 0,
            ..tally
        }
    }

    fn name(&self) -> &'a str {
        ownership::name(&self.set.metadata)
    }

    /// The replica and the rest of a child's name, if the replica is wanted.
    fn place<'n>(&self, name: &'n str) -> Option<(i32, &'n str)> {
        let place = names::parts_of_standalone_clique(self.name(), name);
        place.filter(|(i, _)| *i < self.set.spec.replicas)
    }

    fn add_group(&mut self, group: &PodCliqueScalingGroup) {
        let name = ownership::name(&group.metadata);
        let Some((i, config)) = self.place(name) else {
            return;
        };
        let Some(known) = self.shape.groups.get(config) else {
            return;
        };
        let live = i128::from(group.spec.replicas.max(0));
        let more = live - known.replicas;
        let strangers = length(&group.spec.clique_names) - length_of(known);
        let base = known.in_base(live) - known.in_base(known.replicas);
        let in_base = known.each.times(base).pods;
        self.total = self.total.plus(known.each.times(more));
        // Names that were added to the list of a group count until they are removed again.
        self.total.podcliques += strangers.max(0).saturating_mul(live);
        *self
            .gangs
            .entry(names::base_gang(self.name(), i))
            .or_default() += in_base;
        self.live.insert(name.to_owned(), live);
        self.errors.extend(single::of_group(group));
        self.is_farther("PodCliqueScalingGroup", name, group.spec.replicas, more);
    }

    fn add_podclique(&mut self, podclique: &PodClique) {
        let name = ownership::name(&podclique.metadata);
        let Some((i, clique)) = self.place(name) else {
            return;
        };
        let base = names::base_gang(self.name(), i);
        let known = match group_of(podclique) {
            Some(group) => self.member(group, name, base),
            None => self.shape.standalone.get(clique).map(|pods| (*pods, base)),
        };
        let Some((pods, gang)) = known else { return };
        let live = podclique.spec.replicas;
        let more = i128::from(live.max(0)) - pods;
        self.errors.extend(single::of_podclique(podclique));
        if more != 0 {
            self.total.pods += more;
            *self.gangs.entry(gang).or_default() += more;
            self.is_farther("PodClique", name, live, more);
        }
    }

    /// Pods by the template of a grouped PodClique, and its gang.
    fn member(&mut self, group: &str, name: &str, base: String) -> Option<(i128, String)> {
        let (j, clique) = names::parts_of_grouped_clique(group, name)?;
        let (_, config) = self.place(group)?;
        let known: &Group<'_> = self.shape.groups.get(config)?;
        let live = self.live.get(group).copied().unwrap_or(known.replicas);
        let pods = *known.members.get(clique)?;
        if i128::from(j) >= live {
            return None;
        }
        if i128::from(j) < known.minimum {
            return Some((pods, base));
        }
        let minimum = i32::try_from(known.minimum).unwrap_or(i32::MAX);
        let gang = names::scaled_gang(group, j, minimum);
        self.scaled.insert(gang.clone(), known.each.pods);
        Some((pods, gang))
    }

    fn is_farther(&mut self, kind: &'static str, name: &str, replicas: i32, by: i128) {
        if by > self.farthest.as_ref().map_or(0, |f| f.by) {
            self.farthest = Some(Farthest {
                kind,
                name: name.to_owned(),
                replicas,
                by,
            });
        }
    }

    fn errors(mut self) -> Vec<FieldError> {
        if self.errors.is_empty() {
            let first = self.totals().next();
            self.errors.extend(first);
        }
        if self.errors.is_empty() {
            self.errors.extend(self.of_gangs());
        }
        self.errors
    }

    fn totals(&self) -> impl Iterator<Item = FieldError> {
        let Amount {
            podcliques,
            pods,
            bytes,
        } = self.total;
        let limits = [
            (podcliques, MAX_PODCLIQUES, "PodCliques"),
            (pods, MAX_PODS, "pods"),
            (
                bytes,
                MAX_TEMPLATE_BYTES,
                "bytes of pod templates, one for each PodClique, and of autoscalers",
            ),
        ];
        limits
            .into_iter()
            .filter(|(is, most, _)| is > most)
            .map(|(is, most, what)| {
                let surge = if self.has_surge {
                    ", with the surge of one replica"
                } else {
                    ""
                };
                let problem = format!("the set has {is} {what}{surge}, at most {most} are allowed");
                self.error(problem).counting(what, is)
            })
    }

    fn error(&self, problem: String) -> FieldError {
        match &self.farthest {
            Some(f) => single::object(f.kind, &f.name).wrong(f.replicas, problem, "scale it down"),
            None if self.has_surge => self.too_large(
                problem,
                "lower maxSurge or replicas of its groups or its cliques, lower replicas of the \
                 set, or split the workload into several sets",
            ),
            None => self.too_large(
                problem,
                "lower replicas of the set, its groups or its cliques, or split the workload into \
                 several sets",
            ),
        }
    }

    fn too_large(&self, problem: String, remedy: &str) -> FieldError {
        let at = Path::new("spec").field("replicas");
        at.wrong(self.set.spec.replicas, problem, remedy)
    }

    fn of_gangs(&self) -> Option<FieldError> {
        let base = self.shape.base_pods() + self.surge_in_base;
        let largest = self
            .shape
            .groups
            .values()
            .filter(|g| g.replicas > g.minimum)
            .map(|g| g.each.pods)
            .fold(base, i128::max);
        let describe = |gang: &str, pods| {
            format!("{gang} has {pods} pods, and a PodGang lists at most {MAX_GANG_PODS}")
        };
        if largest > MAX_GANG_PODS {
            let remedy = "lower replicas of the cliques, or minAvailable of the groups";
            let at = template().field("cliques");
            let count = self.set.spec.template.cliques.len();
            let error = at.wrong(count, describe("one gang", largest), remedy);
            return Some(error.counting("pods of a gang", largest));
        }
        let pods = |gang: &String, more: &i128| self.scaled.get(gang).unwrap_or(&base) + more;
        let (pods, gang) = self
            .gangs
            .iter()
            .map(|(gang, more)| (pods(gang, more), gang))
            .max()
            .filter(|(pods, _)| *pods > MAX_GANG_PODS)?;
        Some(self.error(describe(gang, pods)))
    }
}

fn length_of(group: &Group<'_>) -> i128 {
    i128::try_from(group.members.len()).unwrap_or(i128::MAX)
}

/// Name of the scaling group that the PodClique is of.
fn group_of(podclique: &PodClique) -> Option<&str> {
    let owner = ownership::controller(&podclique.metadata);
    let group = owner.filter(|o| o.kind == "PodCliqueScalingGroup");
    let label = ownership::label(&podclique.metadata, labels::SCALING_GROUP);
    group.map(|o| o.name.as_str()).or(label)
}
