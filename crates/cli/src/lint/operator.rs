//! The operator whose webhook judges the sets.

use std::collections::BTreeMap;

use admission::Rules;
use admission::defaults::DefaultsConfig;
use api::PodCliqueSet;
use domain::topology::{Levels, binding_name};

use super::args::LintArgs;
use crate::connection::ConnectionArgs;
use crate::exit::Failure;
use crate::plan;

/// The operator whose webhook judges the sets: by default one with the built-in configuration, and with any
/// schedulers.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Defaults of its configuration.
    pub defaults: DefaultsConfig,
    /// Inputs of its rules.
    pub rules: Rules,
    /// The namespace of sets that name none; `None`: not known.
    pub namespace: Option<String>,
    /// The levels of the ClusterTopologyBindings in the files, by name.
    pub topologies: BTreeMap<String, Levels>,
}

impl Operator {
    /// The operator with the configuration of the arguments.
    pub(super) fn read(args: &LintArgs, connection: &ConnectionArgs) -> Result<Self, Failure> {
        let Some(file) = &args.operator_config else {
            return Ok(Self::default());
        };
        let rules = plan::read_operator(file)?;
        Ok(Self {
            defaults: rules.sets.validator.defaults().clone(),
            rules: rules.admission(),
            namespace: Some(plan::namespace_of(connection)),
            topologies: BTreeMap::new(),
        })
    }

    /// The rules for a set. Other topologies than those of the files may exist in the cluster, so these
    /// count only if the set names one of them.
    pub(super) fn rules_of(&self, set: &PodCliqueSet) -> Rules {
        let name = binding_name(&set.spec.template);
        let is_given = name.is_some_and(|name| self.topologies.contains_key(name));
        let mut rules = self.rules.clone();
        if is_given {
            rules.topologies = Some(self.topologies.clone());
        }
        rules
    }
}
