//! The pods of a standalone PodClique that keep an older template (docs/semantics.md §14.8).

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet, labels};
use domain::Revision;
use domain::object::ownership;
use domain::update;
use domain::workload::clique::with_older_template;
use domain::workload::layout;
use domain::workload::revision::Revisions;
use engine::Caches;

/// The pods of a PodClique that keep an older template.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OlderPods {
    /// There are none.
    #[default]
    Absent,
    /// The PodClique notes an older template, and the observed set knows nothing of it: one of the
    /// two views lags.
    Unknown,
    /// Those with a lower index than `below`. They are created from this PodClique.
    Below {
        /// The lowest index with the PodClique's own template.
        below: i32,
        /// The PodClique with their template.
        podclique: Box<PodClique>,
    },
}

/// The priority class of new pods: the set's, or that of the revision if the PodClique keeps an older
/// template, of which the class is a part. Read only where a pod may be missing.
pub(super) fn find_priority(
    podclique: &PodClique,
    set: &PodCliqueSet,
    slot: (&PodCliqueTemplateSpec, i32),
    facts: (&str, Option<&str>),
    caches: &Caches,
) -> String {
    let ((clique, replica), (generation, newest)) = (slot, facts);
    let own = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
    let revision = update::revision_in_force(set, generation, replica);
    let revision = revision.filter(|_| own.is_some() && own != newest);
    let restored = revision.and_then(|name| {
        let revisions = Revisions::of(set, caches.of::<Revision>().owned_by(set));
        let mut restored = revisions.restore_all(&name, [clique]).into_iter();
        restored.find(|(_, hash)| Some(&**hash) == own)
    });
    restored.map_or_else(
        || set.spec.template.priority_class_name.clone(),
        |(template, _)| {
            let class = template.spec.pod_spec.priority_class_name.clone();
            class.unwrap_or_default()
        },
    )
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
        let revisions = Revisions::of(set, caches.of::<Revision>().owned_by(set));
        let mut restored = revisions.restore_all(older.revision, [clique]).into_iter();
        // The revision is gone or edited: these pods take the newest template.
        restored
            .find(|(_, hash)| hash == noted)
            .map_or(Self::Absent, |restored| Self::Below {
                below: older.below,
                podclique: Box::new(with_older_template(podclique, &restored)),
            })
    }

    /// The PodClique from which the pod of this index is created, if it is an older one.
    pub(crate) fn find(&self, index: i32) -> Option<&PodClique> {
        match self {
            Self::Below { below, podclique } if index < *below => Some(podclique),
            _ => None,
        }
    }
}
