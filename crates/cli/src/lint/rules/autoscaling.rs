//! Autoscalers that cannot work (docs/autoscaling.md).

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;
use k8s_openapi::api::autoscaling::v2::{MetricSpec, MetricTarget};
use k8s_openapi::api::core::v1::PodSpec;

use super::resources::asks_everywhere;
use crate::lint::parts::{cliques, groups};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const CANNOT_SCALE_IN: Rule = Rule::warning(
    "autoscaler-cannot-scale-in",
    "minAvailable equal to replicas beside an autoscaler",
    "An autoscaler never goes below minAvailable, and minAvailable of a clique defaults to replicas: \
     the count then never falls below its initial value, and at that value a single pod that is \
     not Ready is a breach.",
);

pub(in crate::lint) const ONE_SIZE: Rule = Rule::warning(
    "autoscaler-of-one-size",
    "an autoscaler with equal minReplicas and maxReplicas",
    "It measures and never scales. minReplicas defaults to the larger of replicas and minAvailable.",
);

pub(in crate::lint) const NO_REQUEST: Rule = Rule::warning(
    "autoscaler-without-request",
    "an autoscaler by utilization of a resource that a container does not request",
    "Utilization is a share of the request: without one Kubernetes measures nothing, and the \
     autoscaler stays where it is (ScalingActive=False/FailedGetResourceMetric).",
);

pub(in crate::lint) const METRIC_BY_PODS: Rule = Rule::warning(
    "group-metric-by-pods",
    "a metric that is counted by pods, for a group of several pods a replica",
    "Kubernetes takes a number of pods for that of group replicas: two replicas of four pods, a \
     fifth above their target, become ten. A target with averageValue of type External or Object \
     is divided by replicas.",
);

/// A scaled part.
struct Scaled<'a> {
    /// Path of the object with the count.
    at: String,
    /// Path of the autoscaler's settings.
    config_at: String,
    config: &'a AutoScalingConfig,
    replicas: i32,
    minimum: i32,
    /// Its pods' templates, each with its number of pods.
    pods: Vec<(&'a PodSpec, i32)>,
    is_group: bool,
}

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    of_cliques(set)
        .chain(of_groups(set))
        .flat_map(|scaled| {
            let found = [
                cannot_scale_in(&scaled),
                one_size(&scaled),
                no_request(&scaled),
                metric_by_pods(&scaled),
            ];
            found.into_iter().flatten()
        })
        .collect()
}

fn of_cliques(set: &PodCliqueSet) -> impl Iterator<Item = Scaled<'_>> {
    cliques(set).filter_map(|(at, clique)| {
        let spec = &clique.spec;
        let at = format!("{at}.spec");
        Some(Scaled {
            config_at: format!("{at}.autoScalingConfig"),
            at,
            config: spec.auto_scaling_config.as_ref()?,
            replicas: spec.replicas,
            minimum: spec.min_available.unwrap_or(spec.replicas),
            pods: vec![(&spec.pod_spec, 1)],
            is_group: false,
        })
    })
}

fn of_groups(set: &PodCliqueSet) -> impl Iterator<Item = Scaled<'_>> {
    groups(set).filter_map(|(at, group)| {
        let members = cliques(set).filter(|(_, c)| group.clique_names.contains(&c.name));
        let pods = members.map(|(_, c)| (&*c.spec.pod_spec, c.spec.replicas));
        Some(Scaled {
            config_at: format!("{at}.scaleConfig"),
            at,
            config: group.scale_config.as_ref()?,
            replicas: group.replicas.unwrap_or(1),
            minimum: group.min_available.unwrap_or(1),
            pods: pods.collect(),
            is_group: true,
        })
    })
}

fn cannot_scale_in(scaled: &Scaled<'_>) -> Option<Remark> {
    let (replicas, minimum) = (scaled.replicas, scaled.minimum);
    let origin = if scaled.is_group {
        ""
    } else {
        " (the default)"
    };
    let problem =
        format!("is all of replicas{origin}, so the autoscaler never goes below {replicas}");
    let at = format!("{}.minAvailable", scaled.at);
    // A minimum above replicas is an error of its own.
    (replicas > 1 && minimum == replicas).then(|| {
        Remark::new(&CANNOT_SCALE_IN, at, problem)
            .value(minimum.to_string())
            .remedy(remedy_to_scale_in(scaled))
    })
}

/// `minReplicas` of the autoscaler, by default all of replicas, holds the count likewise.
fn remedy_to_scale_in(scaled: &Scaled<'_>) -> String {
    let least = scaled.config.min_replicas.unwrap_or(scaled.replicas);
    if least < scaled.replicas {
        return "write minAvailable: 1, or the smallest count that works".to_owned();
    }
    let (_, field) = scaled.config_at.rsplit_once('.').unwrap_or_default();
    format!(
        "write minAvailable: 1 and {field}.minReplicas: 1 (now {least}), or the smallest counts that work"
    )
}

fn one_size(scaled: &Scaled<'_>) -> Option<Remark> {
    let most = scaled.config.max_replicas;
    let problem = "is minReplicas too, so nothing is ever scaled".to_owned();
    let at = format!("{}.maxReplicas", scaled.config_at);
    (scaled.config.min_replicas == Some(most)).then(|| {
        let remark = Remark::new(&ONE_SIZE, at, problem).value(most.to_string());
        remark.remedy("raise it, or remove the autoscaler")
    })
}

fn no_request(scaled: &Scaled<'_>) -> Option<Remark> {
    let mut resources = utilized(scaled.config).into_iter();
    let lacks = |resource: &&str| {
        scaled
            .pods
            .iter()
            .any(|(pod, _)| !asks_everywhere(pod, resource))
    };
    let resource = resources.find(lacks)?;
    let problem =
        format!("measures utilization of {resource}, but a container requests no {resource}");
    let at = format!("{}.metrics", scaled.config_at);
    let remedy = format!("set resources.requests.{resource} in each container, or another metric");
    Some(Remark::new(&NO_REQUEST, at, problem).remedy(remedy))
}

/// The resources with a utilization target; the CPU by default.
fn utilized(config: &AutoScalingConfig) -> Vec<&str> {
    if config.metrics.is_empty() {
        return vec!["cpu"];
    }
    config
        .metrics
        .iter()
        .filter_map(|m| m.resource.as_ref())
        .filter(|metric| metric.target.average_utilization.is_some())
        .map(|metric| metric.name.as_str())
        .collect()
}

fn metric_by_pods(scaled: &Scaled<'_>) -> Option<Remark> {
    let pods: i32 = scaled.pods.iter().map(|(_, count)| *count).sum();
    let metrics = &scaled.config.metrics;
    let by_pods = metrics
        .iter()
        .position(|metric| !is_divided_by_replicas(metric));
    let (at, subject) = match by_pods {
        Some(i) => (format!(".metrics[{i}]"), "this metric"),
        None if metrics.is_empty() => (
            ".metrics".to_owned(),
            "the default metric, CPU utilization,",
        ),
        None => return None,
    };
    let at = format!("{}{at}", scaled.config_at);
    let problem = format!("{subject} is counted by pods, and a group replica has {pods} pods");
    (scaled.is_group && pods > 1).then(|| {
        let remark = Remark::new(&METRIC_BY_PODS, at, problem);
        remark.remedy("use type External or Object with an averageValue")
    })
}

fn is_divided_by_replicas(metric: &MetricSpec) -> bool {
    let is_average = |target: &MetricTarget| target.average_value.is_some();
    let external = metric.external.as_ref().map(|m| &m.target);
    let object = metric.object.as_ref().map(|m| &m.target);
    external.or(object).is_some_and(is_average)
}
