//! The limits of the updates of cliques and groups, by their live counts.

use std::collections::BTreeMap;

use api::{PodClique, PodCliqueScalingGroup, names};
use domain::object::ownership;
use domain::plan::Kind;
use domain::update::{self, Component, Limits, TemplateComponent};
use domain::workload::{layout, limits};
use serde_json::Value;

use super::collect::Collector;
use crate::json;
use crate::plan::world::World;

/// The live numbers of a PodClique or group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Live {
    replicas: i32,
    min_available: Option<i32>,
}

/// Those of all PodCliques and groups after the steps.
pub(super) fn read_live(world: &World) -> BTreeMap<(Kind, String), Live> {
    let kinds = [Kind::of::<PodClique>(), Kind::of::<PodCliqueScalingGroup>()];
    let all = kinds.into_iter().flat_map(|kind| {
        let stored = world.stored(kind);
        stored.map(move |(key, object)| ((kind, key.name.clone()), Live::of(object)))
    });
    all.collect()
}

impl Live {
    fn of(object: &Value) -> Self {
        let number = |pointer: &str| {
            let number = json::at(object, pointer).as_i64();
            number.and_then(|number| i32::try_from(number).ok())
        };
        Self {
            replicas: limits::bounded(number("/spec/replicas").unwrap_or(0)),
            min_available: number("/spec/minAvailable"),
        }
    }
}

impl Collector {
    /// The limits of the update of a standalone clique.
    pub(super) fn limits_of_clique(&self, podclique: &str) -> Limits {
        let (set, template) = (&self.set.metadata, &self.set.spec.template);
        let part = layout::find(ownership::name(set), template, podclique);
        let mut cliques = template.cliques.iter();
        let clique = part.and_then(|part| cliques.find(|c| c.name == part.clique));
        let given = clique.and_then(|clique| update::rolling_update(clique, None));
        let live = self.live_of(Kind::of::<PodClique>(), podclique);
        let minimum = live.min_available.unwrap_or(live.replicas);
        let rolling = update::rolling_in_force(&self.set, given, minimum);
        Limits::of_clique(rolling.as_deref(), live.replicas)
    }

    /// The limits of the update of a group, whose turn begins.
    pub(super) fn limits_of_group(&self, group: &str) -> Limits {
        let (set, template) = (&self.set.metadata, &self.set.spec.template);
        let config = layout::find_group(ownership::name(set), template, group);
        let given = config.and_then(|(config, _)| config.rolling_update.as_ref());
        let live = self.live_of(Kind::of::<PodCliqueScalingGroup>(), group);
        let minimum = live.min_available.unwrap_or(1);
        let rolling = update::rolling_in_force(&self.set, given, minimum);
        Limits::of_group(rolling.as_deref(), live.replicas, minimum, None)
    }

    /// The numbers of a clique or group in a replica of the set, all units of which are available.
    pub(super) fn numbers_of(&self, component: &TemplateComponent<'_>, replica: i32) -> Component {
        let set = ownership::name(&self.set.metadata);
        let (live, minimum, limits) = if component.group.is_some() {
            let name = names::scaling_group(set, replica, component.name);
            let live = self.live_of(Kind::of::<PodCliqueScalingGroup>(), &name);
            let minimum = live.min_available.unwrap_or(1);
            (live, minimum, self.limits_of_group(&name))
        } else {
            let name = names::standalone_clique(set, replica, component.name);
            let live = self.live_of(Kind::of::<PodClique>(), &name);
            let minimum = live.min_available.unwrap_or(live.replicas);
            (live, minimum, self.limits_of_clique(&name))
        };
        Component {
            desired: live.replicas,
            minimum: minimum.min(live.replicas),
            available: live.replicas,
            limits,
            ..Component::default()
        }
    }

    fn live_of(&self, kind: Kind, name: &str) -> Live {
        let found = self.live.get(&(kind, name.to_owned()));
        found.copied().unwrap_or_default()
    }
}
