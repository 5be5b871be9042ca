//! The new objects of a set, as text.

use std::collections::{BTreeMap, BTreeSet};

use api::labels::env;

use super::fold::fold_replicas;
use super::heading;
use super::settings::draw_settings;
use super::topology::draw_topology;
use crate::output::{self, Table, count, legible};
use crate::plan::outline::{Amounts, AskedPods, Autoscaler, CliquePods, Gang, Outline, Variable};

/// More values than this are only counted.
const SHOWN_VALUES: usize = 2;
/// Only a profile lets the default scheduler know of gangs.
const POD_BY_POD: &str = "without a profile for gangs default-scheduler places pods one by one, so \
                          a gang may start in part: docs/gang-scheduling.md";
/// The width of the longest name of a variable.
const NAMES: usize = env::PCSG_TEMPLATE_NUM_PODS.len();

pub(super) fn draw_outline(outline: &Outline, is_wide: bool) -> String {
    let (shown, equal) = fold_replicas(outline);
    let gangs: Vec<String> = shown.gangs.iter().map(draw_gang).collect();
    let parts: Vec<String> = [
        draw_summary(outline),
        gangs.join("\n"),
        equal,
        draw_idle(&shown.podcliques),
        draw_names("resource claims that pods share", &shown.claims),
        draw_names("ComputeDomains", &shown.compute_domains),
        draw_pods(&shown),
        if is_wide {
            draw_variables_of_each(&shown.podcliques)
        } else {
            draw_variables(&outline.podcliques)
        },
        draw_start_order(&shown.podcliques),
        draw_autoscalers(&shown.autoscalers),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect();
    parts.join("\n")
}

fn draw_summary(outline: &Outline) -> String {
    let heading = heading(&outline.name, &outline.namespace);
    let replicas = count(outline.replicas, "replica");
    let mut made = vec![count(outline.gangs.len(), "gang")];
    if !outline.groups.is_empty() {
        made.push(count(outline.groups.len(), "scaling group"));
    }
    made.push(count(outline.podcliques.len(), "podclique"));
    made.push(count(outline.pods(), "pod"));
    if !outline.claims.is_empty() {
        made.push(count(outline.claims.len(), "resource claim"));
    }
    if !outline.compute_domains.is_empty() {
        made.push(count(outline.compute_domains.len(), "ComputeDomain"));
    }
    let mut lines = vec![
        format!("{heading}: {}, {replicas}\n", outline.workload_type),
        format!("{}\n", made.join(", ")),
        draw_settings(outline),
    ];
    if outline.gangs.iter().any(|gang| gang.is_placed_pod_by_pod) {
        lines.push(output::indent("placement: ", POD_BY_POD));
    }
    let notes = [
        ("warning:", &outline.warnings),
        ("assumed:", &outline.assumptions),
        ("not acted on:", &outline.errors),
    ];
    for (word, messages) in notes {
        let first = format!("{} ", output::warn(word));
        lines.extend(
            messages
                .iter()
                .map(|message| output::indent(&first, message)),
        );
    }
    lines.concat()
}

fn draw_gang(gang: &Gang) -> String {
    let kind = if gang.waits_for.is_some() {
        "scaled"
    } else {
        "base"
    };
    let mut text = format!(
        "{} ({kind})\n",
        output::bold(&format!("gang {}", gang.name))
    );
    text.push_str(&output::indent("  ", &describe_start(gang)));
    text.push_str(&draw_topology(gang));
    text.push_str(&draw_quota(gang));
    let mut table = Table::new(&["  PODCLIQUE", "MINIMUM", "PODS"]);
    for part in &gang.podgroups {
        table.row(vec![
            format!("  {}", legible(&part.podclique)),
            part.min_replicas.to_string(),
            part.pods.to_string(),
        ]);
    }
    text.push_str(&table.print());
    text.push_str(&draw_requests(&gang.requests));
    text
}

/// `quota: asks queue team-a for leader 1, worker 4 (at least 2)`.
fn draw_quota(gang: &Gang) -> String {
    let Some(quota) = &gang.quota else {
        return String::new();
    };
    let pods: Vec<String> = quota.pod_sets.iter().map(describe_pods).collect();
    let asks = format!("asks queue {} for {}", quota.queue, pods.join(", "));
    output::indent("  quota: ", &asks)
}

fn describe_pods(pods: &AskedPods) -> String {
    let least = pods.min_count.map(|least| format!(" (at least {least})"));
    format!("{} {}{}", pods.name, pods.count, least.unwrap_or_default())
}

fn describe_start(gang: &Gang) -> String {
    let pods = count(gang.guaranteed_pods, "guaranteed pod");
    let more = match gang.best_effort_pods {
        0 => String::new(),
        number => format!(", {number} best effort"),
    };
    let until = gang.waits_until.as_deref().unwrap_or("ready");
    let start = match &gang.waits_for {
        None => "starts when all its pods exist".to_owned(),
        Some(base) => format!("starts when the minimum of gang {base} is {until}"),
    };
    format!("{pods}{more}; {start}")
}

fn draw_requests(requests: &Amounts) -> String {
    if requests.all.is_empty() {
        return "  its pods request nothing\n".to_owned();
    }
    let mut table = Table::new(&["  REQUESTS", "GUARANTEED", "ALL"]);
    for (name, all) in &requests.all {
        let guaranteed = requests.guaranteed.get(name).map_or("0", String::as_str);
        table.row(vec![
            format!("  {}", legible(name)),
            guaranteed.to_owned(),
            all.clone(),
        ]);
    }
    table.print()
}

fn draw_idle(podcliques: &[CliquePods]) -> String {
    let names: Vec<&str> = podcliques
        .iter()
        .filter(|clique| clique.replicas == 0)
        .map(|clique| clique.name.as_str())
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let first = format!("{} ", output::bold("scaled to zero, in no gang:"));
    output::indent(&first, &names.join(", "))
}

fn draw_names(title: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let title = output::bold(title);
    let names = names.iter().map(|name| format!("  {}\n", legible(name)));
    std::iter::once(format!("{title}\n")).chain(names).collect()
}

fn draw_pods(outline: &Outline) -> String {
    let title = output::bold("pods");
    let names = "name <podclique>-?????, hostname <podclique>-<index>";
    let mut lines = vec![format!("{title}\n  {names}\n")];
    for service in &outline.services {
        let addressed = if service.publishes_not_ready {
            "also before they are Ready"
        } else {
            "once they are Ready"
        };
        lines.push(format!("  <hostname>.{}\n", legible(&service.address)));
        let by = format!("by headless Service {}, {addressed}", service.name);
        lines.push(output::indent("    ", &by));
    }
    if outline.pods() == 0 {
        return String::new();
    }
    lines.concat()
}

/// Each variable once, with its values.
fn draw_variables(podcliques: &[CliquePods]) -> String {
    let with_pods = || podcliques.iter().filter(|c| !c.hostnames.is_empty());
    let mut values: BTreeMap<&str, (usize, BTreeSet<String>)> = BTreeMap::new();
    for variable in with_pods().flat_map(|clique| &clique.environment) {
        let (times, found) = values.entry(&variable.name).or_default();
        *times = times.saturating_add(1);
        found.insert(value_of(variable));
    }
    if values.is_empty() {
        return String::new();
    }
    let all = with_pods().count();
    let title = format!("{}\n", output::bold("variables of each container"));
    let lines = values.iter().map(|(name, (times, values))| {
        let only = if *times < all {
            ", in scaling groups"
        } else {
            ""
        };
        let line = format!("{}{only}", describe_values(values));
        output::indent(&format!("  {:<NAMES$} ", legible(name)), &line)
    });
    std::iter::once(title).chain(lines).collect()
}

fn describe_values(values: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = values
        .iter()
        .take(SHOWN_VALUES)
        .map(String::as_str)
        .collect();
    let rest = values.len().saturating_sub(shown.len());
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

fn value_of(variable: &Variable) -> String {
    if variable.name == env::ATTEMPT {
        return "uid of the set and attempt".to_owned();
    }
    let index = match variable.name.as_str() {
        env::PCLQ_POD_INDEX => Some("index of the pod"),
        env::PCSG_POD_INDEX => Some("index in its group replica"),
        _ => None,
    };
    let value = variable.value.as_deref().or(index);
    let value = value.or(variable.field_path.as_deref());
    value.unwrap_or_default().to_owned()
}

fn draw_variables_of_each(podcliques: &[CliquePods]) -> String {
    podcliques
        .iter()
        .filter(|c| !c.hostnames.is_empty())
        .flat_map(|clique| {
            let title = format!("variables of each container of {}", clique.name);
            let variables = clique
                .environment
                .iter()
                .map(|v| format!("  {:<NAMES$} {}\n", legible(&v.name), legible(&value_of(v))));
            std::iter::once(format!("{}\n", output::bold(&title))).chain(variables)
        })
        .collect()
}

fn draw_start_order(podcliques: &[CliquePods]) -> String {
    let lines: Vec<String> = podcliques
        .iter()
        .filter(|c| !c.starts_after.is_empty())
        .map(describe_order)
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let title = "start order: containers start once this many pods are Ready";
    format!("{}\n{}", output::bold(title), lines.concat())
}

fn describe_order(clique: &CliquePods) -> String {
    let pairs: Vec<String> = clique
        .starts_after
        .iter()
        .map(|pair| format!("{} of {}", count(pair.pods, "pod"), pair.podclique))
        .collect();
    let after = output::indent("    after ", &pairs.join(", "));
    format!("  {}\n{after}", legible(&clique.name))
}

fn draw_autoscalers(autoscalers: &[Autoscaler]) -> String {
    autoscalers
        .iter()
        .map(|autoscaler| {
            let (least, most) = (autoscaler.min_replicas, autoscaler.max_replicas);
            let target = autoscaler.target_kind.to_lowercase();
            let metrics = autoscaler.metrics.join(", ");
            let title = format!(
                "{}\n",
                output::bold(&format!("autoscaler {}", autoscaler.name))
            );
            let line = format!("keeps {target} at {least} to {most} replicas by {metrics}");
            title + &output::indent("  ", &line)
        })
        .collect()
}
