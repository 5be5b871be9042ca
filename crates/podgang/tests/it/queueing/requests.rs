//! The first request of a gang.

use api::kueue::KueueReclaimable;
use podgang::queueing::PriorityClass;
use podgang::queueing::grant::distribute;
use podgang::queueing::workload::pod_sets;
use rstest::rstest;

use super::*;

#[test]
fn a_gang_asks_once_its_set_says_how_many_pods_it_needs() {
    let mut snapshot = queued(None);
    assert!(plan(&snapshot).waves.concat().is_empty(), "stored first");
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: not all of its pods exist"
    );
    request(&mut snapshot, 3);
    let asked = store_status(&mut snapshot);
    let [action] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    let workload = action.written::<KueueWorkload>().unwrap();
    assert_eq!(ownership::name(&workload.metadata), "demo-0");
    insta::assert_json_snapshot!(serde_json::json!({
        "queue": workload.spec.queue_name,
        "podSets": workload.spec.pod_sets,
        "request": ownership::annotation(&workload.metadata, labels::QUOTA_REQUEST),
        "owner": ownership::controller(&workload.metadata).map(|o| &o.uid),
    }), @r#"
    {
      "owner": "uid-demo-0",
      "podSets": [
        {
          "count": 3,
          "minCount": 2,
          "name": "worker",
          "template": {
            "spec": {
              "containers": [
                {
                  "image": "example/main:1",
                  "name": "main"
                }
              ]
            }
          }
        }
      ],
      "queue": "team-a",
      "request": "{\"demo-0-worker\":3}"
    }
    "#);
    carry_out(&mut snapshot, &asked);
    assert!(store_status(&mut snapshot).is_empty(), "once");
}

#[test]
fn kueues_words_are_passed_on() {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    change(&mut snapshot, "demo-0", |workload| {
        let words = "insufficient unused quota for nvidia.com/gpu in flavor h100, 16 more needed";
        let pending = condition("QuotaReserved", false, "Pending", words);
        workload.status.get_or_insert_default().conditions = vec![pending];
    });
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: Pending: insufficient unused quota for \
         nvidia.com/gpu in flavor h100, 16 more needed"
    );
}

#[test]
fn an_admitted_workload_is_stored_with_its_nodes() {
    let snapshot = granted(3);
    assert_eq!(
        state(&snapshot),
        "True QuotaReserved: 3 pods have quota of ClusterQueue gpus"
    );
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
    let found = quota::flavor_of(&snapshot.gang, WORKER, 2).unwrap();
    assert_eq!(found.node_selector["gpu"], "h100");
    assert_eq!(found.tolerations.len(), 1);
}

/// The flavor may be made later.
#[test]
fn quota_on_unknown_nodes_is_not_used() {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit(&mut snapshot, "demo-0", 3);
    facts(&mut snapshot).flavors.clear();
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: ResourceFlavor h100 does not exist, or \
         may not be read"
    );
}

fn be_urgent(snapshot: &mut Snapshot) {
    facts(snapshot).priority_class = PriorityClass::Named("urgent".to_owned(), 7);
}

/// Another one would stand behind all others: its place is that of its creation.
#[rstest]
#[case::fewer_pods(|s: &mut Snapshot| request(s, 2), (2, None))]
#[case::more_pods(|s: &mut Snapshot| request(s, 4), (4, None))]
#[case::another_class(be_urgent, (3, Some(7)))]
fn a_request_that_waits_is_changed_in_its_place(
    #[case] adapt: fn(&mut Snapshot),
    #[case] expected: (i32, Option<i32>),
) {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    adapt(&mut snapshot);
    let changed = store_status(&mut snapshot);
    assert_eq!(words(&changed), ["replace Workload demo-0"]);
    let spec = &changed[0].written::<KueueWorkload>().unwrap().spec;
    assert_eq!((spec.pod_sets[0].count, spec.priority), expected);
    carry_out(&mut snapshot, &changed);
    assert!(store_status(&mut snapshot).is_empty(), "once");
}

#[rstest]
#[case::another_queue(|s: &mut Snapshot| facts(s).queue = Some("team-b".to_owned()))]
#[case::reduced_by_an_earlier_operator(|s: &mut Snapshot| {
    request(s, 2);
    change(s, "demo-0", |workload| {
        let pods = KueueReclaimable { name: "worker".to_owned(), count: 1 };
        workload.status.get_or_insert_default().reclaimable_pods = vec![pods];
    });
})]
fn a_request_without_a_place_to_keep_is_replaced(#[case] adapt: fn(&mut Snapshot)) {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    adapt(&mut snapshot);
    let given_up = store_status(&mut snapshot);
    assert_eq!(
        words(&given_up),
        ["delete Workload demo-0 at version 1: its pods need no quota any more"]
    );
    carry_out(&mut snapshot, &given_up);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["create Workload demo-0"]
    );
}

#[test]
fn another_class_does_not_touch_a_gang_that_has_quota() {
    let mut snapshot = granted(3);
    be_urgent(&mut snapshot);
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
}

#[test]
fn the_priority_is_that_of_the_class_that_the_set_names() {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    facts(&mut snapshot).priority_class = PriorityClass::Missing("urgent".to_owned());
    let given_up = store_status(&mut snapshot);
    assert_eq!(
        words(&given_up),
        ["delete Workload demo-0 at version 1: its pods need no quota any more"]
    );
    carry_out(&mut snapshot, &given_up);
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: there is no WorkloadPriorityClass \
         urgent: create it, or correct label kueue.x-k8s.io/priority-class of the set"
    );
    facts(&mut snapshot).priority_class = PriorityClass::Named("urgent".to_owned(), 7);
    let asked = store_status(&mut snapshot);
    let spec = &asked[0].written::<KueueWorkload>().unwrap().spec;
    assert_eq!(spec.priority, Some(7));
    assert_eq!(spec.priority_class_ref.as_ref().unwrap().name, "urgent");
    carry_out(&mut snapshot, &asked);
    assert!(store_status(&mut snapshot).is_empty(), "once");
}

#[test]
fn a_gang_that_ran_before_runs_outside_the_quota() {
    let mut snapshot = queued(None);
    list_pods(&mut snapshot);
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(state(&snapshot), "absent");
    give_pods(&mut snapshot, 0, |p| p);
    list_pods(&mut snapshot);
    store_status(&mut snapshot);
    assert!(
        state(&snapshot).starts_with("False WaitingForQuota"),
        "it starts anew"
    );
}

#[rstest]
#[case::not_served(|f: &mut QueueingFacts| f.is_served = false)]
#[case::no_base_quota(|f: &mut QueueingFacts| f.has_base_quota = false)]
#[case::outdated(|f: &mut QueueingFacts| f.is_outdated = true)]
#[case::flavors_may_not_be_read(|f: &mut QueueingFacts| f.are_flavors_readable = false)]
#[case::no_priority_class(|f: &mut QueueingFacts| {
    f.priority_class = PriorityClass::Missing("urgent".to_owned());
})]
fn nothing_is_asked(#[case] adapt: fn(&mut QueueingFacts)) {
    let mut snapshot = queued(Some(3));
    adapt(facts(&mut snapshot));
    assert!(store_status(&mut snapshot).is_empty());
    assert!(state(&snapshot).starts_with("False WaitingForQuota"));
}

#[rstest]
#[case::all(5, &[("a", 3), ("b", 2)])]
#[case::the_minimum_of_each_first(4, &[("a", 2), ("b", 2)])]
#[case::less_than_the_minimum(1, &[("a", 1)])]
#[case::none(0, &[])]
fn partial_quota_goes_by_need(#[case] available: i32, #[case] expected: &[(&str, i32)]) {
    let shares = [("a".to_owned(), 3, 1), ("b".to_owned(), 2, 2)];
    let expected: Vec<(String, i32)> = expected
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    assert_eq!(distribute(available, &shares), expected);
}

/// Kueue lets one podSet of a Workload have a minimum.
#[rstest]
#[case::one_has_a_minimum(&[("a", 3, 2), ("b", 1, 1)], true, &[("a", 3, Some(2)), ("b", 1, None)])]
#[case::two_have(&[("a", 3, 2), ("b", 2, 1)], true, &[("a", 3, None), ("b", 2, None)])]
#[case::a_later_request(&[("a", 3, 2)], false, &[("a", 3, None)])]
#[case::nothing_is_needed(&[("a", 3, 0)], true, &[("a", 3, None)])]
#[case::one_clique_in_two_parts(&[("a", 3, 2), ("a", 2, 2)], true, &[("a", 5, Some(4))])]
fn there_is_one_pod_set_for_each_clique(
    #[case] parts: &[(&str, i32, i32)],
    #[case] is_first: bool,
    #[case] expected: &[(&str, i32, Option<i32>)],
) {
    let name = |at: usize| format!("demo-0-{at}");
    let (mut asked, mut cliques) = (PodCounts::new(), BTreeMap::new());
    let mut all = Vec::new();
    for (at, (clique, count, minimum)) in parts.iter().enumerate() {
        asked.insert(name(at), *count);
        cliques.insert(name(at), (*clique).to_owned());
        all.push(GangPart {
            name: name(at),
            min_replicas: *minimum,
            podclique: Some(podclique(&name(at)).build()),
            ..GangPart::default()
        });
    }
    let facts = QueueingFacts {
        cliques,
        ..QueueingFacts::default()
    };
    let sets = pod_sets(&all, &facts, &asked, is_first);
    let whole = QueueingFacts {
        waits_for_gates: true,
        ..facts
    };
    let of_whole = pod_sets(&all, &whole, &asked, is_first);
    assert!(of_whole.iter().all(|set| set.min_count.is_none()));
    let told: Vec<(&str, i32, Option<i32>)> = sets
        .iter()
        .map(|set| (&*set.name, set.count, set.min_count))
        .collect();
    assert_eq!(told, expected);
}

fn ready(snapshot: &Snapshot) -> String {
    let status = snapshot.gang.status.as_ref().unwrap();
    let found = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    format!("{}: {}", found.reason, found.message)
}

#[test]
fn a_gang_that_waits_is_not_ready_for_that_reason() {
    let mut snapshot = queued(Some(3));
    store_status(&mut snapshot);
    store_status(&mut snapshot);
    let told = ready(&snapshot);
    let words = "WaitingForQuota: gang demo-0 waits in queue team-a: ";
    assert!(told.starts_with(words), "{told}");
}

#[test]
fn a_gang_with_quota_for_too_few_pods_waits_for_more() {
    let mut snapshot = granted(1);
    store_status(&mut snapshot);
    let told = ready(&snapshot);
    let words = "WaitingForQuota: gang demo-0 waits for more quota: 1 pods have quota";
    assert!(told.starts_with(words), "{told}");
}

fn scheduled(snapshot: &Snapshot) -> String {
    let status = snapshot.gang.status.as_ref().unwrap();
    let found = conditions::find(&status.conditions, ConditionType::Scheduled);
    found.unwrap().message.clone()
}

/// It has no condition of its own: False would hold it.
#[test]
fn a_gang_that_ran_before_its_set_named_a_queue_says_that_it_is_outside_the_quota() {
    let words = "outside the quota of queue team-a";
    let mut before = queued(Some(3));
    give_pods(&mut before, 3, PodBuilder::ready);
    list_pods(&mut before);
    store_status(&mut before);
    assert_eq!(state(&before), "absent");
    assert!(scheduled(&before).contains(words), "{}", scheduled(&before));
    let mut counted = granted(3);
    give_pods(&mut counted, 3, PodBuilder::ready);
    list_pods(&mut counted);
    store_status(&mut counted);
    assert!(
        !scheduled(&counted).contains(words),
        "{}",
        scheduled(&counted)
    );
}
