//! The pods of a standalone PodClique that keep an older template (docs/semantics.md §14.8).

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet, labels};
use domain::Revision;
use domain::object::ownership;
use domain::update;
use domain::workload::clique::with_older_template;
use domain::workload::layout;
use domain::workload::revision::{Restored, Revisions};
use engine::Caches;

/// The pods of a PodClique that keep an older template.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OlderPods {
    /// There are none.
    #[default]
    Absent,
    /// The PodClique notes an older template, and the observed set knows nothing of it, or has another one,
    /// or the template may exist unseen: a view lags.
    Unknown,
    /// Those with a lower index than `below`. They are created from this PodClique.
    Below {
        /// The lowest index with the PodClique's own template.
        below: i32,
        /// The PodClique with their template.
        podclique: Box<PodClique>,
    },
}

/// The clique with the template of this hash in the revision of that name; `None` if the revision is
/// gone, or has another one.
fn restore(
    revisions: &Revisions,
    revision: &str,
    clique: &PodCliqueTemplateSpec,
    hash: &str,
) -> Option<Restored> {
    let mut restored = revisions.restore_all(revision, [clique]).into_iter();
    restored.find(|(_, own)| own == hash)
}

fn find_revisions(set: &PodCliqueSet, caches: &Caches) -> Revisions {
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    // The flag is read before the objects that it qualifies.
    let is_outdated = caches.is_outdated::<Revision>(namespace);
    Revisions::of(set, caches.of::<Revision>().owned_by(set)).seen_outdated(is_outdated)
}

/// The priority class of the pods of a PodClique in this replica with this hash, which is not the newest
/// one: the class of the set is a part of the template. `None` if no revision has it.
pub(super) fn find_priority(
    set: &PodCliqueSet,
    (clique, replica): (&PodCliqueTemplateSpec, i32),
    hash: &str,
    generation: &str,
    caches: &Caches,
) -> Option<String> {
    let revision = update::revision_in_force(set, generation, replica)?;
    let (template, _) = restore(&find_revisions(set, caches), &revision, clique, hash)?;
    let class = template.spec.pod_spec.priority_class_name.clone();
    Some(class.unwrap_or_default())
}

impl OlderPods {
    /// Reads the set's status, and the revision that it names.
    pub(super) fn read(podclique: &PodClique, set: Option<&PodCliqueSet>, caches: &Caches) -> Self {
        let meta = &podclique.metadata;
        let noted = ownership::annotation(meta, labels::OLDER_TEMPLATE_HASH);
        let Some((noted, set)) = noted.zip(set) else {
            return Self::Absent;
        };
        let name = ownership::name(&set.metadata);
        let part = layout::find(name, &set.spec.template, ownership::name(meta));
        let mut cliques = set.spec.template.cliques.iter();
        let place = part.and_then(|part| {
            let clique = cliques.find(|clique| clique.name == part.clique)?;
            Some((part.replica, clique))
        });
        let Some((replica, clique)) = place else {
            return Self::Absent;
        };
        let rolling = clique.rolling_update.as_ref();
        let Some(older) = update::find_older(set, replica, &clique.name, rolling) else {
            // The observed set has older units, none of them of this clique: that is no lag.
            let is_known = update::is_on_delete(set) || update::has_older(set, replica);
            return if is_known {
                Self::Absent
            } else {
                Self::Unknown
            };
        };
        let revisions = find_revisions(set, caches);
        let mut restored = revisions.restore_all(older.revision, [clique]).into_iter();
        match restored.next() {
            Some(restored) if restored.1 == noted => Self::Below {
                below: older.below,
                podclique: Box::new(with_older_template(podclique, &restored)),
            },
            // The set has accepted another template in the turn.
            Some(_) => Self::Unknown,
            None if revisions.awaits(older.revision) => Self::Unknown,
            // Without its revision an older pod takes the newest template.
            None => Self::Absent,
        }
    }

    /// The PodClique from which the pod of this index is created, if it is an older one.
    pub(crate) fn find(&self, index: i32) -> Option<&PodClique> {
        match self {
            Self::Below { below, podclique } if index < *below => Some(podclique),
            _ => None,
        }
    }
}
