//! The headless Service of a replica, through which its pods find each other.

use api::labels::{self, component};
use api::{PodCliqueSet, names};
use domain::object::ownership;
use k8s_openapi::api::core::v1::{Service, ServiceSpec};

use super::{metadata, with_replica};

/// The Service of replica `i`.
pub fn headless(set: &PodCliqueSet, i: i32) -> Service {
    let set_name = ownership::name(&set.metadata);
    let name = names::headless_service(set_name, i);
    let mut selector = labels::default_labels(set_name);
    selector.insert(labels::PCS_REPLICA_INDEX.into(), i.to_string());
    let config = set
        .spec
        .template
        .headless_service_config
        .clone()
        .unwrap_or_default();
    Service {
        metadata: with_replica(metadata(set, &name, &name, component::HEADLESS_SERVICE), i),
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            selector: Some(selector),
            publish_not_ready_addresses: Some(config.publish_not_ready_addresses),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}

/// A quick check whether the Service has everything that is desired, since it runs for every
/// replica in every decision. If it fails, both are compared field by field.
pub fn is_right(found: &Service, desired: &Service) -> bool {
    let (Some(is), Some(should)) = (&found.spec, &desired.spec) else {
        return false;
    };
    let (meta, own) = (&found.metadata, &desired.metadata);
    let labels = meta.labels.as_ref();
    let has = |(key, value)| labels.and_then(|all| all.get(key)) == Some(value);
    own.labels.iter().flatten().all(has)
        && ownership::controller(meta) == ownership::controller(own)
        && is.cluster_ip == should.cluster_ip
        && is.selector == should.selector
        && is.publish_not_ready_addresses.unwrap_or(false)
            == should.publish_not_ready_addresses.unwrap_or(false)
}
