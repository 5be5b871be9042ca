//! Templates of resource claims that the API server refuses in claims, or that nobody uses.

use admission::is_dns_label;
use api::PodCliqueSet;
use api::resources::ResourceClaimTemplateConfig;
use serde_json::Value;
use strsim::osa_distance;

use super::pod::fields::values_at;
use crate::lint::parts::{cliques, groups};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_CLAIM: Rule = Rule::error(
    "invalid-claim-template",
    "a claim template, or a request in it, with a name that is no DNS label, with a negative count, or with \
     an unknown allocationMode",
    "The API server stores the set and refuses its claims, and pods wait for them.",
);

pub(in crate::lint) const UNUSED_TEMPLATE: Rule = Rule::warning(
    "unused-claim-template",
    "an entry of resourceClaimTemplates that no resourceSharing names",
    "No claim is made from it, so no pod gets its devices.",
);

const MODES: [&str; 2] = ["ExactCount", "All"];
/// So many letters differ at most in a name that was misspelt.
const NEAR: usize = 2;

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let used = names_in_use(set);
    let templates = set
        .spec
        .template
        .resource_claim_templates
        .iter()
        .enumerate();
    templates
        .flat_map(|(i, template)| {
            let at = format!("spec.template.resourceClaimTemplates[{i}]");
            let mut remarks = invalid_parts(&at, template);
            remarks.extend(unused(&at, &template.name, &used));
            remarks
        })
        .collect()
}

/// The names in all lists of `resourceSharing`, with their paths.
fn names_in_use(set: &PodCliqueSet) -> Vec<(String, &str)> {
    let template = &set.spec.template;
    let own = template.resource_sharing.iter().enumerate();
    let own = own.map(|(i, entry)| (path("spec.template", i), entry.sharing.name.as_str()));
    let of_groups = groups(set).flat_map(|(at, group)| {
        let entries = group.resource_sharing.iter().enumerate();
        entries.map(move |(i, entry)| (path(&at, i), entry.sharing.name.as_str()))
    });
    let of_cliques = cliques(set).flat_map(|(at, clique)| {
        let entries = clique.resource_sharing.iter().enumerate();
        entries.map(move |(i, entry)| (path(&at, i), entry.name.as_str()))
    });
    own.chain(of_groups).chain(of_cliques).collect()
}

fn path(at: &str, index: usize) -> String {
    format!("{at}.resourceSharing[{index}].name")
}

fn unused(at: &str, name: &str, used: &[(String, &str)]) -> Option<Remark> {
    let is_used = used.iter().any(|(_, other)| *other == name);
    (!is_used).then(|| {
        let problem = "no resourceSharing names this template, so no claim is made from it";
        let remark = Remark::new(&UNUSED_TEMPLATE, format!("{at}.name"), problem.to_owned());
        let mut near = used
            .iter()
            .filter(|(_, other)| osa_distance(other, name) <= NEAR);
        let remedy = match near.next() {
            Some((place, other)) => format!("correct {place}, which is {other:?}"),
            None => "name it in a resourceSharing of the set, a group or a clique, or remove it"
                .to_owned(),
        };
        remark.value(format!("{name:?}")).remedy(remedy)
    })
}

fn invalid_parts(at: &str, template: &ResourceClaimTemplateConfig) -> Vec<Remark> {
    let spec = serde_json::to_value(&template.template_spec).unwrap_or_default();
    let of_spec = |field: &str| {
        let at = format!("{at}.templateSpec");
        values_at(&spec, &at, &format!("spec.devices.requests.{field}"))
    };
    let own = invalid_name(format!("{at}.name"), &template.name);
    let names = of_spec("name").into_iter();
    let names = names.filter_map(|(at, name)| invalid_name(at, name.as_str()?));
    let modes = of_spec("exactly.allocationMode").into_iter();
    let modes = modes.filter_map(|(at, mode)| unknown_mode(at, mode.as_str()?));
    let counts = of_spec("exactly.count").into_iter();
    let counts = counts.filter_map(|(at, count)| negative(at, count));
    own.into_iter()
        .chain(names)
        .chain(modes)
        .chain(counts)
        .collect()
}

/// An empty name has an error of admission, or of the definition.
fn invalid_name(at: String, name: &str) -> Option<Remark> {
    (!name.is_empty() && !is_dns_label(name)).then(|| {
        let problem = "must be a DNS label: lower-case letters, digits and hyphens, at most 63";
        let remark = Remark::new(&INVALID_CLAIM, at, problem.to_owned());
        remark.value(format!("{name:?}")).remedy("rename it")
    })
}

fn unknown_mode(at: String, mode: &str) -> Option<Remark> {
    (!mode.is_empty() && !MODES.contains(&mode)).then(|| {
        let problem = "is no allocation mode".to_owned();
        let remark = Remark::new(&INVALID_CLAIM, at, problem).value(format!("{mode:?}"));
        remark.remedy(format!("use one of {}", MODES.join(", ")))
    })
}

fn negative(at: String, count: &Value) -> Option<Remark> {
    let count = count.as_i64().filter(|count| *count < 0)?;
    let problem = "must be at least 1".to_owned();
    let remark = Remark::new(&INVALID_CLAIM, at, problem).value(count.to_string());
    Some(remark.remedy("set the number of devices"))
}
