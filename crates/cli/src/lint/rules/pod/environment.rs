//! Variables of containers, beyond their names.

use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, PodSpec};

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_VARIABLE: Rule = Rule::error(
    "invalid-env",
    "a variable with both value and valueFrom, without exactly one source, or of a field that pods do not show",
    "The API server stores the set and refuses each of its pods.",
);

/// Fields of a pod that a variable can show.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .flat_map(|(at, container)| {
            let variables = container.env.iter().flatten().enumerate();
            variables
                .filter_map(|(i, variable)| of_variable(&format!("{at}.env[{i}]"), variable))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn of_variable(at: &str, variable: &EnvVar) -> Option<Remark> {
    let source = variable.value_from.as_ref()?;
    let at = format!("{at}.valueFrom");
    let has_value = variable
        .value
        .as_ref()
        .is_some_and(|value| !value.is_empty());
    let count = count_sources(source);
    if has_value {
        let problem = format!("{} has a value, too", variable.name);
        let remark = Remark::new(&INVALID_VARIABLE, at, problem);
        return Some(remark.remedy("remove value or valueFrom"));
    }
    if count != 1 {
        let problem = format!("has {count} sources and needs exactly one");
        let remark = Remark::new(&INVALID_VARIABLE, at, problem);
        let remedy = "set one of configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef";
        return Some(remark.remedy(remedy));
    }
    of_field(&at, source)
}

fn count_sources(source: &EnvVarSource) -> usize {
    let sources = [
        source.config_map_key_ref.is_some(),
        source.secret_key_ref.is_some(),
        source.field_ref.is_some(),
        source.resource_field_ref.is_some(),
        source.file_key_ref.is_some(),
    ];
    sources.into_iter().filter(|is_set| *is_set).count()
}

fn of_field(at: &str, source: &EnvVarSource) -> Option<Remark> {
    let field = source.field_ref.as_ref()?.field_path.as_str();
    let is_key = |prefix: &str| {
        field
            .strip_prefix(prefix)
            .is_some_and(|key| key.ends_with("']"))
    };
    let is_shown =
        FIELDS.contains(&field) || is_key("metadata.labels['") || is_key("metadata.annotations['");
    (!is_shown).then(|| {
        let at = format!("{at}.fieldRef.fieldPath");
        let problem = "is no field of a pod that a variable can show".to_owned();
        let remark = Remark::new(&INVALID_VARIABLE, at, problem).value(format!("{field:?}"));
        let keys = "metadata.labels['KEY'] or metadata.annotations['KEY']";
        remark.remedy(format!("use {}, {keys}", FIELDS.join(", ")))
    })
}
