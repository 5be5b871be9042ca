//! Text from a cluster never acts on a terminal: its control characters are shown, not sent.

use api::{PodClique, PodCliqueSet, PodGang};
use chrono::Utc;
use cli::exit::Failure;
use cli::explain::{draw_explanation, search};
use cli::lint::{StoredObjects, draw_report, judge_sources};
use cli::output::{bold, failure_line, legible, legible_text, to_json};
use cli::timeline::{collect_moments, draw_timeline};
use cli::tree::{build_tree, draw_overview, draw_tree, summarize};
use cli::workload::Workload;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::core::Status;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::lint::source;
use crate::read::{demo_with, event, now, on_node, unschedulable};

/// Colour, title of the window, clipboard, end of line, C1, direction of writing.
const HOSTILE: &str =
    "!\u{1b}[31m\u{1b}]0;x\u{7}\u{1b}]52;c;eA==\u{7}\r\u{9b}2J\u{85}\u{7f}\u{202e}\u{2066}\u{61c}!";

/// Fails if the text contains a sequence that acts on a terminal, except our own styles.
pub fn assert_legible(drawn: &str, about: &str) {
    assert!(!drawn.contains("!\u{1b}[31m"), "{about}: {drawn:?}");
    let mut left = drawn.to_owned();
    for style in ["[1m", "[2m", "[31m", "[32m", "[33m", "[0m"] {
        left = left.replace(&format!("\u{1b}{style}"), "");
    }
    let hostile = left.chars().find(|c| acts(*c));
    assert_eq!(hostile, None, "{about}: {drawn:?}");
}

fn acts(c: char) -> bool {
    let turns = [
        '\u{202a}'..='\u{202e}',
        '\u{2066}'..='\u{2069}',
        '\u{200e}'..='\u{200f}',
    ];
    let turns = turns.iter().any(|range| range.contains(&c)) || c == '\u{61c}';
    turns || (c.is_control() && c != '\n')
}

/// The same value with hostile content in one of its texts, once for each text.
pub fn hostile_variants(value: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    collect(value, String::new(), &mut places);
    let change = |place: String| {
        let mut changed = value.clone();
        let text = changed.pointer_mut(&place).unwrap();
        *text = json!(format!("{}{HOSTILE}", text.as_str().unwrap()));
        (place, changed)
    };
    places.into_iter().map(change).collect()
}

fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::String(_) => places.push(place),
        Value::Array(list) => {
            let items = list.iter().enumerate();
            items.for_each(|(i, item)| collect(item, format!("{place}/{i}"), places));
        }
        Value::Object(map) => {
            for (key, item) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(item, format!("{place}/{key}"), places);
            }
        }
        _ => (),
    }
}

/// The objects of that kind with one hostile text each, without those that cannot be decoded.
fn hostile<T: Serialize + DeserializeOwned>(objects: &[T]) -> Vec<(String, Vec<T>)> {
    let variants = hostile_variants(&serde_json::to_value(objects).unwrap());
    let decoded = |(place, value)| Some((place, serde_json::from_value(value).ok()?));
    variants.into_iter().filter_map(decoded).collect()
}

fn workload() -> Workload {
    let ended = json!({"terminated": {
        "exitCode": 3, "reason": "Error", "message": "last words",
        "startedAt": "2026-01-01T00:00:10Z", "finishedAt": "2026-01-01T00:00:20Z",
    }});
    let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}});
    let pods = [
        on_node(&waiting, &ended, 3),
        unschedulable("0/3 nodes are available"),
    ];
    demo_with(&pods, &["pods is forbidden"])
}

fn events() -> [Event; 2] {
    let pod = ("Pod", "demo-0-worker-bcdf0");
    let set = ("PodCliqueSet", "demo");
    [
        event(
            pod,
            ("Warning", "BackOff"),
            "restarting failed container",
            (5, 9, 3),
        ),
        event(set, ("Normal", "Anything"), "anything", (5, 9, 1)),
    ]
}

fn draw_all(workload: &Workload, events: &[Event], about: &str) {
    let podcliques = workload.observe();
    let pods = workload
        .pods
        .iter()
        .filter_map(|pod| pod.metadata.name.as_deref());
    for pod in [None].into_iter().chain(pods.map(Some)) {
        if let Some(found) = search(workload, &podcliques, pod, now()) {
            let answer = found.explain(events);
            assert_legible(&draw_explanation(&answer, now(), &Utc), about);
            assert_legible(&to_json(&answer).unwrap(), about);
        }
    }
    let tree = build_tree(workload, now());
    assert_legible(&draw_tree(&tree, true), about);
    assert_legible(&draw_tree(&tree, false), about);
    let lines = summarize(std::slice::from_ref(&workload.set), None, now());
    assert_legible(&draw_overview(&lines, true, None), about);
    let moments = collect_moments(workload, events);
    assert_legible(&draw_timeline(&moments, &Utc), about);
}

/// Explain, tree and timeline, for each text of each object of a cluster.
#[test]
fn no_text_of_a_cluster_acts_on_a_terminal() {
    let good = workload();
    let mut drawn = 0;
    let mut draw = |changed: Workload, events: &[Event], about: &str| {
        draw_all(&changed, events, about);
        drawn += 1;
    };
    for (place, sets) in hostile::<PodCliqueSet>(std::slice::from_ref(&good.set)) {
        let set = sets.into_iter().next().unwrap();
        draw(
            Workload {
                set,
                ..good.clone()
            },
            &events(),
            &format!("set{place}"),
        );
    }
    for (place, pods) in hostile::<Pod>(&good.pods) {
        draw(
            Workload {
                pods,
                ..good.clone()
            },
            &events(),
            &format!("pods{place}"),
        );
    }
    for (place, podcliques) in hostile::<PodClique>(&good.podcliques) {
        draw(
            Workload {
                podcliques,
                ..good.clone()
            },
            &events(),
            &format!("podcliques{place}"),
        );
    }
    for (place, gangs) in hostile::<PodGang>(&good.gangs) {
        draw(
            Workload {
                gangs,
                ..good.clone()
            },
            &events(),
            &format!("gangs{place}"),
        );
    }
    for (place, events) in hostile::<Event>(&events()) {
        draw(good.clone(), &events, &format!("events{place}"));
    }
    assert!(drawn > 80, "{drawn}");
}

/// The last output of a container is shown, with its control characters escaped.
#[test]
fn the_last_words_of_a_container_are_shown_escaped() {
    let mut workload = workload();
    let status = workload.pods[0].status.as_mut().unwrap();
    let container = &mut status.container_statuses.as_mut().unwrap()[0];
    let ended = container
        .last_state
        .as_mut()
        .unwrap()
        .terminated
        .as_mut()
        .unwrap();
    ended.message = Some("\u{1b}]52;c;eA==\u{7} \u{1b}[2J\u{202e}".to_owned());
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, None, now());
    let answer = found.unwrap().explain(&[]);
    let drawn = draw_explanation(&answer, now(), &Utc);
    assert_legible(&drawn, "last words");
    let shown = r"\u{1b}]52;c;eA==\u{7} \u{1b}[2J\u{202e}";
    assert!(drawn.contains(shown), "{drawn}");
}

#[test]
fn no_text_of_a_file_acts_on_a_terminal() {
    let file = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "Svc", "labels": {"a": "b"}},
        "spec": {"replicas": "x", "template": {"terminationDelay": "x", "cliques": [{
            "name": "a", "spec": {"roleName": "a", "replicas": 0, "startsAfter": ["b"], "podSpec": {
                "containers": [{"name": "m", "image": "x:latest", "args": ["x"]}],
            }},
        }]}},
    });
    for (place, changed) in hostile_variants(&file) {
        let sources = [source(&format!("a{HOSTILE}.yaml"), changed.to_string())];
        let report = judge_sources(&sources, &StoredObjects::default()).into_report(&[]);
        assert_legible(&draw_report(&report, Some(80)), &place);
        for broken in &report.unreadable {
            let failure = Failure::Unreadable(broken.clone());
            assert_legible(&failure_line(&failure), &place);
        }
    }
    let sources = [source("a.yaml", format!("a: [{HOSTILE}"))];
    let report = judge_sources(&sources, &StoredObjects::default()).into_report(&[]);
    let line = failure_line(&Failure::Unreadable(report.unreadable[0].clone()));
    assert_legible(&line, "broken");
}

#[test]
fn no_answer_of_an_api_server_acts_on_a_terminal() {
    let status = Status::failure(HOSTILE, "").with_code(403);
    let failure = Failure::of_request("list pods", &kube::Error::Api(Box::new(status)));
    let line = failure_line(&failure);
    assert_legible(&line, "failure");
    assert!(line.contains(r"(!\u{1b}[31m"), "{line}");
}

proptest! {
    #[test]
    fn legible_text_stays_and_the_rest_is_escaped(text in any::<String>()) {
        let shown = legible(&text);
        prop_assert!(!shown.chars().any(acts));
        if !text.chars().any(acts) {
            prop_assert_eq!(&*shown, &*text);
        }
        // Only our styles pass if a command forgot to escape.
        let drawn = format!("{} {text}\n", bold(&text));
        let printed = legible_text(&drawn);
        assert_legible(&printed.replace('!', ""), "printed");
        let value: String = serde_json::from_str(&to_json(&text).unwrap()).unwrap();
        prop_assert_eq!(value, text);
    }
}
