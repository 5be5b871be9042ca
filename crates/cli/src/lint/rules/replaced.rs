//! Fields that the operator sets itself.

use api::labels::env;
use api::{PodCliqueSet, WorkloadType};
use domain::workload::layout;
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec};

use crate::lint::parts::{all_containers, pods};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const REPLACED: Rule = Rule::warning(
    "replaced-by-operator",
    "hostname, subdomain or a GROVE_ variable in a pod spec",
    "The operator sets them in every pod, so that the pods of a gang find each other. The value in \
     the template has no effect.",
);

/// Of every pod.
const OF_ALL: [&str; 5] = [
    env::PCS_NAME,
    env::PCS_INDEX,
    env::PCLQ_NAME,
    env::HEADLESS_SERVICE,
    env::PCLQ_POD_INDEX,
];
/// Of pods of a job.
const OF_JOBS: [&str; 1] = [env::ATTEMPT];
/// Of pods in a scaling group.
const OF_GROUPS: [&str; 4] = [
    env::PCSG_NAME,
    env::PCSG_TEMPLATE_NUM_PODS,
    env::PCSG_INDEX,
    env::PCSG_POD_INDEX,
];

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let cliques = set.spec.template.cliques.iter();
    pods(set)
        .zip(cliques)
        .flat_map(|((at, pod), clique)| {
            let is_grouped = layout::group_of(&set.spec.template, &clique.name).is_some();
            let is_job = set.spec.workload_type == Some(WorkloadType::Training);
            let variables = variables(&at, pod, &replaced(is_grouped, is_job));
            [names(&at, pod), variables].concat()
        })
        .collect()
}

fn names(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let names = [("hostname", &pod.hostname), ("subdomain", &pod.subdomain)];
    names
        .into_iter()
        .filter(|(_, name)| name.is_some())
        .map(|(field, _)| remark(format!("{at}.{field}")))
        .collect()
}

/// The variables that the operator sets in pods.
fn replaced(is_grouped: bool, is_job: bool) -> Vec<&'static str> {
    let of_groups = OF_GROUPS.iter().filter(|_| is_grouped);
    let of_jobs = OF_JOBS.iter().filter(|_| is_job);
    OF_ALL
        .iter()
        .chain(of_groups)
        .chain(of_jobs)
        .copied()
        .collect()
}

fn variables(at: &str, pod: &PodSpec, own: &[&str]) -> Vec<Remark> {
    all_containers(at, pod)
        .flat_map(|(at, container): (String, &Container)| {
            let variables = container.env.iter().flatten().enumerate();
            variables
                .filter(|(_, v): &(usize, &EnvVar)| own.contains(&v.name.as_str()))
                .map(|(i, _)| remark(format!("{at}.env[{i}].name")))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn remark(at: String) -> Remark {
    let problem = "has no effect: the operator sets it in every pod".to_owned();
    Remark::new(&REPLACED, at, problem).remedy("remove it")
}
