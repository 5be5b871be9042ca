//! Each example that users copy reaches the end in its head, by the way that `kubectl grove plan`
//! predicts.
//!
//! Needs that no machine here meets are replaced: images with their commands and probes, claims of
//! storage, Secrets, and requests: the nodes have GPUs, but too few for all examples beside the
//! other tests. Objects of Kueue, KAI Scheduler and KEDA are left out.

mod example;
mod train_and_resume;

use crate::harness::seen::name;
use crate::training::{ends, succeed};
use example::{Example, is_ready};

#[test]
fn quickstart() {
    expect_ready("quickstart", 8);
}

#[test]
fn vllm_on_several_nodes() {
    expect_ready("vllm-multinode", 2);
}

#[test]
fn sglang_on_several_nodes() {
    expect_ready("sglang-multinode", 4);
}

#[test]
fn prefill_and_decode() {
    let example = Example::apply("prefill-decode");
    example.expect_ready(6);
    let names = ["prefill-decode-0-decode", "prefill-decode-0-prefill"];
    let seen = example.ns.look().unwrap();
    seen.expect_names("HorizontalPodAutoscaler", &names)
        .unwrap();
    example.delete();
}

#[test]
fn tensorrt_llm_by_mpi() {
    expect_ready("tensorrt-llm-mpi", 2);
}

#[test]
fn torchrun_elastic() {
    let podcliques = ["torchrun-elastic-0-host", "torchrun-elastic-0-node"];
    expect_succeeded("torchrun-elastic", &podcliques, 4);
}

#[test]
fn jax() {
    expect_succeeded("jax", &["jax-0-process"], 2);
}

#[test]
fn train_and_resume() {
    let podcliques = ["train-and-resume-0-leader", "train-and-resume-0-worker"];
    expect_succeeded("train-and-resume", &podcliques, 4);
}

#[test]
fn autoscalers_of_ones_own() {
    let example = Example::apply("hpa-and-keda");
    example.expect_ready(4);
    example.expect_target("HorizontalPodAutoscaler", 2);
    example.expect_target("ScaledObject", 1);
    example.delete();
}

#[test]
fn queue_of_kai() {
    let example = Example::apply("kai-queue");
    let words = "no scheduler named kai-scheduler has picked up";
    example.expect_waiting("WaitingForScheduler", words, &[]);
    example.delete();
}

/// The operator of these tests waits for no quota.
#[test]
fn queue_of_kueue() {
    expect_ready("queue", 3);
}

#[test]
fn gate_of_kueue() {
    const GATE: &str = "kueue.x-k8s.io/admission";
    let example = Example::apply("kueue-gate");
    example.expect_waiting("ForeignSchedulingGate", GATE, &[GATE]);
    let seen = example.ns.look().unwrap();
    let admit = r#"--patch=[{"op": "remove", "path": "/spec/schedulingGates/0"}]"#;
    let mut args = vec!["patch", "pods", "--type=json", admit];
    args.extend(seen.all("Pod").into_iter().map(name));
    example.ns.kubectl(&args);
    let judge = |seen: &_| is_ready(seen, example.name, 3);
    example.ns.until("it is Ready", judge);
    example.delete();
}

fn expect_ready(name: &'static str, pods: usize) {
    let example = Example::apply(name);
    example.expect_ready(pods);
    example.delete();
}

/// It runs, and is over when its pods have exited with 0.
fn expect_succeeded(name: &'static str, podcliques: &[&str], pods: usize) {
    let example = Example::apply(name);
    example.expect_ready(pods);
    succeed(&example.ns, podcliques);
    ends(&example.ns, name, "Succeeded", 0);
    example.delete();
}
