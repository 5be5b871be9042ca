//! `tree`: its columns by the width, and the list of sets.

use api::PodCliqueSet;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use cli::tree::{
    build_tree, cut_above_sum, cut_lines, draw_overview, draw_sum, draw_tree_within, summarize,
};
use cli::workload::Workload;
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{after, set};

use crate::read::{demo_with, now, plain, ready, unschedulable};

fn workload() -> Workload {
    demo_with(&[ready(), unschedulable("no room")], &[])
}

fn heading(width: Option<usize>) -> String {
    let text = plain(&draw_tree_within(&build_tree(&workload(), now()), width));
    let heading = text.lines().next().unwrap();
    heading.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns that do not fit are left out, the last first; causes are wrapped to the width.
#[rstest]
#[case::anything(None, "NAME READY STATE AGE INDEX NODE HOST RANK")]
#[case::wide(Some(120), "NAME READY STATE AGE INDEX NODE HOST RANK")]
#[case::narrow(Some(40), "NAME READY STATE")]
fn columns_are_those_that_fit(#[case] width: Option<usize>, #[case] expected: &str) {
    assert_eq!(heading(width), expected);
}

#[test]
fn a_tree_fits_80_columns() {
    let text = plain(&draw_tree_within(&build_tree(&workload(), now()), Some(80)));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(text.lines().next().unwrap().contains("INDEX"), "{text}");
}

/// Programs get numbers and times beside the texts for people.
#[test]
fn json_has_numbers_and_times() {
    let tree = json!(build_tree(&workload(), now()));
    assert_eq!(
        (&tree["ready"], &tree["readyCount"], &tree["wantedCount"]),
        (&json!("0/1"), &json!(0), &json!(1))
    );
    assert_eq!(tree["created"], json!(after(0)));
    let pod = &tree["children"][0]["children"][0]["children"][1];
    assert_eq!(
        (&pod["index"], &pod["rank"], &pod["host"]),
        (&json!(1), &json!(1), &json!("demo-0-worker-1"))
    );
}

/// A set of that name whose condition Ready has this reason.
fn with(name: &str, status: Status, reason: Reason, message: &str) -> PodCliqueSet {
    let mut set = set(name).clique("a", |c| c).build();
    let update = ConditionUpdate {
        type_: ConditionType::Ready,
        status,
        reason,
        message: message.to_owned(),
    };
    let own = set.status.get_or_insert_default();
    conditions::set(&mut own.conditions, update, Some(1), after(5));
    own.available_replicas = i32::from(status == Status::True);
    set
}

fn sets() -> Vec<PodCliqueSet> {
    let lacks = "replica 0: 0/1 pods scheduled: 0/6 nodes are available";
    vec![
        with(
            "a",
            Status::True,
            Reason::AllReady,
            "1/1 replicas available",
        ),
        with("b", Status::False, Reason::PodsStarting, "0/1 pods ready"),
        with("c", Status::False, Reason::InsufficientResources, lacks),
    ]
}

/// Sets that need somebody come first, then those that start.
#[test]
fn broken_sets_come_first() {
    let lines = summarize(&sets(), None, now());
    let names: Vec<_> = lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["c", "b", "a"]);
    assert_eq!(draw_sum(&lines), "3 sets, 2 not ready\n");
    let first = json!(lines[0]);
    assert_eq!(
        (&first["availableCount"], &first["wantedCount"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(first["created"], json!(after(0)));
}

/// The cause of a set that is not ready is below its line, whole.
#[test]
fn causes_are_below_their_lines() {
    let lines = summarize(&sets(), None, now());
    assert_snapshot!(plain(&draw_overview(&lines, false, Some(80))), @r"
    NAME   AVAILABLE   STATE                   AGE
    c      0/1         InsufficientResources   5m
      replica 0: 0/1 pods scheduled: 0/6 nodes are available
    b      0/1         PodsStarting            5m
      0/1 pods ready
    a      1/1         AllReady                5m
    ");
    assert_snapshot!(plain(&draw_overview(&lines, false, Some(40))), @r"
    NAME   AVAILABLE   STATE
    c      0/1         InsufficientResources
      replica 0: 0/1 pods scheduled: 0/6
      nodes are available
    b      0/1         PodsStarting
      0/1 pods ready
    a      1/1         AllReady
    ");
    let wide = plain(&draw_overview(&lines, false, None));
    assert!(wide.contains("nodes are available\n"), "{wide}");
    assert!(wide.contains("1/1 replicas available"), "{wide}");
}

/// A set whose namespace and name have this many characters each, and one that is ready and has a longer
/// name.
fn with_long_names(length: usize) -> Vec<PodCliqueSet> {
    let lacks = "replica 0: group workers replica 0: clique decode 0/4 pods scheduled: 0/6 nodes \
                 are available: 6 node(s) didn't match Pod's node affinity/selector";
    let broken = ("s", Status::False, Reason::NodeSelectorUnmatched, lacks);
    let good = (
        "longer",
        Status::True,
        Reason::AllReady,
        "1/1 replicas available",
    );
    [broken, good]
        .map(|(name, status, reason, message)| {
            let mut set = with(name, status, reason, message);
            set.metadata.name = Some(name.repeat(length));
            set.metadata.namespace = Some("n".repeat(length));
            set
        })
        .into()
}

/// Columns that do not fit are left out, the last first; the state of a set that is not ready is then
/// below its line, and so is the namespace where it has no room beside the name.
#[rstest]
#[case::all(5, 84, "NAMESPACE NAME AVAILABLE STATE AGE")]
#[case::no_age(5, 80, "NAMESPACE NAME AVAILABLE STATE")]
#[case::no_state(5, 60, "NAMESPACE NAME AVAILABLE")]
#[case::names(5, 50, "NAMESPACE NAME")]
#[case::no_namespace(6, 40, "NAME")]
fn a_list_fits_the_width(#[case] length: usize, #[case] width: usize, #[case] columns: &str) {
    let lines = summarize(&with_long_names(length), None, now());
    let text = plain(&draw_overview(&lines, true, Some(width)));
    assert!(
        text.lines().all(|line| line.chars().count() <= width),
        "{text}"
    );
    let heading = text.lines().next().unwrap();
    let heading: Vec<_> = heading.split_whitespace().collect();
    assert_eq!(heading.join(" "), columns);
    let words: Vec<_> = text.split_whitespace().collect();
    let (words, namespace) = (words.join(" "), "n".repeat(length));
    for shown in [
        &*namespace,
        "NodeSelectorUnmatched",
        "replica 0: group workers",
        "6 node(s) didn't match Pod's node affinity/selector",
    ] {
        assert!(words.contains(shown), "{text}");
    }
}

/// A tree higher than the window keeps its top.
#[rstest]
#[case::fits(Some(5), "a\nb\nc\n")]
#[case::too_high(Some(4), "a\nb\n(1 more line)\n")]
#[case::no_terminal(None, "a\nb\nc\n")]
fn a_tree_higher_than_the_terminal(#[case] height: Option<usize>, #[case] expected: &str) {
    assert_eq!(plain(&cut_lines("a\nb\nc\n", height)), expected);
}

/// A list higher than the window keeps its top and its sum.
#[rstest]
#[case::fits(Some(5), "a\nb\n2 sets\n")]
#[case::too_high(Some(4), "a\n2 sets; 1 more line\n")]
#[case::of_one_line(Some(1), "2 sets; 2 more lines\n")]
#[case::no_terminal(None, "a\nb\n2 sets\n")]
fn a_list_higher_than_the_terminal(#[case] height: Option<usize>, #[case] expected: &str) {
    let text = cut_above_sum("a\nb\n2 sets\n", height);
    assert_eq!(text, expected);
    assert_eq!(cut_lines(&text, height), expected);
}
