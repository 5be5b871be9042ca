//! `logs`: which logs are read, and that no line acts on a terminal.

use std::io::{self, ErrorKind, Write};

use api::{PodClique, labels};
use cli::cluster::{Loaded, NamedKind};
use cli::exit::Exit;
use cli::logs::{LogsArgs, choose_sources, draw_line, read_lines};
use cli::output::write_to;
use cli::workload::Workload;
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{podclique, set};

use crate::read::{plain, pod_of, ready};
use crate::server::Server;

/// A PodClique of two pods outside of a scaling group, and one replica of group `demo-0-workers` with a
/// leader and two workers.
fn loaded(child: Option<(NamedKind, &str)>) -> Loaded {
    let router = podclique_of("demo-0-router", None);
    let leader = podclique_of("demo-0-workers-0-lead-router", Some("demo-0-workers"));
    let decode = podclique_of("demo-0-workers-0-decode", Some("demo-0-workers"));
    let mut pods: Vec<Pod> = [0, 1]
        .map(|index| pod_of(&router, index, &ready()))
        .to_vec();
    pods.push(pod_in_group(&leader, 0, 0));
    pods.extend([0, 1].map(|index| pod_in_group(&decode, index, index + 1)));
    let set = set("demo")
        .clique("router", |c| c.replicas(2))
        .clique("lead-router", |c| c)
        .clique("decode", |c| c.replicas(2))
        .group("workers", ["lead-router", "decode"], |g| g);
    let workload = Workload {
        set: set.build(),
        pods,
        podcliques: vec![decode, leader, router],
        ..Workload::default()
    };
    let child = child.map(|(kind, name)| (kind, name.to_owned()));
    Loaded { workload, child }
}

fn podclique_of(name: &str, group: Option<&str>) -> PodClique {
    let mut podclique: PodClique = (*podclique(name).size(2, 2).build()).clone();
    let labels = podclique.metadata.labels.get_or_insert_default();
    labels.insert(labels::POD_GANG.into(), "demo-0".into());
    labels.extend(group.map(|group| (labels::SCALING_GROUP.into(), group.into())));
    podclique
}

/// The pod of that index, with its rank.
fn pod_in_group(podclique: &PodClique, index: i32, rank: i32) -> Pod {
    let mut pod = pod_of(podclique, index, &ready());
    let all = pod.metadata.labels.get_or_insert_default();
    all.insert(labels::SCALING_GROUP_POD_INDEX.into(), rank.to_string());
    pod
}

const ROUTER: [&str; 2] = ["demo-0-router/0", "demo-0-router/1"];
const DECODE: [&str; 2] = ["demo-0-workers-0-decode/0", "demo-0-workers-0-decode/1"];
const LEADER: &str = "demo-0-workers-0-lead-router/0";
const GROUP: [&str; 3] = [DECODE[0], DECODE[1], LEADER];

fn of_rank(rank: i32) -> LogsArgs {
    LogsArgs {
        rank: Some(rank),
        ..LogsArgs::default()
    }
}

fn of_clique(clique: &str) -> LogsArgs {
    LogsArgs {
        clique: Some(clique.to_owned()),
        ..LogsArgs::default()
    }
}

fn prefixes(loaded: &Loaded, args: &LogsArgs) -> Vec<String> {
    let sources = choose_sources(loaded, args).unwrap();
    sources.into_iter().map(|source| source.prefix).collect()
}

#[rstest]
#[case::all(None, LogsArgs::default(), &[ROUTER[0], ROUTER[1], DECODE[0], DECODE[1], LEADER])]
#[case::the_first_of_each(None, of_rank(0), &[ROUTER[0], LEADER])]
#[case::the_worker_after_the_leader(None, of_rank(1), &[ROUTER[1], DECODE[0]])]
#[case::the_last_worker(None, of_rank(2), &DECODE[1..])]
#[case::a_clique(None, of_clique("decode"), &DECODE)]
#[case::a_clique_on_whose_name_another_ends(None, of_clique("router"), &ROUTER)]
#[case::a_clique_of_two_words(None, of_clique("lead-router"), &[LEADER])]
#[case::a_podclique_of_the_flag(None, of_clique("demo-0-workers-0-decode"), &DECODE)]
#[case::a_group(Some((NamedKind::Group, "demo-0-workers")), LogsArgs::default(), &GROUP)]
#[case::a_podclique(Some((NamedKind::Clique, "demo-0-router")), LogsArgs::default(), &ROUTER)]
#[case::a_gang(Some((NamedKind::Gang, "demo-0")), of_rank(0), &[ROUTER[0], LEADER])]
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
    let failure = choose_sources(&loaded(None), &of_rank(7)).unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound);
    assert!(
        failure
            .to_string()
            .contains("`kubectl grove tree demo -o wide`")
    );
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

/// A pipe that nobody reads any more.
struct Deserted;

impl Write for Deserted {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `kubectl grove logs -f llm | head -1` ends.
#[test]
fn a_reader_that_went_away_is_noticed() {
    assert!(write_to(&mut Vec::<u8>::new(), "one\n").unwrap());
    assert!(!write_to(&mut Deserted, "two\n").unwrap());
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
