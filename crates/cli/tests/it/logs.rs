//! `logs`: which logs are read, and that no line acts on a terminal.

use api::{PodClique, labels};
use cli::cluster::{Loaded, NamedKind};
use cli::exit::Exit;
use cli::logs::{LogsArgs, choose_sources, draw_line, read_lines};
use cli::workload::Workload;
use futures::StreamExt;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{podclique, set};

use crate::read::{plain, pod_of, ready};
use crate::server::Server;

/// Two PodCliques with two pods each, the second one of group `demo-0-workers`.
fn loaded(child: Option<(NamedKind, &str)>) -> Loaded {
    let of = |name: &str, group: Option<&str>| {
        let mut podclique: PodClique = (*podclique(name).size(2, 2).build()).clone();
        let labels = podclique.metadata.labels.get_or_insert_default();
        labels.insert(labels::POD_GANG.into(), "demo-0".into());
        labels.extend(group.map(|group| (labels::SCALING_GROUP.into(), group.into())));
        podclique
    };
    let podcliques = vec![
        of("demo-0-workers-0-decode", Some("demo-0-workers")),
        of("demo-0-router", None),
    ];
    let pods = podcliques
        .iter()
        .flat_map(|podclique| [0, 1].map(|index| pod_of(podclique, index, &ready())));
    let workload = Workload {
        set: set("demo").clique("router", |c| c.replicas(2)).build(),
        pods: pods.collect(),
        podcliques,
        ..Workload::default()
    };
    let child = child.map(|(kind, name)| (kind, name.to_owned()));
    Loaded { workload, child }
}

const ROUTER: [&str; 2] = ["demo-0-router/0", "demo-0-router/1"];
const DECODE: [&str; 2] = ["demo-0-workers-0-decode/0", "demo-0-workers-0-decode/1"];

fn prefixes(loaded: &Loaded, args: &LogsArgs) -> Vec<String> {
    let sources = choose_sources(loaded, args).unwrap();
    sources.into_iter().map(|source| source.prefix).collect()
}

#[rstest]
#[case::all(None, LogsArgs::default(), &[ROUTER[0], ROUTER[1], DECODE[0], DECODE[1]])]
#[case::a_rank(None, LogsArgs { rank: Some(1), ..LogsArgs::default() }, &[ROUTER[1], DECODE[1]])]
#[case::a_clique(None, LogsArgs { clique: Some("decode".into()), ..LogsArgs::default() }, &DECODE)]
#[case::a_group(Some((NamedKind::Group, "demo-0-workers")), LogsArgs::default(), &DECODE)]
#[case::a_podclique(Some((NamedKind::Clique, "demo-0-router")), LogsArgs::default(), &ROUTER)]
#[case::a_gang(Some((NamedKind::Gang, "demo-0")), LogsArgs { rank: Some(0), ..LogsArgs::default() }, &[ROUTER[0], DECODE[0]])]
#[case::a_pod(Some((NamedKind::Pod, "demo-0-router-bcdf1")), LogsArgs::default(), &ROUTER[1..])]
fn the_logs_that_are_asked_for(
    #[case] child: Option<(NamedKind, &str)>,
    #[case] args: LogsArgs,
    #[case] expected: &[&str],
) {
    assert_eq!(prefixes(&loaded(child), &args), expected);
}

#[test]
fn the_container_is_the_first_one_or_that_of_the_flag() {
    let named = LogsArgs {
        container: Some("sidecar".into()),
        ..LogsArgs::default()
    };
    let first = |args: &LogsArgs| {
        choose_sources(&loaded(None), args).unwrap()[0]
            .container
            .clone()
    };
    assert_eq!(first(&LogsArgs::default()), "main");
    assert_eq!(first(&named), "sidecar");
}

#[test]
fn no_pod_is_not_found() {
    let args = LogsArgs {
        rank: Some(7),
        ..LogsArgs::default()
    };
    let failure = choose_sources(&loaded(None), &args).unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound);
    assert!(failure.to_string().contains("`kubectl grove tree demo`"));
}

/// A container may write anything, and everybody who reads its log has a terminal.
#[rstest]
#[case::plain(b"loaded 3 shards\n", "[a/0] loaded 3 shards\n")]
#[case::windows(b"loaded\r\n", "[a/0] loaded\n")]
#[case::clipboard(b"\x1b]52;c;eA==\x07", "[a/0] \\u{1b}]52;c;eA==\\u{7}\n")]
#[case::a_return(b"safe\rrm -rf", "[a/0] safe\\u{d}rm -rf\n")]
#[case::direction("\u{202e}x".as_bytes(), "[a/0] \\u{202e}x\n")]
#[case::no_text(b"\xff\xfe", "[a/0] \u{fffd}\u{fffd}\n")]
fn a_line_is_shown_with_its_prefix(#[case] bytes: &[u8], #[case] expected: &str) {
    assert_eq!(plain(&draw_line("a/0", bytes)), expected);
}

fn log_of(pod: &str) -> String {
    format!("/api/v1/namespaces/ml/pods/{pod}/log")
}

/// Each line has its pod, in the order of the pods; a log that cannot be read is one failure.
#[tokio::test]
async fn logs_are_read_pod_by_pod() {
    let server = Server::default();
    server.answer(&log_of("demo-0-router-bcdf0"), 200, "one\n\x1b[2Jtwo");
    let waiting = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 400,
        "reason": "BadRequest", "message": "container \"main\" is waiting to start",
    });
    server.answer(&log_of("demo-0-router-bcdf1"), 400, &waiting.to_string());
    let args = LogsArgs {
        clique: Some("router".into()),
        previous: true,
        ..LogsArgs::default()
    };
    let sources = choose_sources(&loaded(None), &args).unwrap();
    let lines: Vec<_> = read_lines(&server.cluster(), &sources, &args)
        .collect()
        .await;
    let shown: Vec<String> = lines
        .into_iter()
        .map(|line| line.map_or_else(|failure| failure.to_string(), |line| plain(&line)))
        .collect();
    assert_eq!(shown.len(), 3, "{shown:?}");
    assert_eq!(shown[0], "[demo-0-router/0] one\n");
    assert_eq!(shown[1], "[demo-0-router/0] \\u{1b}[2Jtwo\n");
    assert!(shown[2].contains("is waiting to start"), "{shown:?}");
    let asked = server.asked();
    let of = |key: &str| asked[0].query.get(key).cloned().unwrap_or_default();
    assert_eq!(
        (of("container"), of("previous")),
        ("main".into(), "true".into())
    );
}
