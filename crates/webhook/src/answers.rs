//! The answers, one function for each path that the API server calls.

mod authorizer;
mod children;
mod sets;
mod topologies;
mod unreadable;

use std::sync::Arc;

use admission::Rules;
use admission::authorizer::Exemptions;
use admission::defaults::DefaultsConfig;
use admission::scale_lock::ScaleLock;

use crate::parents::CachedObjects;
use crate::review::{Answer, Request};

/// Inputs of the answers in addition to the request.
pub struct Judge {
    /// Stored objects.
    pub stored: Arc<dyn CachedObjects>,
    /// Defaults of the operator's configuration.
    pub defaults: DefaultsConfig,
    /// Inputs of the rules; those that change while the operator runs are read for each request.
    pub rules: Rules,
    /// Users who may change managed objects. `None`: all.
    pub exemptions: Option<Exemptions>,
    /// Refuses changed sizes while a coherent update is in progress. `None`: they are allowed.
    pub scale_lock: Option<ScaleLock>,
}

/// The webhooks, by their paths (Grove's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumIter)]
pub enum Hook {
    /// Fills in the defaults of a set.
    DefaultSet,
    /// Validates a set; `/scale` too.
    ValidateSet,
    /// Validates a change of a PodClique; `/scale` too.
    ValidatePodClique,
    /// Validates a change of a scaling group; `/scale` too.
    ValidateGroup,
    /// Validates a topology.
    ValidateTopology,
    /// Checks whether a user may change a managed object.
    Authorize,
}

impl Hook {
    /// Its path.
    pub fn path(self) -> &'static str {
        match self {
            Self::DefaultSet => "/webhooks/default-podcliqueset",
            Self::ValidateSet => "/webhooks/validate-podcliqueset",
            Self::ValidatePodClique => "/webhooks/validate-podclique",
            Self::ValidateGroup => "/webhooks/validate-podcliquescalinggroup",
            Self::ValidateTopology => "/webhooks/validate-clustertopology",
            Self::Authorize => "/webhooks/authorizer-webhook",
        }
    }

    /// Its name in metrics.
    pub fn word(self) -> &'static str {
        self.path().trim_start_matches("/webhooks/")
    }
}

impl Judge {
    /// Answers a request.
    pub fn answer(&self, hook: Hook, request: &Request<'_>) -> Answer {
        match hook {
            Hook::DefaultSet => self.default_set(request),
            Hook::ValidateSet => self.validate_set(request),
            Hook::ValidatePodClique => self.validate_podclique(request),
            Hook::ValidateGroup => self.validate_group(request),
            Hook::ValidateTopology => self.validate_topology(request),
            Hook::Authorize => self.authorize(request),
        }
    }
}
