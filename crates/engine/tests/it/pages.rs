//! Pages of lists are bounded in bytes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::PodClique;
use engine::informer;
use engine::pages::{MAX_BYTES, MOST, PageLimit};
use rstest::rstest;
use serde_json::{Value, json};

use crate::server::{Reply, context, scripted};

const MB: usize = 1 << 20;

#[rstest]
#[case::usual(5_000 * 25, 50)]
#[case::empty(0, 50)]
#[case::just_right(25 * MB / 10, 20)]
#[case::large(25 * MB, 2)]
#[case::larger_than_a_page(25 * 3 * MB, 1)]
fn the_next_page_has_as_many_objects_as_fit(#[case] bytes: usize, #[case] next: u32) {
    assert_eq!(PageLimit::default().get(), 25);
    assert_eq!(PageLimit::default().after(bytes).get(), next);
}

/// Whatever the sizes, the smallest page has one object, which has to be taken.
#[test]
fn a_page_that_is_too_long_is_asked_for_with_fewer_until_it_is_one_object() {
    let mut limit = (0..10).fold(PageLimit::default(), |limit, _| limit.after(1));
    assert_eq!(limit.get(), MOST);
    let mut limits = Vec::new();
    while limit.max_bytes() < usize::MAX {
        limits.push(limit.get());
        limit = limit.after_too_many();
    }
    assert_eq!(limits, [500, 125, 31, 7]);
    assert_eq!(limit.get(), 1);
}

/// The namespaces `a` and `c` are of small objects, `b` of some of 1 MB each.
fn object(index: usize) -> Value {
    let (namespace, bytes) = match index {
        0..600 => ("a", 100),
        600..640 => ("b", MB),
        _ => ("c", 100),
    };
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {
            "name": format!("x{index}"), "namespace": namespace, "uid": format!("u{index}"),
            "resourceVersion": "3", "annotations": {"text": "x".repeat(bytes)},
        },
        "spec": {"roleName": "x", "podSpec": {"containers": []}, "replicas": 1},
    })
}

const OBJECTS: usize = 1200;

fn parameter(asked: &str, name: &str) -> Option<usize> {
    let (_, query) = asked.split_once('?')?;
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    let (_, value) = parts.find(|(key, _)| *key == name)?;
    value.parse().ok()
}

/// Limit and bytes of a requested page.
type Page = (usize, usize);
type Pages = Arc<Mutex<Vec<Page>>>;

#[tokio::test(start_paused = true)]
async fn a_list_of_large_objects_is_taken_in_pages_that_are_short() {
    let pages = Pages::default();
    let log = pages.clone();
    let (client, _) = scripted(move |asked, _| {
        if asked.contains("watch=true") {
            return Reply::Hang;
        }
        let first = parameter(asked, "continue").unwrap_or(0);
        let limit = parameter(asked, "limit").unwrap();
        let last = (first + limit).min(OBJECTS);
        let items: Vec<Value> = (first..last).map(object).collect();
        let next = if last == OBJECTS {
            String::new()
        } else {
            last.to_string()
        };
        let page = json!({
            "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
            "metadata": {"resourceVersion": "5", "continue": next}, "items": items,
        });
        log.lock().unwrap().push((limit, page.to_string().len()));
        Reply::Answer(200, page)
    });
    let (context, _) = context(Vec::new());
    context.expect::<PodClique>();
    let watch = informer::watch::<PodClique>(context.clone(), client);
    let _ = tokio::time::timeout(Duration::from_secs(1), watch).await;
    assert_eq!(context.caches.of::<PodClique>().len(), OBJECTS);
    let pages = pages.lock().unwrap();
    let is_dropped = |(limit, bytes): &Page| *limit > 1 && *bytes > MAX_BYTES;
    let (dropped, taken): (Vec<Page>, Vec<Page>) = pages.iter().copied().partition(is_dropped);
    let longest = taken.iter().map(|(_, bytes)| *bytes).max();
    println!(
        "{} pages taken, longest {longest:?}; dropped {dropped:?}",
        taken.len()
    );
    assert!(taken.iter().all(|(_, bytes)| *bytes <= MAX_BYTES));
    assert!(dropped.len() <= 6, "{dropped:?}");
    assert!(taken.len() <= 60, "{taken:?}");
}
