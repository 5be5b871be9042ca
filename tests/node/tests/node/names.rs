//! The names and variables of a process, and those of its peers, and its lines among theirs.

use serde_json::{Value, json};

use super::judge::{available_is_latched, has, job as judge_job, ready, same};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{is_ready, name, uid};
use super::sets::{clique, job, serving, sh, with};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "names::resolve_before_a_pod_is_ready",
            "-",
            resolve_before_a_pod_is_ready,
        ),
        row("names::variables_of_a_group", "-", variables_of_a_group),
        row("names::attempt_of_a_job", "R1", attempt_of_a_job),
    ]
}

/// The name of a leader that is not Ready yet resolves to its address from its workers.
fn resolve_before_a_pod_is_ready(ns: &Namespace) {
    let never = json!({"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 1}});
    let script = "until nslookup $GROVE_PCS_NAME-0-l-0.$GROVE_HEADLESS_SERVICE > /tmp/found; do sleep 0.5; done; cat /tmp/found; exec sleep 1000";
    let leader = clique("l", 1, &[with(sh("exec sleep 1000"), &never)]);
    ns.apply(&[&serving("d", &[leader, clique("w", 2, &[sh(script)])])]);
    ns.until("each worker found its leader", |seen| {
        let leader = seen.pods_of("d-0-l");
        let address = leader.first().ok_or("no leader")?["status"]["podIP"].as_str();
        let address = address.ok_or("the leader has no address")?.to_owned();
        let workers = seen.pods_of("d-0-w");
        same(
            "Ready workers",
            workers.iter().filter(|pod| is_ready(pod)).count(),
            2,
        )?;
        workers
            .into_iter()
            .try_for_each(|pod| has("its log", &ns.kubectl(&["logs", name(pod)]), &[&address]))
    });
}

/// Each pod of a group replica knows its rank, the number of ranks and its leader.
fn variables_of_a_group(ns: &Namespace) {
    let script = "env | grep ^GROVE_ | sort; hostname -f; exec sleep 1000";
    let member = |name: &str, replicas| clique(name, replicas, &[sh(script)]);
    let mut set = serving("v", &[member("l", 1), member("w", 2)]);
    set["spec"]["template"]["podCliqueScalingGroups"] =
        json!([{"name": "e", "cliqueNames": ["l", "w"], "replicas": 2, "minAvailable": 1}]);
    ns.apply(&[&set]);
    ns.until("all is Ready", |seen| ready(seen, "v", "AllReady"));
    let pod = ns.until("the second group replica runs", |seen| {
        let pods = seen.pods_of("v-0-e-1-w");
        same(
            "Ready pods",
            pods.iter().filter(|pod| is_ready(pod)).count(),
            2,
        )?;
        Ok(name(pods[1]).to_owned())
    });
    let said = ns.kubectl(&["logs", &pod]);
    let should = [
        "GROVE_PCS_NAME=v",
        "GROVE_PCS_INDEX=0",
        "GROVE_PCLQ_NAME=v-0-e-1-w",
        "GROVE_PCLQ_POD_INDEX=1",
        "GROVE_PCSG_NAME=v-0-e",
        "GROVE_PCSG_INDEX=1",
        "GROVE_PCSG_TEMPLATE_NUM_PODS=3",
        "GROVE_PCSG_POD_INDEX=2",
    ];
    has("its variables", &said, &should).unwrap();
    let host = format!("v-0-e-1-w-1.v-0.{}.svc", ns.name);
    has("its host name", &said, &[&host]).unwrap();
    ns.until("the logs of all pods, and of one rank", |_| {
        let all = lines_of(ns, |_| true);
        same("the lines of all", hosts_told(ns, &[]), all)?;
        let of_rank = lines_of(ns, |rank| rank == 1);
        same("those of rank 1", hosts_told(ns, &["--rank", "1"]), of_rank)
    });
}

/// PodClique, index and rank in the group replica of each pod of `v`, in the order in which their logs are
/// printed.
const PODS: [(&str, u32, u32); 6] = [
    ("v-0-e-0-l", 0, 0),
    ("v-0-e-0-w", 0, 1),
    ("v-0-e-0-w", 1, 2),
    ("v-0-e-1-l", 0, 0),
    ("v-0-e-1-w", 0, 1),
    ("v-0-e-1-w", 1, 2),
];

/// The line with its host name that each of these pods printed, up to the cluster's domain.
fn lines_of(ns: &Namespace, is_chosen: impl Fn(u32) -> bool) -> Vec<String> {
    let chosen = PODS.into_iter().filter(|(_, _, rank)| is_chosen(*rank));
    let line = |(podclique, index, _): (&str, u32, u32)| {
        let pod = format!("{podclique}-{index}.v-0.{}", ns.name);
        format!("[{podclique}/{index}] {pod}")
    };
    chosen.map(line).collect()
}

/// These lines of `kubectl grove logs`.
fn hosts_told(ns: &Namespace, flags: &[&str]) -> Vec<String> {
    let said = ns.kubectl(&[&["grove", "logs", "v"], flags].concat());
    let lines = said.lines().filter(|line| !line.contains('='));
    let hosts = lines.filter_map(|line| line.split_once(".svc"));
    hosts.map(|(host, _)| host.to_owned()).collect()
}

/// Finding R1: each attempt of a job has a name, the same in all ranks, and another one after a
/// restart.
fn attempt_of_a_job(ns: &Namespace) {
    let script = "echo attempt=$GROVE_ATTEMPT=; exec sleep 1000";
    let ranks = |name: &str| clique(name, 1, &[sh(script)]);
    ns.apply(&[&job("job", 1, &[ranks("a"), ranks("b")])]);
    let (pods, first) = attempts(ns, 0, &[]);
    ns.kubectl(&[
        "delete",
        "pod",
        "-l",
        "grove.io/podclique=job-0-b",
        "--wait=false",
    ]);
    let (_, second) = attempts(ns, 1, &pods);
    same("the ranks of the first attempt", &first[0], &first[1]).unwrap();
    same("the ranks of the second attempt", &second[0], &second[1]).unwrap();
    assert_ne!(first[0], second[0]);
    assert!(
        first[0].len() > "attempt==".len(),
        "GROVE_ATTEMPT is not set: {first:?}"
    );
}

/// The uids of both ranks, and their output, once the job runs after that many restarts with new
/// pods.
fn attempts(ns: &Namespace, restarts: u64, before: &[String]) -> (Vec<String>, Vec<String>) {
    ns.until("both ranks run", |seen| {
        judge_job(seen, "job", "Running", restarts)?;
        available_is_latched(seen)?;
        let mut pods = seen.pods();
        pods.retain(|pod| is_ready(pod) && !before.contains(&uid(pod)));
        same("Ready ranks", pods.len(), 2)?;
        let said = |pod: &&Value| ns.kubectl(&["logs", name(pod)]).trim().to_owned();
        Ok((
            pods.iter().map(|pod| uid(pod)).collect(),
            pods.iter().map(said).collect(),
        ))
    })
}
