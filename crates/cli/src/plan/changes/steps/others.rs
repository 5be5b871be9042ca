//! Steps of all other objects.

use api::{PodGang, labels};
use domain::plan::Kind;

use super::collect::Collector;
use super::step::Action;
use crate::plan::changes::difference::{Difference, find_differences};
use crate::plan::world::Record;

/// Fields that the operator writes for itself.
const OWN: [&str; 6] = [
    labels::TEMPLATE_REPLICAS,
    labels::TEMPLATE_KEYS,
    labels::MADE_WITH_HASH,
    labels::REBASED_FROM,
    labels::OLDER_TEMPLATE_HASH,
    labels::GATES_RELEASED_BY_LIST,
];

impl Collector {
    pub(super) fn add_other(&mut self, record: &Record) {
        match record.verb {
            "create" => self.create(record),
            "delete" => self.remove(record),
            _ => self.change(record),
        }
    }

    fn create(&mut self, record: &Record) {
        let name = &record.id.1.name;
        let base = self
            .bases
            .get(name)
            .cloned()
            .filter(|_| record.id.0 == Kind::of::<PodGang>());
        let number = self.number(Action::Create, record.id.0, name);
        self.edit(number, |step| step.waits_for = base);
    }

    pub(super) fn remove(&mut self, record: &Record) {
        let number = self.number(Action::Remove, record.id.0, &record.id.1.name);
        let why = record.purpose.map(|purpose| purpose.text().to_owned());
        self.edit(number, |step| step.why = why);
    }

    pub(super) fn change(&mut self, record: &Record) {
        let (Some(before), Some(after)) = (&record.before, &record.after) else {
            return;
        };
        let differences = find_differences(before, after);
        let (kind, name) = (record.id.0, record.id.1.name.as_str());
        let is_scaled = |d: &&Difference| d.path == "spec.replicas";
        if let Some(scaled) = differences.iter().find(is_scaled) {
            let number = self.number(Action::Scale, kind, name);
            self.edit(number, |step| {
                step.from = step.from.or(scaled.before.as_i64());
                step.to = scaled.after.as_i64();
            });
        }
        let fields: Vec<String> = differences
            .iter()
            .filter(|d| is_of_a_step(d))
            .map(|d| d.path.clone())
            .collect();
        if fields.is_empty() {
            return;
        }
        let number = self.number(Action::Update, kind, name);
        self.edit(number, |step| {
            let new = fields
                .into_iter()
                .filter(|field| !step.fields.contains(field));
            step.fields = step.fields.iter().cloned().chain(new).collect();
        });
    }
}

/// Whether a step lists the difference: it is not the number of replicas, nor a field of ours.
fn is_of_a_step(difference: &Difference) -> bool {
    let path = &difference.path;
    let is_own = OWN.iter().any(|key| path.contains(key));
    !is_own && path != "spec.replicas"
}
