//! A job that deletes itself, in the hands of a tool that would create it again.

use api::PodCliqueSet;

use super::Warning;
use crate::field::Path;

/// Beginnings of the labels and annotations by which tools know the objects that they write.
const TOOLS: [(&str, &str); 3] = [
    ("argocd.argoproj.io/", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/", "Flux"),
    ("helm.toolkit.fluxcd.io/", "Flux"),
];

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<Warning> {
    let limits = pcs.spec.training_spec.as_ref();
    let is_kept_for_a_time = limits.is_some_and(|limits| limits.ttl_after_finished.is_some());
    let tool = find_tool(pcs).filter(|_| is_kept_for_a_time);
    let warning = tool.map(|tool| {
        let at = Path::new("spec").field("trainingSpec");
        let text = format!(
            "{tool} creates the job again once it is deleted, and it runs again; take the manifest \
             out of its source, or remove ttlAfterFinished"
        );
        Warning::new(&at.field("ttlAfterFinished"), text)
    });
    warning.into_iter().collect()
}

fn find_tool(pcs: &PodCliqueSet) -> Option<&'static str> {
    let meta = &pcs.metadata;
    let mut keys = [&meta.labels, &meta.annotations]
        .into_iter()
        .flatten()
        .flat_map(|all| all.keys());
    keys.find_map(|key| {
        let mut tools = TOOLS.iter();
        let (_, tool) = tools.find(|(beginning, _)| key.starts_with(beginning))?;
        Some(*tool)
    })
}
