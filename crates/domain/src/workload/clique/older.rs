//! PodCliques of which some pods keep an older template (docs/semantics.md §14.8).

use api::{PodClique, labels};

use super::build::template_metadata;
use super::metadata::{overlay, remove_dropped};
use super::nvlink;
use crate::workload::revision::Restored;

/// The PodClique from which its older pods are created: with their template in place of its own.
pub fn with_older_template(podclique: &PodClique, (template, hash): &Restored) -> PodClique {
    let mut older = podclique.clone();
    let wanted = template_metadata(template, hash);
    remove_dropped(&mut older.metadata, &wanted);
    overlay(&mut older.metadata, &wanted);
    older.spec.pod_spec = template.spec.pod_spec.clone();
    let own = &podclique.spec.pod_spec;
    if nvlink::has_claim(own) {
        nvlink::keep_claim(&mut older.spec.pod_spec, own);
    }
    older
}

/// Notes the template of its older pods in a PodClique, unless it is its own: then its pods with that
/// hash are no edited ones, and one that is lost is recreated from it.
pub fn note_older(podclique: &mut PodClique, hash: &str) {
    let meta = &mut podclique.metadata;
    let own = meta.labels.as_ref();
    let own = own.and_then(|all| all.get(labels::POD_TEMPLATE_HASH));
    if own.is_none_or(|own| own != hash) {
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert(labels::OLDER_TEMPLATE_HASH.into(), hash.to_owned());
    }
}
