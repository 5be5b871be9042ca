//! The PodGroup of Volcano for a gang: the sum of all minimums, and the minimum of each of several
//! parts.

use api::conditions::Reason;
use api::labels;
use api::podgang::PodGroup;
use api::volcano::{VolcanoPodGroup, VolcanoPodGroupSpec, VolcanoSubGroupPolicy};
use domain::Key;
use domain::plan::Action;
use domain::scheduling::{self, Backend};
use domain::workload::clique::{add_owner, overlay};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{
    Fields, FoundGroup, GangView, dropped_fields, is_ours_by_name, minimum_of, new_meta,
    note_fields, priority_of, report_dropped,
};

const PARTS: &str = "subGroupPolicy";

/// Creates the PodGroup, or corrects it in one write. Fields that others wrote stay.
pub(super) fn plan(view: &GangView<'_>, found: &FoundGroup<VolcanoPodGroup>) -> Option<Action> {
    let gang = view.gang;
    let meta = new_meta(gang, Key::of(&gang.metadata));
    let Some(found) = found.group.as_deref() else {
        let mut group = VolcanoPodGroup {
            metadata: meta,
            ..VolcanoPodGroup::default()
        };
        correct(&mut group, view);
        return Some(Action::create(group));
    };
    let mut next = found.clone();
    overlay(&mut next.metadata, &meta);
    add_owner(&mut next.metadata, &meta);
    correct(&mut next, view);
    // Dropped fields are written again only together with another change: written alone they would
    // cause endless writes.
    let mut kept = next.clone();
    if !dropped_fields(&found.metadata, &fields(found)).is_empty() {
        kept.spec.sub_group_policy.clear();
    }
    (is_ours_by_name(gang, found) && kept != *found).then(|| Action::replace(next))
}

fn fields(group: &VolcanoPodGroup) -> Fields {
    vec![(PARTS, !group.spec.sub_group_policy.is_empty())]
}

/// The report if the CRD of PodGroups does not know parts.
pub(super) fn dropped(found: &FoundGroup<VolcanoPodGroup>) -> Option<(Reason, String)> {
    let group = found.group.as_deref()?;
    let dropped = dropped_fields(&group.metadata, &fields(group));
    let remedy = "Volcano counts pods of the gang and not of its parts until it is upgraded to \
                  1.14 or newer";
    report_dropped("podgroups.scheduling.volcano.sh", &dropped, remedy)
}

/// The parts that are waited for, each with its number of pods; completed parts are left out.
fn parts_of<'a>(view: &GangView<'a>) -> impl Iterator<Item = (&'a PodGroup, i64)> {
    view.gang
        .spec
        .pod_groups
        .iter()
        .map(|part| (part, i64::from(minimum_of(view, part))))
        .filter(|(_, minimum)| *minimum > 0)
}

fn correct(group: &mut VolcanoPodGroup, view: &GangView<'_>) {
    let (gang, spec) = (view.gang, &mut group.spec);
    let least: i64 = parts_of(view).map(|(_, minimum)| minimum).sum();
    spec.min_member = Some(least.max(1));
    spec.priority_class_name = priority_of(gang);
    if let Some(queue) = scheduling::queue_of(Backend::Volcano, &gang.metadata) {
        spec.queue = Some(queue.to_owned());
    }
    correct_parts(spec, view);
    let fields = fields(group);
    note_fields(&mut group.metadata, &fields);
}

/// Volcano takes the size of a part for the number of its pods: the loss of any pod breaks the part, so
/// that for the node of one pod it evicts the whole gang. The sum says the same of an only part, and lets
/// Volcano evict the pods above it one by one. An only part stays where another writer added fields to
/// it, such as a network topology.
fn correct_parts(spec: &mut VolcanoPodGroupSpec, view: &GangView<'_>) {
    let before = std::mem::take(&mut spec.sub_group_policy);
    let policy = |(part, minimum): (&PodGroup, i64)| {
        let known = before.iter().find(|policy| policy.name == part.name);
        VolcanoSubGroupPolicy {
            name: part.name.clone(),
            label_selector: Some(LabelSelector {
                match_labels: Some([(labels::POD_CLIQUE.into(), part.name.clone())].into()),
                ..LabelSelector::default()
            }),
            match_label_keys: vec![labels::POD_CLIQUE.into()],
            sub_group_size: Some(minimum),
            min_sub_groups: Some(1),
            others: known
                .map(|policy| policy.others.clone())
                .unwrap_or_default(),
        }
    };
    let is_only = view.gang.spec.pod_groups.len() == 1;
    spec.sub_group_policy = parts_of(view)
        .map(policy)
        .filter(|policy| !is_only || !policy.others.is_empty())
        .collect();
}
