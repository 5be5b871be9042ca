//! `maxRuntime`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ends, fail, hold, is, pair, pods, pods_of, release, succeed, witness};
use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::operator::Operator;
use crate::harness::{Namespace, Seen, condition, same, site};
use crate::termination::{runs, started};

fn limited(name: &str, restarts: u32, limit: &str) -> Value {
    let mut job = pair(name, restarts);
    job["spec"]["trainingSpec"]["maxRuntime"] = json!(limit);
    job
}

fn shorten(ns: &Namespace<'_>, set: &str, limit: &str) {
    let patch = json!({"spec": {"trainingSpec": {"maxRuntime": limit}}});
    let patch = format!("--patch={patch}");
    ns.kubectl(&["patch", "pcs", set, "--type=merge", &patch]);
}

#[test]
fn a_job_that_takes_too_long_is_ended_at_that_time_and_not_before() {
    let ns = Namespace::new("job-limit");
    ns.apply(&limited("x", 1, "9s"));
    started(
        &ns,
        &[
            (limited("shortened", 1, "1h"), 1),
            (limited("fits", 1, "1h"), 1),
        ],
    );
    shorten(&ns, "shortened", "10s");
    for set in ["x", "shortened"] {
        ends(&ns, set, "Failed", 0);
        ns.until("it reports the limit", |seen| was_too_long(&ns, seen, set));
    }
    let seen = ns.look().unwrap();
    for (set, limit) in [("x", 9), ("shortened", 10)] {
        let status = &seen.one("PodCliqueSet", set).unwrap()["status"];
        let time = |text: &Value| text.as_str().unwrap().parse::<Timestamp>().unwrap();
        let mut conditions = status["conditions"].as_array().unwrap().iter();
        let failed = conditions.find(|c| c["type"] == "Failed").unwrap();
        let failed = time(&failed["lastTransitionTime"]);
        let ran = failed.duration_since(time(&status["startTime"]));
        assert!(ran.as_secs() >= limit, "{set} was ended after {ran}");
        assert_eq!(ns.events(set, "PodCliqueFailed"), Vec::<String>::new());
    }
    runs(&seen, "fits", 1).unwrap();
}

fn was_too_long(ns: &Namespace<'_>, seen: &Seen, set: &str) -> Result<(), String> {
    let why = condition(seen.one("PodCliqueSet", set)?, "Failed");
    same(set, &why, &"True/MaxRuntimeExceeded".to_owned())?;
    same("pods", &pods(seen, set), &vec![])?;
    same("events", &ns.events(set, "MaxRuntimeExceeded").len(), &1)
}

#[test]
fn a_restart_under_way_does_not_outlast_it() {
    let ns = Namespace::new("job-overtaken");
    started(&ns, &[(limited("x", 1, "1h"), 1)]);
    let old = pods_of(&ns, &["x-0-a"]);
    hold(&ns, &old);
    fail(&ns, "x-0-a", 0);
    ns.until("it is being restarted", |seen| {
        is(seen, "x", &json!({"restartCount": 1}))?;
        let leaving = seen.pods("x-0-a").into_iter();
        let leaving = leaving.filter(|p| !p["metadata"]["deletionTimestamp"].is_null());
        same("terminating pods", &leaving.count(), &2)
    });
    shorten(&ns, "x", "1s");
    ns.until("it failed, but not all its pods ended", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        let failed = "True/MaxRuntimeExceeded".to_owned();
        same("x", &condition(set, "Failed"), &failed)?;
        same("phase", &(set["status"]["phase"] == "Failed"), &false)
    });
    release(&ns, &old);
    ends(&ns, "x", "Failed", 1);
    witness(&ns, "witness");
    ns.until("nothing came after it", |seen| was_too_long(&ns, seen, "x"));
}

#[test]
fn a_deadline_that_passes_while_the_operator_is_down_counts_unless_the_job_is_done() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("job-down")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "job-down");
    let jobs = ["late", "done", "fits"];
    started(&ns, &jobs.map(|name| (limited(name, 1, "1h"), 1)));
    let done = pods_of(&ns, &["done-0-a"]);
    operator.kill();
    super::exit(&ns, &done, 0, "");
    shorten(&ns, "late", "1s");
    shorten(&ns, "done", "1s");
    operator.start_again().unwrap();
    ends(&ns, "late", "Failed", 0);
    ends(&ns, "done", "Succeeded", 0);
    ns.until("the event is posted", |seen| {
        was_too_long(&ns, seen, "late")?;
        let events = ns.events("done", "WorkloadSucceeded");
        same("events", &events.len(), &1)?;
        runs(seen, "fits", 1)
    });
    succeed(&ns, &["fits-0-a"]);
    ends(&ns, "fits", "Succeeded", 0);
}
