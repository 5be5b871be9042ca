//! Steps of pods.

use api::{PodClique, labels};
use domain::plan::{Kind, Purpose};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;

use super::collect::Collector;
use super::step::Action;
use crate::json;
use crate::plan::objects::{is_made, name_of_pod};
use crate::plan::world::Record;

impl Collector {
    pub(super) fn add_pod(&mut self, record: &Record) {
        match (record.verb, &record.before, &record.after) {
            ("create", _, Some(pod)) => self.create_pod(pod),
            ("delete", Some(pod), _) => self.delete_pod(record, pod),
            ("patch", Some(pod), _) if !is_made(pod) => self.patch_pod(record, pod),
            _ => {}
        }
    }

    fn create_pod(&mut self, pod: &Value) {
        let slot = slot_of(pod);
        let podcliques = Kind::of::<PodClique>();
        let number = match self.made.get(&slot.0).copied() {
            Some(number) if self.is(number, Action::Create) => number,
            Some(_) => return,
            None if self.vacated.remove(&slot) => return,
            None if self.has(Action::Scale, podcliques, &slot.0) => {
                self.number(Action::Scale, podcliques, &slot.0)
            }
            None => self.number(Action::Create, Kind::of::<Pod>(), &name_of_pod(pod)),
        };
        self.edit(number, |step| {
            step.new_pods = step.new_pods.saturating_add(1);
        });
    }

    fn delete_pod(&mut self, record: &Record, pod: &Value) {
        let (slot, name) = (slot_of(pod), name_of_pod(pod));
        let podcliques = Kind::of::<PodClique>();
        match record.purpose {
            Some(Purpose::UpdatePod) => self.restart_pod(record, pod),
            Some(Purpose::ScaleInPod) => {
                let number = self.number(Action::Scale, podcliques, &slot.0);
                self.edit(number, |step| step.pods.push(name));
            }
            Some(Purpose::DeleteWithPodClique) => {
                let leaving = self.leaving.get(&slot.0).copied();
                let number =
                    leaving.unwrap_or_else(|| self.number(Action::Remove, podcliques, &slot.0));
                self.edit(number, |step| step.pods.push(name));
            }
            purpose => {
                let is_replaced = purpose == Some(Purpose::ReplacePod);
                let action = if is_replaced {
                    Action::Restart
                } else {
                    Action::Remove
                };
                let number = self.number(action, Kind::of::<Pod>(), &name);
                self.edit(number, |step| {
                    step.why = purpose.map(|p| p.text().to_owned());
                });
                self.vacated.insert(slot);
            }
        }
    }

    /// A pod of an older template.
    fn restart_pod(&mut self, record: &Record, pod: &Value) {
        let (slot, name) = (slot_of(pod), name_of_pod(pod));
        let number = self.number(Action::Restart, Kind::of::<PodClique>(), &slot.0);
        let limits = self.limits_of_clique(&slot.0);
        let is_ready = is_ready(pod);
        self.edit(number, |step| {
            step.note_limits(limits);
            step.pods.push(name.clone());
            if !is_ready {
                step.not_ready.push(name.clone());
            }
        });
        if is_ready {
            self.note_gone(number, record.decision, &name);
        }
        self.note_updated_pod(&slot.0, &slot.1);
        self.vacated.insert(slot);
    }

    fn patch_pod(&mut self, record: &Record, pod: &Value) {
        let name = name_of_pod(pod);
        match record.purpose {
            Some(Purpose::RemoveGate | Purpose::StartPod | Purpose::RepeatStart) => {
                let (podclique, _) = slot_of(pod);
                let number = self.number(Action::Release, Kind::of::<PodClique>(), &podclique);
                self.edit(number, |step| {
                    if !step.pods.contains(&name) {
                        step.pods.push(name);
                    }
                });
            }
            purpose => {
                let number = self.number(Action::Update, Kind::of::<Pod>(), &name);
                self.edit(number, |step| {
                    step.why = purpose.map(|p| p.text().to_owned());
                });
            }
        }
    }
}

/// PodClique and index of a pod.
fn slot_of(pod: &Value) -> (String, String) {
    let label = |key: &str| json::label(pod, key).to_owned();
    (label(labels::POD_CLIQUE), label(labels::POD_INDEX))
}

fn is_ready(pod: &Value) -> bool {
    let mut conditions = json::items(pod, "/status/conditions");
    conditions.any(|c| json::text(c, "/type") == "Ready" && json::text(c, "/status") == "True")
}
