//! A set that waits for room in its namespace is no child of the set that makes the room.

use domain::workload::limits::MAX_NAMESPACE_BYTES;

use super::*;

/// A set of about this many bytes.
fn of_size(name: &str, bytes: i128) -> PodCliqueSet {
    let text = "x".repeat(usize::try_from(bytes).unwrap());
    let annotation = ("long".to_owned(), text);
    let mut set = set(name).clique("a", |c| c).build();
    set.spec.template.cliques[0].annotations = [annotation].into();
    set
}

/// A set whose status reports that there is no room for it, or that it is up.
fn that_says(name: &str, reason: Reason) -> PodCliqueSet {
    let mut set = of_size(name, 0);
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::False,
        reason,
        message: String::new(),
    };
    let status = set.status.get_or_insert_default();
    conditions::set(&mut status.conditions, verdict, None, Timestamp::UNIX_EPOCH);
    set
}

/// The sets of a namespace that are triggered when `large` becomes this, beside one that waits for
/// room and one that does not.
fn triggered_in(large: &PodCliqueSet, now: Option<PodCliqueSet>) -> Vec<String> {
    let caches = Caches::default();
    let sets = caches.of::<PodCliqueSet>();
    sets.apply(that_says("waits", Reason::LimitExceeded));
    sets.apply(that_says("runs", Reason::AllReady));
    let mut elsewhere = that_says("elsewhere", Reason::LimitExceeded);
    elsewhere.metadata.namespace = Some("other".into());
    sets.apply(elsewhere);
    sets.apply(large.clone());
    let old = sets.get(&Key::of(&large.metadata));
    let new = now.map(|mut now| {
        now.metadata.generation = Some(2);
        now.metadata.resource_version = Some("1000".into());
        sets.apply(now.clone());
        Arc::new(now)
    });
    if new.is_none() {
        sets.delete(&large.metadata);
    }
    let triggered = triggered_by(&Change { old, new }, &caches).into_iter();
    let mut names: Vec<String> = triggered
        .filter(|(controller, _)| *controller == SETS)
        .map(|(_, key)| format!("{}/{}", key.namespace, key.name))
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn triggers_the_waiting_sets_when_a_set_of_a_full_namespace_goes_or_shrinks() {
    let full = || of_size("large", MAX_NAMESPACE_BYTES);
    let both = ["default/large", "default/waits"];
    assert_eq!(triggered_in(&full(), None), both, "it is gone");
    assert_eq!(
        triggered_in(&full(), Some(of_size("large", 0))),
        both,
        "shorter"
    );
}

/// Where there was room, no set waits for it.
#[test]
fn triggers_no_other_set_where_there_was_room() {
    let small = || of_size("large", 1_000);
    assert_eq!(triggered_in(&small(), None), ["default/large"]);
    let same = of_size("large", 1_000);
    assert_eq!(triggered_in(&small(), Some(same)), ["default/large"]);
}
