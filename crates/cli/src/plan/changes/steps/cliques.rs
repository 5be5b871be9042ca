//! Steps of PodCliques.

use api::{PodCliqueScalingGroup, labels};
use domain::plan::{Kind, Purpose};
use serde_json::Value;

use super::collect::Collector;
use super::step::Action;
use crate::json;
use crate::plan::world::Record;

impl Collector {
    pub(super) fn add_clique(&mut self, record: &Record) {
        let name = record.id.1.name.as_str();
        match (record.verb, &record.before, record.purpose) {
            ("create", ..) => {
                let number = match self.leaving.get(name).copied() {
                    Some(number) => number,
                    None => self.number(Action::Create, record.id.0, name),
                };
                self.made.insert(name.to_owned(), number);
            }
            ("delete", Some(podclique), Some(Purpose::UpdateGroupReplica)) => {
                self.recreate(record, podclique);
            }
            (
                "delete",
                _,
                Some(purpose @ (Purpose::TerminateReplica | Purpose::TerminateGroupReplica)),
            ) => {
                let number = self.number(Action::Recreate, record.id.0, name);
                self.edit(number, |step| step.why = Some(purpose.text().to_owned()));
                self.leaving.insert(name.to_owned(), number);
            }
            ("delete", ..) => self.remove(record),
            _ => self.change(record),
        }
    }

    /// A PodClique of a group replica of an older template.
    fn recreate(&mut self, record: &Record, podclique: &Value) {
        let group = json::label(podclique, labels::SCALING_GROUP);
        let replica = json::label(podclique, labels::SCALING_GROUP_REPLICA_INDEX);
        let groups = Kind::of::<PodCliqueScalingGroup>();
        let number = self.number(Action::Recreate, groups, group);
        let limits = self.limits_of_group(group);
        self.edit(number, |step| {
            step.note_limits(limits);
            if let Ok(replica) = replica.parse()
                && !step.group_replicas.contains(&replica)
            {
                step.group_replicas.push(replica);
            }
        });
        self.note_gone(number, record.decision, replica);
        self.note_updated_replica(group, replica);
        self.leaving.insert(record.id.1.name.clone(), number);
    }
}
