//! Steps in plain words.

use crate::output::{self, count};
use crate::plan::changes::{Action, PlannedStep};

/// More names than this are only counted, except with `-o wide`.
const SHOWN: usize = 10;

/// Numbered; consecutive steps of one kind share a line.
pub(super) fn draw_steps(steps: &[&PlannedStep], is_wide: bool) -> String {
    let alike = steps.chunk_by(|one, other| are_listed_together(one, other));
    alike
        .zip(1..)
        .map(|(steps, number)| {
            let first = format!("{number:>3}. ");
            output::indent(&first, &describe(steps, is_wide))
        })
        .collect()
}

fn are_listed_together(one: &PlannedStep, other: &PlannedStep) -> bool {
    let can_be = [Action::Create, Action::Remove, Action::Update].contains(&one.action);
    can_be
        && one.action == other.action
        && one.kind == other.kind
        && one.why == other.why
        && one.waits_for == other.waits_for
        && one.fields == other.fields
}

fn describe(steps: &[&PlannedStep], is_wide: bool) -> String {
    let Some(step) = steps.first() else {
        return String::new();
    };
    let kind = step.kind.to_lowercase();
    let named = || {
        let names: Vec<String> = steps.iter().map(|step| name_with_pods(step)).collect();
        list(&names, is_wide)
    };
    let why = step
        .why
        .as_ref()
        .map_or(String::new(), |why| format!(": {why}"));
    let name = &step.name;
    match step.action {
        Action::Create => match &step.waits_for {
            None => format!("create {kind} {}{why}", named()),
            Some(base) => format!(
                "create {kind} {}, when the minimum of podgang {base} is ready",
                named()
            ),
        },
        Action::Remove => format!("remove {kind} {}{why}", named()),
        Action::Update => match step.fields.len() {
            0 => format!("update {kind} {} in place{why}", named()),
            _ => format!(
                "update {kind} {} in place: {}",
                named(),
                list(&step.fields, is_wide)
            ),
        },
        Action::Scale => describe_scale(step, &kind, is_wide),
        Action::Restart if kind == "pod" => format!("replace pod {name}{why}"),
        Action::Restart => describe_restart(step, is_wide),
        Action::Recreate => describe_recreation(step, &kind, &why, is_wide),
        Action::Release => {
            let pods = list(&step.pods, is_wide);
            format!("let pods of {name} go on that waited for others: {pods}")
        }
    }
}

fn name_with_pods(step: &PlannedStep) -> String {
    let name = &step.name;
    let is_pod = step.kind == "Pod" && step.new_pods <= 1;
    match step.new_pods.max(step.pods.len()) {
        0 => name.clone(),
        _ if is_pod => name.clone(),
        pods => format!("{name} ({})", count(pods, "pod")),
    }
}

fn describe_scale(step: &PlannedStep, kind: &str, is_wide: bool) -> String {
    let number = |number: Option<i64>| number.map_or("?".to_owned(), |n| n.to_string());
    let mut parts = vec![format!("scale {kind} {}", step.name)];
    if step.from.is_some() || step.to.is_some() {
        parts.push(format!(
            " from {} to {}",
            number(step.from),
            number(step.to)
        ));
    }
    if step.new_pods > 0 {
        parts.push(format!(": {}", count(step.new_pods, "more pod")));
    }
    if !step.pods.is_empty() {
        parts.push(format!(": remove {}", list(&step.pods, is_wide)));
    }
    parts.concat()
}

fn describe_restart(step: &PlannedStep, is_wide: bool) -> String {
    let (pods, budget) = (count(step.pods.len(), "pod"), describe_budget(step, ""));
    let first = format!("restart {pods} of {}{budget}: ", step.name);
    if step.not_ready.is_empty() {
        return first + &list(&step.pods, is_wide);
    }
    let rest: Vec<String> = step
        .pods
        .iter()
        .filter(|pod| !step.not_ready.contains(pod))
        .cloned()
        .collect();
    let not_ready = list(&step.not_ready, is_wide);
    let then = if rest.is_empty() {
        String::new()
    } else {
        format!("; then {}", list(&rest, is_wide))
    };
    format!("{first}first the pods that are not Ready, {not_ready}{then}")
}

fn describe_recreation(step: &PlannedStep, kind: &str, why: &str, is_wide: bool) -> String {
    if step.group_replicas.is_empty() {
        let pods = count(step.pods.len(), "pod");
        return format!("recreate {kind} {} ({pods}){why}", step.name);
    }
    let replicas: Vec<String> = step
        .group_replicas
        .iter()
        .map(ToString::to_string)
        .collect();
    let word = if replicas.len() == 1 {
        "replica"
    } else {
        "replicas"
    };
    let budget = describe_budget(step, "as a whole, ");
    let pods = count(step.pods.len(), "pod");
    format!(
        "recreate {word} {} of {kind} {}{budget}: {pods}",
        list(&replicas, is_wide),
        step.name
    )
}

/// How much goes at the same time.
fn describe_budget(step: &PlannedStep, how: &str) -> String {
    let unavailable = step.max_unavailable.unwrap_or(1);
    let limits = match step.max_surge {
        None => format!("maxUnavailable {unavailable}"),
        Some(surge) if unavailable == 0 => format!("maxSurge {surge}"),
        Some(surge) => format!("maxSurge {surge}, or without room maxUnavailable {unavailable}"),
    };
    match step.at_once {
        None => String::new(),
        Some(1) => format!(", {how}one at a time ({limits})"),
        Some(number) => format!(", {how}{number} at a time ({limits})"),
    }
}

fn list(names: &[String], is_wide: bool) -> String {
    let shown = if is_wide { names.len() } else { SHOWN };
    let first: Vec<&str> = names.iter().take(shown).map(String::as_str).collect();
    match names.len().saturating_sub(shown) {
        0 => first.join(", "),
        rest => format!("{} and {rest} more", first.join(", ")),
    }
}
