//! Labels and annotations of a set that nobody reads, and metadata that Kubernetes refuses.

use std::collections::BTreeMap;

use admission::{is_dns_label, is_key, is_label_value};
use api::PodCliqueSet;
use api::kueue::keys as kueue;
use api::labels::{DISABLE_PROTECTION, KAI_QUEUE, MNNVL_GROUP, RECONCILE_TRIGGER, VOLCANO_QUEUE};
use strsim::osa_distance;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_METADATA: Rule = Rule::error(
    "invalid-metadata",
    "a namespace or a label of the set that Kubernetes does not allow",
    "The API server refuses the object.",
);

pub(in crate::lint) const UNREAD_KEY: Rule = Rule::warning(
    "unread-key",
    "a label or annotation of the set that is almost one that the operator reads, that is in the other map, \
     or that lacks its partner",
    "Kubernetes accepts any key. A key that nobody reads has no effect: no queue, no MNNVL group.",
);

type Keys = BTreeMap<String, String>;

/// Keys that are read among the labels of a set.
const LABELS: [&str; 3] = [kueue::QUEUE, kueue::PRIORITY_CLASS, KAI_QUEUE];
/// Keys that are read among its annotations.
const ANNOTATIONS: [&str; 5] = [
    MNNVL_GROUP,
    RECONCILE_TRIGGER,
    DISABLE_PROTECTION,
    VOLCANO_QUEUE,
    KAI_QUEUE,
];
/// Keys of other programs and versions, with those that are read here.
const OTHERS: [(&str, &str); 2] = [
    ("grove.io/auto-mnnvl", MNNVL_GROUP),
    ("runai/queue", KAI_QUEUE),
];
/// So many letters differ at most in a key that was misspelt.
const NEAR: usize = 2;

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let metadata = &set.metadata;
    let (labels, annotations) = (metadata.labels.as_ref(), metadata.annotations.as_ref());
    [
        invalid_labels(labels),
        invalid_namespace(metadata.namespace.as_deref())
            .into_iter()
            .collect(),
        unread("labels", &LABELS, labels),
        unread("annotations", &ANNOTATIONS, annotations),
        class_without_queue(labels).into_iter().collect(),
    ]
    .concat()
}

fn invalid_namespace(namespace: Option<&str>) -> Option<Remark> {
    let name = namespace.filter(|name| !name.is_empty() && !is_dns_label(name))?;
    let problem = "a namespace has a name of at most 63 lower-case letters, digits and hyphens";
    let remark = Remark::new(&INVALID_METADATA, "metadata.namespace", problem.to_owned());
    let remark = remark.value(format!("{name:?}"));
    Some(remark.remedy("choose one that `kubectl get namespaces` shows"))
}

fn invalid_labels(labels: Option<&Keys>) -> Vec<Remark> {
    let labels = labels.into_iter().flatten();
    let invalid = labels.filter(|(key, value)| !is_key(key) || !is_label_value(value));
    invalid
        .map(|(key, value)| {
            let part = if is_key(key) { "value" } else { "key" };
            let problem = format!(
                "is no valid {part}: it has letters, digits, '-', '_' and '.', first and last a letter or \
                 digit, at most 63 characters"
            );
            let at = format!("metadata.labels[{key}]");
            let remark = Remark::new(&INVALID_METADATA, at, problem);
            let remark = remark.value(format!("{value:?}"));
            remark.remedy("correct it, or make it an annotation if nothing selects by it")
        })
        .collect()
}

/// Keys of this map that are not among the known ones, and were meant to be one.
fn unread(field: &'static str, known: &[&str], keys: Option<&Keys>) -> Vec<Remark> {
    let keys = keys.into_iter().flatten().map(|(key, _)| key.as_str());
    keys.filter(|key| !known.contains(key))
        .filter_map(|key| {
            let meant = meant_by(key)?;
            let place = place_of(meant, field);
            let at = format!("metadata.{field}[{key}]");
            Some(if meant == key {
                let problem = format!("is read in metadata.{place} only");
                Remark::new(&UNREAD_KEY, at, problem).remedy(format!("move it to metadata.{place}"))
            } else {
                let problem = "nobody reads this key".to_owned();
                let remedy = format!("did you mean {meant} in metadata.{place}?");
                Remark::new(&UNREAD_KEY, at, problem).remedy(remedy)
            })
        })
        .collect()
}

/// The known key that was meant by one of this or of the other map.
fn meant_by(key: &str) -> Option<&'static str> {
    let all = || LABELS.into_iter().chain(ANNOTATIONS);
    let of_others = || OTHERS.into_iter().find(|(other, _)| *other == key);
    all()
        .find(|known| *known == key)
        .or_else(|| of_others().map(|(_, known)| known))
        .or_else(|| all().find(|known| is_near(key, known)))
}

/// The map in which a key is read: the same one if both are.
fn place_of(key: &str, field: &'static str) -> &'static str {
    match (LABELS.contains(&key), ANNOTATIONS.contains(&key)) {
        (true, true) => field,
        (true, false) => "labels",
        (false, _) => "annotations",
    }
}

/// Whether the key is the known one with other letters, a similar domain, none, or a name that is cut.
fn is_near(key: &str, known: &str) -> bool {
    let Some((domain, name)) = known.split_once('/') else {
        return false;
    };
    let Some((own_domain, own_name)) = key.split_once('/') else {
        return key == name && name.contains('-');
    };
    let is_cut = own_domain == domain && !own_name.is_empty() && name.starts_with(own_name);
    let is_of_family = own_name == name && family(own_domain) == family(domain);
    is_cut || is_of_family || osa_distance(&plain(key), &plain(known)) <= NEAR
}

fn family(domain: &str) -> Option<&str> {
    domain.split('.').next()
}

fn plain(key: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || *c == '/';
    key.chars()
        .filter(is_kept)
        .collect::<String>()
        .to_lowercase()
}

fn class_without_queue(labels: Option<&Keys>) -> Option<Remark> {
    let labels = labels?;
    let class = labels.get(kueue::PRIORITY_CLASS)?;
    (!labels.contains_key(kueue::QUEUE)).then(|| {
        let at = format!("metadata.labels[{}]", kueue::PRIORITY_CLASS);
        let problem = "has no effect without a queue".to_owned();
        let remark = Remark::new(&UNREAD_KEY, at, problem).value(format!("{class:?}"));
        remark.remedy(format!("name the queue in label {}", kueue::QUEUE))
    })
}
