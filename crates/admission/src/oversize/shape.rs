//! The totals of one replica of a set, by its template.

use std::collections::{HashMap, HashSet};

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;
use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec, RollingUpdate};
use domain::object::size::bytes;
use domain::workload::gang;

/// A total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) podcliques: i128,
    pub(super) pods: i128,
    /// Bytes of pod templates, one for each PodClique, and of autoscalers.
    pub(super) bytes: i128,
}

impl Amount {
    fn of(clique: &PodCliqueTemplateSpec) -> Self {
        Self {
            podcliques: 1,
            pods: i128::from(clique.spec.replicas.max(0)),
            bytes: bytes(clique),
        }
    }

    /// An autoscaler, if there is one.
    fn of_autoscaler(config: Option<&AutoScalingConfig>) -> Self {
        Self {
            bytes: config.map_or(0, bytes),
            ..Self::default()
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            podcliques: self.podcliques.saturating_add(other.podcliques),
            pods: self.pods.saturating_add(other.pods),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(super) fn times(self, count: i128) -> Self {
        Self {
            podcliques: self.podcliques.saturating_mul(count),
            pods: self.pods.saturating_mul(count),
            bytes: self.bytes.saturating_mul(count),
        }
    }
}

/// One replica of a set.
pub(super) struct Shape<'a> {
    /// Pods of each standalone clique.
    pub(super) standalone: HashMap<&'a str, i128>,
    pub(super) groups: HashMap<&'a str, Group<'a>>,
    /// Its surge during an update.
    pub(super) surge: Surge,
    alone: Amount,
}

/// The surge of one replica.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surge {
    pub(super) all: Amount,
    /// Pods of standalone cliques: these are in the base gang.
    pub(super) in_base: i128,
}

impl Surge {
    fn of(template: &PodCliqueSetTemplateSpec, groups: &HashMap<&str, Group<'_>>) -> Self {
        let of_groups = template.scaling_groups.iter().filter_map(|config| {
            let group = groups.get(config.name.as_str())?;
            Some(group.each.times(max_surge(config.rolling_update.as_ref())))
        });
        let cliques = template.cliques.iter();
        let in_base = cliques
            .map(|clique| max_surge(clique.rolling_update.as_ref()))
            .sum();
        let pods = Amount {
            pods: in_base,
            ..Amount::default()
        };
        Self {
            all: of_groups.fold(pods, Amount::plus),
            in_base,
        }
    }
}

fn max_surge(rolling: Option<&RollingUpdate>) -> i128 {
    let given = rolling.and_then(|rolling| rolling.max_surge).unwrap_or(0);
    i128::from(given.max(0))
}

/// A scaling group of the template.
pub(super) struct Group<'a> {
    pub(super) replicas: i128,
    pub(super) minimum: i128,
    /// Pods of each member.
    pub(super) members: HashMap<&'a str, i128>,
    /// One group replica.
    pub(super) each: Amount,
}

impl Group<'_> {
    /// How many group replicas are in the base gang.
    pub(super) fn in_base(&self, live: i128) -> i128 {
        self.minimum.min(live)
    }
}

impl<'a> Shape<'a> {
    pub(super) fn of(set: &'a PodCliqueSet) -> Self {
        let template = &set.spec.template;
        let amounts: HashMap<&str, Amount> = template
            .cliques
            .iter()
            .map(|c| (c.name.as_str(), Amount::of(c)))
            .collect();
        let mut grouped: HashSet<&str> = HashSet::new();
        let mut groups = HashMap::new();
        for config in &template.scaling_groups {
            let names = || config.clique_names.iter().map(String::as_str);
            grouped.extend(names());
            let known = || names().filter_map(|n| Some((n, *amounts.get(n)?)));
            let group = Group {
                replicas: i128::from(config.replicas.unwrap_or(1).max(0)),
                minimum: i128::from(gang::group_minimum(config).max(0)),
                members: known().map(|(n, amount)| (n, amount.pods)).collect(),
                each: known().fold(Amount::default(), |sum, (_, amount)| sum.plus(amount)),
            };
            groups.insert(config.name.as_str(), group);
        }
        let alone: Vec<_> = amounts
            .iter()
            .filter(|(n, _)| !grouped.contains(*n))
            .collect();
        Self {
            standalone: alone.iter().map(|(n, amount)| (**n, amount.pods)).collect(),
            surge: Surge::of(template, &groups),
            alone: alone
                .iter()
                .map(|(_, amount)| **amount)
                .chain(autoscalers(template))
                .fold(Amount::default(), Amount::plus),
            groups,
        }
    }

    /// One replica.
    pub(super) fn each(&self) -> Amount {
        let groups = self.groups.values().map(|g| g.each.times(g.replicas));
        groups.fold(self.alone, Amount::plus)
    }

    /// Pods of the base gang.
    pub(super) fn base_pods(&self) -> i128 {
        let groups = self.groups.values();
        let pods = groups.map(|g| g.each.times(g.in_base(g.replicas)).pods);
        pods.fold(self.alone.pods, i128::saturating_add)
    }
}

/// The autoscalers of one replica.
fn autoscalers(template: &PodCliqueSetTemplateSpec) -> impl Iterator<Item = Amount> {
    let cliques = template
        .cliques
        .iter()
        .map(|clique| clique.spec.auto_scaling_config.as_ref());
    let groups = template
        .scaling_groups
        .iter()
        .map(|group| group.scale_config.as_ref());
    cliques.chain(groups).map(Amount::of_autoscaler)
}
