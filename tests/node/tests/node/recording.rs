//! `record`, which brings the behaviour of kubelets into the inner rings.

use std::process::{Command, Stdio};

use testkit::recordings::{RecordedStep, parse};

use super::judge::{job as judge_job, same};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::sets::{clique, job, sh};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![row(
        "recording::of_a_rank_that_exits_0",
        "-",
        of_a_rank_that_exits_0,
    )]
}

/// One command, from the pod's creation to its end, in the form that the inner rings read.
fn of_a_rank_that_exits_0(ns: &Namespace) {
    let selector = "grove.io/podclique=job-0-w";
    let mut record = Command::new(env!("CARGO_BIN_EXE_record"));
    record.args([&ns.name, selector, "--about", "exits 0"]);
    record.env("KUBECONFIG", ns.site.cluster.kubeconfig());
    let running = record.stdout(Stdio::piped()).spawn().unwrap();
    ns.apply(&[&job("job", 0, &[clique("w", 1, &[sh("sleep 1")])])]);
    ns.until("it is done", |seen| judge_job(seen, "job", "Succeeded", 0));
    ns.kubectl(&["delete", "pcs", "job"]);
    let recorded = running.wait_with_output().unwrap();
    let text = String::from_utf8(recorded.stdout).unwrap();
    let recording = parse("new", &text);
    let recording = recording.unwrap_or_else(|error| panic!("{error}: {text}"));
    same("workload", &*recording.about.workload, "Training").unwrap();
    same("restartPolicy", &*recording.about.restart_policy, "Never").unwrap();
    let phase = |step: &RecordedStep| step.status["phase"].as_str().unwrap_or_default().to_owned();
    let mut phases: Vec<_> = recording.steps.iter().map(phase).collect();
    // If it ends before its kubelet looks, it is never seen running.
    phases.dedup();
    phases.retain(|phase| phase != "Running");
    let should = ["Pending", "Succeeded"].map(str::to_owned);
    same("phases", phases, should.to_vec()).unwrap();
}
