//! Jobs that end in a surprising way (docs/training.md).

use api::{GoDuration, PodCliqueSet, WorkloadType};
use jiff::SignedDuration;

use crate::lint::parts::{cliques, containers};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const NO_RESTARTS: Rule = Rule::warning(
    "no-restarts",
    "a job without maxRestarts, or with maxRestarts 0",
    "The first pod that fails, is evicted or loses its node ends the job for good. Only a new set \
     starts it again.",
);

pub(in crate::lint) const ON_FAILURE_WITHOUT_DELAY: Rule = Rule::warning(
    "on-failure-without-delay",
    "restartPolicy OnFailure in a job without terminationDelay",
    "The kubelet restarts containers in place, but not pods that are evicted, deleted or lost with \
     their node: without a delay the first of these restarts the whole replica at once, work of all \
     others included. With a delay such a pod is replaced alone if it is back in time.",
);

pub(in crate::lint) const ON_FAILURE_WITHOUT_END: Rule = Rule::warning(
    "on-failure-without-max-runtime",
    "restartPolicy OnFailure in a job without maxRuntime",
    "A container that crashes again and again is no failure of the pod and never counts against \
     maxRestarts: without maxRuntime such a job holds its nodes forever.",
);

pub(in crate::lint) const PROBE_WITHOUT_DELAY: Rule = Rule::warning(
    "readiness-probe-without-delay",
    "a readiness probe in a job with restartPolicy Never and without terminationDelay",
    "Readiness counts: a pod that was Ready and fails its probe once is missing from the minimum, and \
     without a delay that restarts the replica at once.",
);

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    if set.spec.workload_type != Some(WorkloadType::Training) {
        return Vec::new();
    }
    let on_failure = on_failure(set);
    let parts = [no_restarts(set), without_delay(set, on_failure.as_ref())];
    let ends = without_end(set, on_failure.as_ref());
    parts
        .into_iter()
        .flatten()
        .chain(ends)
        .chain(probes(set))
        .collect()
}

fn no_restarts(set: &PodCliqueSet) -> Option<Remark> {
    let limits = set.spec.training_spec.as_ref();
    let most = limits.and_then(|limits| limits.max_restarts).unwrap_or(0);
    let problem = "the first failure of any pod ends the job".to_owned();
    (most == 0).then(|| {
        let remark = Remark::new(&NO_RESTARTS, "spec.trainingSpec.maxRestarts", problem);
        remark
            .value("0")
            .remedy("set the number of restarts that the job may use")
    })
}

/// The first clique whose pods restart in place.
fn on_failure(set: &PodCliqueSet) -> Option<String> {
    let is_on_failure = |policy: Option<&str>| policy == Some("OnFailure");
    let (at, _) = cliques(set).find(|(_, clique)| {
        let policy = &clique.spec.pod_spec.restart_policy;
        is_on_failure(policy.as_deref())
    })?;
    Some(format!("{at}.spec.podSpec.restartPolicy"))
}

fn is_immediate(set: &PodCliqueSet) -> bool {
    let delay = &set.spec.template.termination_delay;
    let delay = delay
        .as_ref()
        .map_or(Ok(SignedDuration::ZERO), GoDuration::parse);
    delay.is_ok_and(|delay| delay.is_zero())
}

fn without_delay(set: &PodCliqueSet, on_failure: Option<&String>) -> Option<Remark> {
    let at = on_failure.filter(|_| is_immediate(set))?;
    let problem = "one evicted or lost pod restarts the whole replica at once".to_owned();
    let remark = Remark::new(&ON_FAILURE_WITHOUT_DELAY, at, problem);
    Some(
        remark
            .value("\"OnFailure\"")
            .remedy("set spec.template.terminationDelay, such as 5m"),
    )
}

fn without_end(set: &PodCliqueSet, on_failure: Option<&String>) -> Option<Remark> {
    let limits = set.spec.training_spec.as_ref();
    let is_endless = limits.is_none_or(|limits| limits.max_runtime.is_none());
    let at = on_failure.filter(|_| is_endless)?;
    let problem = "a crash loop counts as no failure and never ends".to_owned();
    let remark = Remark::new(&ON_FAILURE_WITHOUT_END, at, problem);
    Some(
        remark
            .value("\"OnFailure\"")
            .remedy("set spec.trainingSpec.maxRuntime"),
    )
}

fn probes(set: &PodCliqueSet) -> Vec<Remark> {
    if !is_immediate(set) {
        return Vec::new();
    }
    let probed = cliques(set)
        .filter(|(_, clique)| {
            let policy = &clique.spec.pod_spec.restart_policy;
            policy.as_deref() == Some("Never")
        })
        .flat_map(|(at, clique)| {
            containers(&format!("{at}.spec.podSpec"), &clique.spec.pod_spec)
                .filter(|(_, c)| c.readiness_probe.is_some())
        });
    let remark = |(at, _)| {
        let problem = "a pod that fails it once restarts the whole replica at once".to_owned();
        let at = format!("{at}.readinessProbe");
        let remark = Remark::new(&PROBE_WITHOUT_DELAY, at, problem);
        remark.remedy("remove it, or set spec.template.terminationDelay")
    };
    probed.map(remark).collect()
}
