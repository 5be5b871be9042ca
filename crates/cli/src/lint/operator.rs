//! The operator whose webhook judges the sets.

use admission::Rules;
use admission::defaults::DefaultsConfig;

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
        })
    }
}
