//! How the operator runs a job, or an update, in one line each.

use api::GoDuration;
use api::podcliqueset::{RollingUpdate, TrainingSpec, UpdateStrategyType};

use crate::output;
use crate::plan::outline::{Outline, UpdateSettings};

pub(super) fn draw_settings(outline: &Outline) -> String {
    let job = outline.training_spec.as_ref().map(describe_job);
    let job = job.map(|text| output::indent("job: ", &text));
    let update = outline.update.as_ref().map(describe_update);
    let update = update.map(|text| output::indent("update: ", &text));
    job.into_iter().chain(update).collect()
}

fn describe_job(job: &TrainingSpec) -> String {
    let mut parts = vec![
        format!("maxRestarts {}", job.max_restarts.unwrap_or(0)),
        describe_time("maxRuntime", job.max_runtime.as_ref()),
        describe_time("ttlAfterFinished", job.ttl_after_finished.as_ref()),
    ];
    if job.ignore_disruptions == Some(true) {
        parts.push("ignoreDisruptions".to_owned());
    }
    parts.join(", ")
}

fn describe_time(name: &str, time: Option<&GoDuration>) -> String {
    time.map_or_else(|| format!("no {name}"), |time| format!("{name} {time}"))
}

fn describe_update(update: &UpdateSettings) -> String {
    let strategy = &update.strategy;
    let mut own = vec![name_of(strategy.type_).to_owned()];
    own.extend(describe_number("partition", strategy.partition));
    if strategy.paused {
        own.push("paused".to_owned());
    }
    let mut parts = vec![own.join(", ")];
    for limits in &update.limits {
        let described = describe_limits(&limits.rolling_update);
        parts.push(format!("{}: {described}", limits.name));
    }
    parts.join("; ")
}

fn name_of(strategy: UpdateStrategyType) -> &'static str {
    match strategy {
        UpdateStrategyType::RollingRecreate => "RollingRecreate",
        UpdateStrategyType::Coherent => "Coherent",
        UpdateStrategyType::OnDelete => "OnDelete",
    }
}

fn describe_limits(limits: &RollingUpdate) -> String {
    let deadline = limits.progress_deadline.as_ref();
    let all = [
        describe_number("maxSurge", limits.max_surge),
        describe_number("maxUnavailable", limits.max_unavailable),
        describe_number("partition", limits.partition),
        describe_number("minReadySeconds", limits.min_ready_seconds),
        deadline.map(|deadline| format!("progressDeadline {deadline}")),
    ];
    let set: Vec<String> = all.into_iter().flatten().collect();
    if set.is_empty() {
        return "defaults".to_owned();
    }
    set.join(", ")
}

fn describe_number(name: &str, number: Option<i32>) -> Option<String> {
    Some(format!("{name} {}", number?))
}
