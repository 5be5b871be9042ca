//! Equal replicas are one line of the text.

use cli::plan::{Outline, Plan, Planned, draw_plan};
use rstest::rstest;
use serde_json::{Value, json};

use super::{clique, group, outline, set, text};

fn drawn(outline: Outline) -> String {
    text(Planned::New(Box::new(outline)))
}

fn replicas(mut set: Value, count: u32) -> Value {
    set["spec"]["replicas"] = json!(count);
    set
}

/// Names of the gangs, and the lines of the folded replicas without their line breaks.
fn gangs_and_folds(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("gang "));
    let names = names.filter_map(|line| line.split(' ').next());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found: Vec<String> = names.map(str::to_owned).collect();
    for (at, _) in flat.match_indices(": as replica ") {
        let begin = flat[..at].rfind("replicas ").unwrap();
        let end = flat[at..].find(" pods").unwrap();
        found.push(flat[begin..at + end].to_owned());
    }
    found
}

#[rstest]
#[case::three_are_drawn(
    replicas(set(&[clique("a", 2)], &[]), 3),
    &["svc-0", "svc-1", "svc-2"]
)]
#[case::replicas(
    replicas(set(&[clique("a", 2)], &[]), 12),
    &["svc-0", "replicas 1-11: as replica 0, here and below: 11 gangs, 11 podcliques, 22"]
)]
#[case::with_a_group(
    replicas(set(&[clique("a", 1)], &[group("a", 2, 1)]), 4),
    &[
        "svc-0", "svc-0-grp-0",
        "replicas 1-3: as replica 0, here and below: 6 gangs, 6 podcliques, 6",
    ]
)]
#[case::scaled_gangs(
    set(&[clique("web", 1), clique("work", 2)], &[group("work", 8, 2)]),
    &[
        "svc-0", "svc-0-grp-0",
        "replicas 3-7: as replica 2, here and below: 5 gangs, 5 podcliques, 10",
    ]
)]
#[case::three_scaled_gangs(
    set(&[clique("work", 2)], &[group("work", 4, 1)]),
    &["svc-0", "svc-0-grp-0", "svc-0-grp-1", "svc-0-grp-2"]
)]
#[case::in_the_base_gang(
    set(&[clique("work", 2)], &[group("work", 6, 6)]),
    &["svc-0", "replicas 1-5: as replica 0, here and below: 5 podcliques, 10"]
)]
fn the_text_of(#[case] set: Value, #[case] expected: &[&str]) {
    let text = drawn(outline(&set));
    assert_eq!(gangs_and_folds(&text), expected, "{text}");
}

#[test]
fn many_replicas_fit_a_screen() {
    let outline = outline(&replicas(set(&[clique("a", 2)], &[]), 40));
    let text = drawn(outline.clone());
    assert!(text.lines().count() < 40, "{text}");
    assert!(
        text.contains("40 gangs, 40 podcliques, 80 pods\n"),
        "{text}"
    );
    assert!(text.contains("\n  svc-0-a "), "{text}");
    assert!(text.contains("Service svc-0,"), "{text}");
    assert!(!text.contains("Service svc-1,"), "{text}");
    assert!(text.contains("svc-0-a, svc-1-a and 38 more"), "{text}");
    let json = serde_json::to_value(&outline).unwrap();
    assert_eq!(json["gangs"].as_array().unwrap().len(), 40);
}

#[test]
fn a_replica_that_differs_is_drawn() {
    let mut outline = outline(&replicas(set(&[clique("a", 2)], &[]), 9));
    outline.gangs[2].guaranteed_pods = 1;
    let expected = [
        "svc-0",
        "svc-1",
        "svc-2",
        "svc-3",
        "replicas 4-8: as replica 3, here and below: 5 gangs, 5 podcliques, 10",
    ];
    assert_eq!(gangs_and_folds(&drawn(outline)), expected);
}

/// Rows of the base gang, variables and the start order have the first of them only.
#[test]
fn replicas_of_a_group_are_folded_everywhere() {
    let mut set = set(
        &[clique("web", 1), clique("work", 2)],
        &[group("work", 6, 6)],
    );
    set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    let sets = vec![Planned::New(Box::new(outline(&set)))];
    let wide = draw_plan(&Plan { sets }, true);
    let wide = anstream::adapter::strip_str(&wide).to_string();
    let names = |text: &str| wide.matches(text).count();
    assert_eq!(names("container of svc-0-grp-0-work"), 1, "{wide}");
    assert_eq!(
        names("\n  svc-0-grp-0-work"),
        2,
        "row and start order: {wide}"
    );
    assert_eq!(names("svc-0-grp-1-work"), 0, "{wide}");
}
