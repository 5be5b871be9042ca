//! Topologies of clusters.

use admission::validate_binding;
use api::ClusterTopologyBinding;

use super::Judge;
use super::unreadable::answer_unreadable;
use crate::review::{Answer, Operation, Request, decode};

impl Judge {
    pub(super) fn validate_topology(&self, request: &Request<'_>) -> Answer {
        let Some(sent) = request.object else {
            return Answer::allowed();
        };
        let new: ClusterTopologyBinding = match decode(sent) {
            Ok(new) => new,
            Err(error) => return answer_unreadable("the ClusterTopologyBinding", sent, &error),
        };
        let old: Option<ClusterTopologyBinding> = request
            .old_object
            .filter(|_| request.operation == Operation::Update)
            .and_then(|old| decode(old).ok());
        let errors = validate_binding(old.as_ref(), &new, &self.rules);
        Answer::judged(errors, &[])
    }
}
