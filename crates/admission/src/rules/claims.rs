//! Resource claims: their templates, and the cliques that share them.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::resources::{ResourceClaimTemplateConfig, ResourceSharing};

use crate::clique_paths::{has_clique, scaling_groups, sharing_lists, template};
use crate::field::{FieldError, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let templates = &pcs.spec.template.resource_claim_templates;
    let mut errors = claim_templates(templates);
    for (at, entries) in sharing_lists(pcs) {
        errors.extend(sharing(pcs, &at, &entries));
    }
    errors.extend(filters_of_set(pcs, &template().field("resourceSharing")));
    for (at, group) in scaling_groups(pcs) {
        errors.extend(filters_of_group(&at.field("resourceSharing"), group));
    }
    errors
}

fn claim_templates(templates: &[ResourceClaimTemplateConfig]) -> Vec<FieldError> {
    let list = template().field("resourceClaimTemplates");
    let names = templates.iter().map(|template| template.name.as_str());
    let mut errors = named_once(&list, names);
    for (i, claim) in templates.iter().enumerate() {
        let spec = claim.template_spec.spec.as_ref();
        let devices = spec.and_then(|spec| spec.devices.as_ref());
        let requests = devices.and_then(|devices| devices.requests.as_ref());
        if requests.is_none_or(Vec::is_empty) {
            let at = list.index(i).field("templateSpec.spec.devices.requests");
            let problem = "at least one device request is needed";
            errors.push(at.missing(problem, "add a request with a deviceClassName"));
        }
    }
    errors
}

fn sharing(pcs: &PodCliqueSet, at: &Path, entries: &[&ResourceSharing]) -> Vec<FieldError> {
    let templates = &pcs.spec.template.resource_claim_templates;
    let is_internal = |entry: &ResourceSharing| templates.iter().any(|t| t.name == entry.name);
    let mut errors = named_once(at, entries.iter().map(|entry| entry.name.as_str()));
    for (i, entry) in entries.iter().copied().enumerate() {
        if !entry.namespace.is_empty() && is_internal(entry) {
            let problem = format!(
                "{:?} is one of resourceClaimTemplates, which have no namespace",
                entry.name
            );
            let at = at.index(i).field("namespace");
            errors.push(at.wrong(
                &entry.namespace,
                problem,
                "remove the namespace, or rename the template",
            ));
        }
    }
    errors
}

fn named_once<'a>(list: &Path, names: impl Iterator<Item = &'a str>) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    let mut errors = Vec::new();
    for (i, name) in names.enumerate() {
        let at = list.index(i).field("name");
        if name.is_empty() {
            errors.push(at.missing("a name is needed", "name a resource claim template"));
        } else if !seen.insert(name) {
            errors.push(at.wrong(name, "duplicate: is listed twice", "remove one of them"));
        }
    }
    errors
}

fn filters_of_set(pcs: &PodCliqueSet, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, entry) in pcs.spec.template.resource_sharing.iter().enumerate() {
        let Some(filter) = &entry.filter else {
            continue;
        };
        let at = at.index(i).field("filter");
        if filter.child_clique_names.is_empty() && filter.child_scaling_group_names.is_empty() {
            let problem = "a filter without names shares the claim with no clique";
            errors.push(at.missing(
                problem,
                "name cliques or scaling groups, or remove the filter",
            ));
        }
        let names = at.field("childCliqueNames");
        errors.extend(unknown(
            &names,
            &filter.child_clique_names,
            "clique",
            |name| has_clique(pcs, name),
        ));
        let names = at.field("childScalingGroupNames");
        let groups = &pcs.spec.template.scaling_groups;
        errors.extend(unknown(
            &names,
            &filter.child_scaling_group_names,
            "scaling group",
            |name| groups.iter().any(|group| group.name == name),
        ));
    }
    errors
}

fn filters_of_group(at: &Path, group: &PodCliqueScalingGroupConfig) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, entry) in group.resource_sharing.iter().enumerate() {
        let Some(filter) = &entry.filter else {
            continue;
        };
        let at = at.index(i).field("filter");
        if filter.child_clique_names.is_empty() {
            let problem = "a filter without names shares the claim with no clique";
            errors.push(at.missing(problem, "name cliques of the group, or remove the filter"));
        }
        let names = at.field("childCliqueNames");
        let what = "clique in this group";
        errors.extend(unknown(&names, &filter.child_clique_names, what, |name| {
            group.clique_names.iter().any(|member| member == name)
        }));
    }
    errors
}

fn unknown(
    at: &Path,
    names: &[String],
    what: &str,
    is_known: impl Fn(&str) -> bool,
) -> Vec<FieldError> {
    let strangers = names.iter().enumerate().filter(|(_, name)| !is_known(name));
    let error = |(i, name): (usize, &String)| {
        at.index(i).wrong(
            name,
            format!("there is no such {what}"),
            "correct or remove it",
        )
    };
    strangers.map(error).collect()
}
