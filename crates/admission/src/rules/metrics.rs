//! Metrics of autoscalers that the API server refuses (Kubernetes, `pkg/apis/autoscaling/validation`).
//! Grove does not check them: in a set that Grove accepted only the autoscaler is missing, and the
//! operator reports it.

mod source;

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;
use k8s_openapi::api::autoscaling::v2::MetricSpec;

use self::source::{KINDS, Kind, Source, sources_of, values_of};
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::{FieldError, Path};

const TARGETS: [&str; 3] = ["Utilization", "Value", "AverageValue"];

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let of_cliques = cliques(pcs).filter_map(|(at, clique)| {
        let scaling = clique.spec.auto_scaling_config.as_ref()?;
        Some((at.field("spec").field("autoScalingConfig"), scaling))
    });
    let of_groups = scaling_groups(pcs).filter_map(|(at, group)| {
        let scaling = group.scale_config.as_ref()?;
        Some((at.field("scaleConfig"), scaling))
    });
    let all = of_cliques.chain(of_groups);
    all.flat_map(|(at, scaling)| of_config(&at, scaling))
        .collect()
}

fn of_config(at: &Path, scaling: &AutoScalingConfig) -> Vec<FieldError> {
    let at = at.field("metrics");
    let metrics = scaling.metrics.iter().enumerate();
    metrics
        .flat_map(|(i, metric)| of_metric(&at.index(i), metric))
        .collect()
}

fn of_metric(at: &Path, metric: &MetricSpec) -> Vec<FieldError> {
    let sources = sources_of(metric);
    let type_ = metric.type_.as_str();
    let Some(kind) = KINDS.into_iter().find(|kind| kind.type_ == type_) else {
        return vec![unknown_type(at, type_, &sources)];
    };
    let Some(own) = sources.iter().find(|source| source.kind.type_ == type_) else {
        return vec![no_source(at, kind, &sources)];
    };
    let others = sources.iter().filter(|s| s.kind.type_ != type_);
    let mut errors: Vec<FieldError> = others.map(|other| foreign(at, kind, other)).collect();
    errors.extend(of_source(&at.field(kind.field), own));
    errors
}

fn unknown_type(at: &Path, type_: &str, sources: &[Source<'_>]) -> FieldError {
    let known = KINDS.map(|kind| kind.type_);
    let lone = || match sources {
        [source] => Some(source.kind.type_),
        _ => None,
    };
    let of_name = || matches!(type_, "cpu" | "memory").then_some("Resource");
    let meant = nearest(&known, type_).or_else(lone).or_else(of_name);
    let remedy = propose(&known, meant);
    wrong_word(&at.field("type"), type_, "is no type of metric", remedy)
}

fn no_source(at: &Path, kind: &Kind, sources: &[Source<'_>]) -> FieldError {
    let (type_, field) = (kind.type_, kind.field);
    let remedy = match sources {
        [source] => {
            let (meant, found) = (source.kind.type_, source.kind.field);
            format!("write {field} instead of {found}; did you mean type {meant}?")
        }
        _ => format!("write what {field} measures, and its target"),
    };
    let problem = format!("is needed by a metric of type {type_}");
    at.field(field).missing(problem, remedy)
}

fn foreign(at: &Path, kind: &Kind, other: &Source<'_>) -> FieldError {
    let problem = format!("must not be set for a metric of type {}", kind.type_);
    let remedy = format!(
        "remove it, or make it a metric of its own, of type {}",
        other.kind.type_
    );
    at.field(other.kind.field)
        .wrong(other.target, problem, remedy)
}

/// Of a source of the right type.
fn of_source(at: &Path, source: &Source<'_>) -> Vec<FieldError> {
    let names = source.names.iter().filter(|(_, name)| name.is_empty());
    let mut errors: Vec<FieldError> = names
        .map(|(field, _)| {
            let problem = format!("is needed by a metric of type {}", source.kind.type_);
            at.field(field).missing(problem, "name what is measured")
        })
        .collect();
    let at = at.field("target");
    errors.extend(target_type(&at, source));
    errors.extend(not_positive(&at, source));
    errors.extend(values(&at, source));
    errors
}

fn target_type(at: &Path, source: &Source<'_>) -> Option<FieldError> {
    let type_ = source.target.type_.as_str();
    if TARGETS.contains(&type_) {
        return None;
    }
    let of_value = || values_of(source.target).first().map(|value| value.type_);
    let meant = nearest(&TARGETS, type_).or_else(of_value);
    let remedy = propose(&TARGETS, meant);
    Some(wrong_word(
        &at.field("type"),
        type_,
        "is no type of target",
        remedy,
    ))
}

fn not_positive(at: &Path, source: &Source<'_>) -> Vec<FieldError> {
    let values = values_of(source.target).into_iter();
    let wrong = values.filter(|value| !value.is_positive);
    wrong
        .map(|value| {
            let remedy = format!("raise it, such as to {}", value.example);
            at.field(value.field)
                .wrong(value.json, "must be greater than 0", remedy)
        })
        .collect()
}

/// One of the values of the kind is needed; of some kinds no other may be beside it.
fn values(at: &Path, source: &Source<'_>) -> Option<FieldError> {
    let kind = source.kind;
    let values = values_of(source.target).into_iter();
    let mut own = values.filter(|value| kind.values.contains(&value.field));
    let Some(first) = own.next() else {
        let problem = format!("is needed by a metric of type {}", kind.type_);
        let fields = kind.values.join(" or ");
        let first = kind.values.first().copied().unwrap_or_default();
        return Some(at.field(first).missing(problem, format!("set {fields}")));
    };
    let second = own.next().filter(|_| kind.has_one_value)?;
    let problem = format!("must not be set beside {}", first.field);
    let at = at.field(second.field);
    Some(at.wrong(second.json, problem, "remove one of the two"))
}

fn wrong_word(at: &Path, word: &str, problem: &str, remedy: String) -> FieldError {
    if word.is_empty() {
        return at.missing("is needed", remedy);
    }
    at.wrong(word, problem, remedy)
}

/// The word in its own case.
fn nearest<'a>(words: &[&'a str], word: &str) -> Option<&'a str> {
    let mut words = words.iter().copied();
    words.find(|known| known.eq_ignore_ascii_case(word))
}

/// "use A, B or C; did you mean B?"
fn propose(words: &[&str], meant: Option<&str>) -> String {
    let Some((last, others)) = words.split_last() else {
        return String::new();
    };
    let meant = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
    format!("use {} or {last}{meant}", others.join(", "))
}
