//! The requests of a set to KAI Scheduler, in labels and annotations. Its pod-grouper writes them
//! into the PodGroups that it creates; KAI reads them nowhere else (decision 137).

use api::PodGang;
use api::duration::GoDuration;
use api::kai::{KaiPodGroupSpec, NEVER_STALE, keys};
use domain::object::ownership;
use jiff::SignedDuration;

use super::topology;

/// Writes the requested values; fields without a request stay as others wrote them.
pub(super) fn write(spec: &mut KaiPodGroupSpec, gang: &PodGang) {
    if let Some(asked) = preemptibility(gang).and_then(Result::ok) {
        spec.preemptibility = Some(asked.to_owned());
    }
    if let Some(asked) = delay(gang).and_then(Result::ok) {
        spec.preemption_delay = Some(asked.to_owned());
    }
    // The operator decides whether a gang is stale: KAI would evict a gang that lacks an optional
    // part (seen with v0.17).
    let staleness = staleness(gang).and_then(Result::ok);
    spec.staleness_grace_period = Some(staleness.unwrap_or(NEVER_STALE).to_owned());
    let priority = gang.spec.priority_class_name.as_str();
    let asked = ownership::label(&gang.metadata, keys::PRIORITY).unwrap_or_default();
    let named = [priority, asked].into_iter().find(|name| !name.is_empty());
    spec.priority_class_name = named.map(str::to_owned);
}

/// The requests that have no effect, each with its value and the remedy.
pub(super) fn refused(gang: &PodGang) -> Vec<String> {
    let foreign = keys::NOT_OF_GANGS
        .into_iter()
        .filter_map(|key| Some((key, ownership::annotation(&gang.metadata, key)?)))
        .map(|(key, value)| {
            format!("annotation {key}: {value} is not a setting of gangs; remove it from the set")
        });
    let values = [preemptibility(gang), delay(gang), staleness(gang)];
    values
        .into_iter()
        .filter_map(|asked| asked?.err())
        .chain(foreign)
        .chain(topology::refused(gang))
        .collect()
}

fn preemptibility(gang: &PodGang) -> Option<Result<&str, String>> {
    let key = keys::PREEMPTIBILITY;
    let asked = ownership::label(&gang.metadata, key)?;
    let refuse = |cause: &str| {
        let remedy = "set preemptible or non-preemptible in the set";
        Err(format!("label {key}: {asked} {cause}; {remedy}"))
    };
    Some(match asked {
        "preemptible" | "non-preemptible" => Ok(asked),
        "semi-preemptible" => refuse(
            "asks for a gang of which only the pods beyond its minimum may be preempted, and no \
             release of a scheduler offers that yet",
        ),
        _ => refuse("is neither preemptible nor non-preemptible"),
    })
}

fn delay(gang: &PodGang) -> Option<Result<&str, String>> {
    duration(gang, keys::PREEMPTION_DELAY, SignedDuration::ZERO)
}

fn staleness(gang: &PodGang) -> Option<Result<&str, String>> {
    duration(gang, keys::STALENESS, SignedDuration::MIN)
}

fn duration<'a>(
    gang: &'a PodGang,
    key: &str,
    least: SignedDuration,
) -> Option<Result<&'a str, String>> {
    let asked = ownership::annotation(&gang.metadata, key)?;
    let parsed = GoDuration(asked.to_owned()).parse();
    let is_right = parsed.is_ok_and(|duration| duration >= least);
    Some(is_right.then_some(asked).ok_or_else(|| {
        format!(
            "annotation {key}: {asked} is not a duration like 30s, 5m or 1h; correct it in the set"
        )
    }))
}
