//! ServiceAccount, Role and RoleBinding of a set's pods (Grove, §9.3).

use api::labels::component;
use api::{PodCliqueSet, names};
use domain::ownership;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};

use super::metadata;

/// The ServiceAccount that pods run as unless their template names another.
pub fn service_account(set: &PodCliqueSet) -> ServiceAccount {
    let name = names::service_account(ownership::name(&set.metadata));
    ServiceAccount {
        metadata: metadata(set, &name, &name, component::SERVICE_ACCOUNT),
        automount_service_account_token: Some(true),
        ..ServiceAccount::default()
    }
}

/// Pods may watch pods: a clique that starts after another waits for it so.
pub fn role(set: &PodCliqueSet) -> Role {
    let set_name = ownership::name(&set.metadata);
    Role {
        metadata: metadata(
            set,
            &names::role(set_name),
            &names::role_label(set_name),
            component::ROLE,
        ),
        rules: Some(vec![PolicyRule {
            api_groups: Some(vec![String::new()]),
            resources: Some(vec!["pods".into(), "pods/status".into()]),
            verbs: vec!["get".into(), "list".into(), "watch".into()],
            ..PolicyRule::default()
        }]),
    }
}

/// Binds the Role to the ServiceAccount.
pub fn role_binding(set: &PodCliqueSet) -> RoleBinding {
    let set_name = ownership::name(&set.metadata);
    let (name, label) = (names::role(set_name), names::role_label(set_name));
    RoleBinding {
        metadata: metadata(set, &name, &label, component::ROLE_BINDING),
        role_ref: RoleRef {
            api_group: Some("rbac.authorization.k8s.io".into()),
            kind: "Role".into(),
            name,
        },
        subjects: Some(vec![Subject {
            kind: "ServiceAccount".into(),
            name: names::service_account(set_name),
            namespace: set.metadata.namespace.clone(),
            ..Subject::default()
        }]),
    }
}
