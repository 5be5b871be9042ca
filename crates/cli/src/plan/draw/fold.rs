//! Equal replicas, of which only the first is drawn.

use std::collections::{BTreeMap, BTreeSet};

use api::labels::env;
use serde::Serialize;
use serde_json::Value;

use crate::output::{self, count};
use crate::plan::outline::{CliquePods, Gang, Outline};

/// Fewer equal replicas in a row are all drawn.
const LEAST: usize = 4;
/// Variables with an index, which the name of the PodClique has, too.
const INDICES: [&str; 2] = [env::PCS_INDEX, env::PCSG_INDEX];

/// The outline without the replicas that equal one before them, and a line for each run of those.
pub(super) fn fold_replicas(outline: &Outline) -> (Outline, String) {
    let mut shown = outline.clone();
    let mut lines = Replicas::of_set(&shown).fold(&mut shown);
    let groups: Vec<String> = shown
        .groups
        .iter()
        .map(|group| group.name.clone())
        .collect();
    for group in groups {
        lines.push_str(&Replicas::of_group(&shown, &group).fold(&mut shown));
    }
    (shown, lines)
}

/// The replicas of a set or of a scaling group.
struct Replicas {
    /// The name before their indices.
    owner: String,
    /// Their name in a line, before the indices.
    title: String,
    /// The index of the replica of each of their PodCliques.
    podcliques: BTreeMap<String, usize>,
}

impl Replicas {
    fn of_set(outline: &Outline) -> Self {
        let indexed = outline.podcliques.iter().filter_map(|podclique| {
            let index = usize::try_from(podclique.replica).ok()?;
            Some((podclique.name.clone(), index))
        });
        Self {
            owner: outline.name.clone(),
            title: "replicas".to_owned(),
            podcliques: indexed.collect(),
        }
    }

    fn of_group(outline: &Outline, group: &str) -> Self {
        let own = outline.podcliques.iter();
        let own = own.filter(|podclique| podclique.group.as_deref() == Some(group));
        let indexed = own.filter_map(|podclique| {
            let (index, _) = split_index(group, &podclique.name)?;
            Some((podclique.name.clone(), index))
        });
        Self {
            owner: group.to_owned(),
            title: format!("{group} replicas"),
            podcliques: indexed.collect(),
        }
    }

    /// Takes the equal replicas out of the outline, and describes them.
    fn fold(&self, outline: &mut Outline) -> String {
        let shapes: Vec<(usize, Vec<Value>)> = self.shapes(outline).into_iter().collect();
        let are_equal = |(index, shape): &(usize, Vec<Value>), next: &(usize, Vec<Value>)| {
            index.checked_add(1) == Some(next.0) && *shape == next.1
        };
        let (mut lines, mut hidden) = (String::new(), BTreeSet::new());
        for run in shapes.chunk_by(are_equal) {
            let [first, others @ ..] = run else { continue };
            if run.len() >= LEAST {
                let others: BTreeSet<usize> = others.iter().map(|(index, _)| *index).collect();
                lines.push_str(&self.describe(outline, first.0, &others));
                hidden.extend(others);
            }
        }
        self.hide(outline, &hidden);
        lines
    }

    /// Everything that is drawn of each replica, without its index.
    fn shapes(&self, outline: &Outline) -> BTreeMap<usize, Vec<Value>> {
        let gangs = outline
            .gangs
            .iter()
            .map(|gang| (self.of_gang(gang), shape(gang)));
        let podcliques = outline.podcliques.iter();
        let podcliques = podcliques.map(|own| (self.of_podclique(&own.name), shape(&plain(own))));
        let groups = outline
            .groups
            .iter()
            .map(|own| (self.of_name(&own.name), shape(own)));
        let services = outline
            .services
            .iter()
            .map(|own| (self.of_name(&own.name), shape(own)));
        let scalers = outline.autoscalers.iter();
        let scalers = scalers.map(|own| (self.of_name(&own.name), shape(own)));
        let others = outline.claims.iter().chain(&outline.compute_domains);
        let others = others.map(|name| (self.of_name(name), shape(name)));
        let all = gangs.chain(podcliques).chain(groups).chain(services);
        let mut shapes: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for (index, mut shape) in all.chain(scalers).chain(others) {
            if let Some(index) = index {
                self.drop_index(&mut shape);
                shapes.entry(index).or_default().push(shape);
            }
        }
        shapes
    }

    fn hide(&self, outline: &mut Outline, hidden: &BTreeSet<usize>) {
        let is_shown = |index: Option<usize>| index.is_none_or(|index| !hidden.contains(&index));
        let is_named = |name: &str| is_shown(self.of_name(name));
        outline.gangs.retain(|gang| is_shown(self.of_gang(gang)));
        for gang in &mut outline.gangs {
            let parts = &mut gang.podgroups;
            parts.retain(|part| is_shown(self.of_podclique(&part.podclique)));
        }
        outline
            .podcliques
            .retain(|own| is_shown(self.of_podclique(&own.name)));
        outline.groups.retain(|own| is_named(&own.name));
        outline.services.retain(|own| is_named(&own.name));
        outline.autoscalers.retain(|own| is_named(&own.name));
        outline.claims.retain(|name| is_named(name));
        outline.compute_domains.retain(|name| is_named(name));
    }

    /// `replicas 1-499: as replica 0, here and below: 499 gangs, 499 podcliques, 998 pods`.
    fn describe(&self, outline: &Outline, first: usize, others: &BTreeSet<usize>) -> String {
        let is_other = |index: Option<usize>| index.is_some_and(|index| others.contains(&index));
        let gangs = outline.gangs.iter();
        let gangs = gangs.filter(|gang| is_other(self.of_gang(gang))).count();
        let podcliques = outline.podcliques.iter();
        let podcliques = podcliques.filter(|own| is_other(self.of_podclique(&own.name)));
        let pods: Vec<usize> = podcliques.map(|own| own.hostnames.len()).collect();
        let mut counts = vec![
            count(pods.len(), "podclique"),
            count(pods.iter().sum::<usize>(), "pod"),
        ];
        if gangs > 0 {
            counts.insert(0, count(gangs, "gang"));
        }
        let (from, to) = (
            others.first().unwrap_or(&first),
            others.last().unwrap_or(&first),
        );
        let title = output::bold(&format!("{} {from}-{to}:", self.title));
        let same = format!("as replica {first}, here and below: {}", counts.join(", "));
        output::indent(&format!("{title} "), &same)
    }

    /// Of a scaling group only scaled gangs: a base gang has other pods, too.
    fn of_gang(&self, gang: &Gang) -> Option<usize> {
        self.of_name(&gang.name)?;
        self.of_podclique(&gang.podgroups.first()?.podclique)
    }

    fn of_podclique(&self, name: &str) -> Option<usize> {
        self.podcliques.get(name).copied()
    }

    fn of_name(&self, name: &str) -> Option<usize> {
        split_index(&self.owner, name).map(|(index, _)| index)
    }

    fn drop_index(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some((_, rest)) = split_index(&self.owner, text) {
                    *text = format!("{}-?{rest}", self.owner);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.drop_index(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.drop_index(field)),
            _ => {}
        }
    }
}

fn shape<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

fn plain(podclique: &CliquePods) -> CliquePods {
    let mut plain = podclique.clone();
    plain.replica = 0;
    plain
        .environment
        .retain(|variable| !INDICES.contains(&variable.name.as_str()));
    plain
}

/// The index behind the owner's name, and what follows it: `(3, "-worker")` of `svc-3-worker`.
fn split_index<'a>(owner: &str, name: &'a str) -> Option<(usize, &'a str)> {
    let indexed = name.strip_prefix(owner)?.strip_prefix('-')?;
    let end = indexed.find(|c: char| !c.is_ascii_digit());
    let (index, rest) = indexed.split_at_checked(end.unwrap_or(indexed.len()))?;
    let is_whole = rest.is_empty() || rest.starts_with(['-', '.']);
    let index: usize = index.parse().ok()?;
    is_whole.then_some((index, rest))
}
