//! Hashes that show whether running pods were created from the present template.
//!
//! ```text
//! clique template ──▶ JSON ──▶ canonical ──▶ FNV-1a 64 ──▶ r1 + 14 characters
//! ```
//!
//! Two templates that create the same pod have the same hash, in any notation: maps are sorted, the
//! order of lists that Kubernetes treats as maps is ignored, defaults of the API server count as
//! absent, and quantities are compared by value (`1000m` is `1`). A change that alters a pod alters
//! the hash. The input is JSON text and not a dump of Rust structs, so a newer Kubernetes library
//! does not restart workloads (docs/semantics.md §9.2).
//!
//! Order still counts where it has an effect: init containers run in it, `envFrom` overrides in
//! it, and an `env` list in which a value refers to another (`$(NAME)`) is read in it.
//!
//! Deliberately not evened out: a port as number or as text, `hostPort` repeated under
//! `hostNetwork`, defaults of rarely used volume types. Writing such a template in the other form
//! restarts its pods.

mod canonical;
mod quantity;

use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use k8s_openapi::api::core::v1::PodSpec;
use serde_json::{Value, json};

use crate::object::fnv;

/// Version of the canonical form. The digit is in no hash of the Go operator.
const VERSION: &str = "r1";
/// Width that holds every 64-bit value: 27^14 > 2^64.
const DIGITS: usize = 14;

/// Hash of the pods that a clique template makes (Grove, label `grove.io/pod-template-hash`):
/// over the clique's labels, annotations and pod spec.
///
/// Pass a template with defaults applied (`admission::defaults`): for `Training` an unset
/// `restartPolicy` is not the API server's. `priority_class_name` is the one of the set; if it is
/// empty, the pod spec's own counts.
pub fn pod_template_hash(clique: &PodCliqueTemplateSpec, priority_class_name: &str) -> String {
    let mut text = String::new();
    write_canonical(&json!(clique.labels), &mut text);
    write_canonical(&json!(clique.annotations), &mut text);
    let spec = canonical_spec(&clique.spec.pod_spec, priority_class_name);
    write_canonical(&spec, &mut text);
    hash_text(&text)
}

/// The hash of each clique's pods, in the order of the cliques. It is the same in every replica and
/// expensive to compute: `admission::Validator` computes it once for each template.
pub fn pod_template_hashes(template: &PodCliqueSetTemplateSpec) -> Vec<String> {
    let hash = |clique| pod_template_hash(clique, &template.priority_class_name);
    template.cliques.iter().map(hash).collect()
}

/// Hash of a pod spec alone: for a `PodClique` whose template is not in the set any more.
pub fn pod_spec_hash(spec: &PodSpec) -> String {
    let mut text = String::new();
    write_canonical(&canonical_spec(spec, ""), &mut text);
    hash_text(&text)
}

/// Whether both create the same pod.
pub fn is_same_pod_spec(one: &PodSpec, other: &PodSpec) -> bool {
    one == other || canonical_spec(one, "") == canonical_spec(other, "")
}

fn canonical_spec(spec: &PodSpec, priority_class_name: &str) -> Value {
    // Serializing a pod spec cannot fail: all its keys are text.
    let mut spec = serde_json::to_value(spec).unwrap_or_default();
    if let Some(spec) = spec.as_object_mut() {
        if !priority_class_name.is_empty() {
            spec.insert("priorityClassName".into(), priority_class_name.into());
        }
        canonical::canonicalize_pod(spec);
    }
    spec
}

/// Hash of everything in the template whose change is an update (Grove,
/// `status.currentGenerationHash`): the pod templates of all cliques in the order of the list.
///
/// Not part of it: names, `roleName`, `replicas`, `minAvailable`, `startsAfter`, autoscaling,
/// topology, resource sharing, the headless Service, scaling groups.
pub fn generation_hash(template_hashes: &[String]) -> String {
    hash_text(&template_hashes.concat())
}

/// Whether this version of the operator made the hash. All other hashes, those of the Go operator
/// and of a later version of ours, are foreign: objects that carry one get ours without a restart,
/// because a comparison of the two proves nothing.
pub fn is_ours(hash: &str) -> bool {
    hash.strip_prefix(VERSION).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|b| fnv::ALPHABET.contains(&b))
    })
}

fn hash_text(text: &str) -> String {
    format!(
        "{VERSION}{}",
        fnv::encode(fnv::hash(text.as_bytes()), DIGITS)
    )
}

/// JSON with sorted keys: `serde_json` keeps insertion order if any crate in the build enables
/// that.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in fields {
                write_canonical(&json!(name), out);
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
