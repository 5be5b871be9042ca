//! Every PodCliqueSet that people copy from the README, the documents and the examples reaches the
//! end in its text.
//!
//! Needs that no machine here meets are replaced: images by a stub that listens on the probed
//! ports, requests by small ones, claims and Secrets by empty folders. Manifests that cannot run
//! here give the reason.

mod found;
mod stub;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::judge::{job, not_ready, ready, same, text};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::name;
use found::{Found, all_found};

/// The end of a manifest.
#[derive(Clone, Copy)]
enum End {
    /// Ready, with all of its pods.
    Ready,
    /// Phase Succeeded.
    Succeeded,
    /// Not Ready for that reason, while its needs are not met.
    Waits(&'static str),
    /// It does not run here, for this reason.
    NotHere(&'static str),
}

use End::{NotHere, Ready, Succeeded, Waits};

/// File, name of the set, its end.
const ENDS: [(&str, &str, End); 36] = [
    ("README.md", "chat", Ready),
    (
        "docs/devices.md",
        "pooled",
        NotHere("needs devices; tests/e2e runs examples/devices.yaml, which has the same pool"),
    ),
    ("docs/first-manifest.md", "serve", Ready),
    ("docs/from-lws-and-jobset.md", "ray", Ready),
    ("docs/gang-termination.md", "llm", Ready),
    ("docs/queues.md", "queued", Ready),
    ("docs/start-order.md", "llm", Ready),
    (
        "docs/topology.md",
        "packed",
        NotHere("needs a profile that knows topologies, as examples/topology.yaml does"),
    ),
    ("docs/training.md", "elastic", Succeeded),
    ("docs/training.md", "train", Succeeded),
    ("docs/updates.md", "pair", Ready),
    ("docs/updates.md", "rolling", Ready),
    ("examples/autoscaling.yaml", "autoscaling", Ready),
    ("examples/coherent.yaml", "coherent", Ready),
    (
        "examples/devices.yaml",
        "devices",
        NotHere("needs devices; tests/e2e runs it in `sharing::the_example_runs`"),
    ),
    ("examples/disaggregated.yaml", "disaggregated", Ready),
    ("examples/hpa-and-keda.yaml", "hpa-and-keda", Ready),
    ("examples/jax.yaml", "jax", Succeeded),
    (
        "examples/kai-queue.yaml",
        "kai-queue",
        Waits("WaitingForScheduler"),
    ),
    (
        "examples/kueue-gate.yaml",
        "kueue-gate",
        Waits("ForeignSchedulingGate"),
    ),
    (
        "examples/mnnvl.yaml",
        "mnnvl",
        NotHere("needs NVIDIA's DRA driver and its switch"),
    ),
    ("examples/prefill-decode.yaml", "prefill-decode", Ready),
    ("examples/queue.yaml", "queue", Ready),
    ("examples/quickstart.yaml", "quickstart", Ready),
    (
        "examples/schedulers/kai-scheduler.yaml",
        "kai-gang",
        NotHere("needs KAI Scheduler and its profile"),
    ),
    (
        "examples/schedulers/kubernetes.yaml",
        "kubernetes-gang",
        NotHere("needs a profile; tests/e2e runs it in `schedulers`"),
    ),
    (
        "examples/schedulers/volcano.yaml",
        "volcano-gang",
        NotHere("needs Volcano and its profile"),
    ),
    ("examples/sglang-multinode.yaml", "sglang-multinode", Ready),
    ("examples/start-order.yaml", "start-order", Ready),
    (
        "examples/suspend-and-ttl.yaml",
        "suspend-and-ttl",
        NotHere("is created without pods; tests/e2e runs suspended sets in `suspend`"),
    ),
    ("examples/tensorrt-llm-mpi.yaml", "tensorrt-llm-mpi", Ready),
    (
        "examples/topology.yaml",
        "topology",
        NotHere("needs a profile that knows topologies; tests/e2e runs it in `schedulers`"),
    ),
    (
        "examples/torchrun-elastic.yaml",
        "torchrun-elastic",
        Succeeded,
    ),
    (
        "examples/train-and-resume.yaml",
        "train-and-resume",
        Succeeded,
    ),
    (
        "examples/training-pytorch.yaml",
        "training-pytorch",
        Succeeded,
    ),
    ("examples/vllm-multinode.yaml", "vllm-multinode", Ready),
];

/// The rows of this theme: one for each manifest, and one that checks that none is missing.
pub fn rows() -> Vec<Row> {
    let of = |(file, set, end): (&'static str, &'static str, End)| {
        let row_name = format!(
            "manifests::{set}_of_{}",
            file.rsplit('/').next().unwrap_or(file)
        );
        let row_name = row_name.replace(['.', '-'], "_").to_lowercase();
        row(&row_name, "-", move |ns| {
            comes_to_its_end(ns, (file, set), end);
        })
        .of_soak()
    };
    let mut rows: Vec<_> = ENDS
        .into_iter()
        .filter(|(_, _, end)| !matches!(end, NotHere(_)))
        .map(of)
        .collect();
    rows.push(row("manifests::all_are_run", "-", all_are_run));
    // The manifest that a newcomer applies first is in the short list.
    rows.push(row("manifests::readme_as_it_is", "5", readme_as_it_is));
    rows
}

fn all_are_run(_: &Namespace) {
    let found: BTreeSet<_> = all_found()
        .into_iter()
        .map(|found| (found.file, found.set))
        .collect();
    let known = ENDS
        .iter()
        .map(|(file, set, _)| ((*file).to_owned(), (*set).to_owned()));
    same("the manifests of this checkout", found, known.collect()).unwrap();
}

/// README's workload has no needs.
fn readme_as_it_is(ns: &Namespace) {
    let found = the("README.md", "chat");
    ns.apply(&found.objects.iter().collect::<Vec<_>>());
    ns.until("it is Ready", |seen| ready(seen, "chat", "AllReady"));
}

/// The set with that name in that file.
pub fn the(file: &str, set: &str) -> Found {
    let found = all_found()
        .into_iter()
        .find(|found| found.file == file && found.set == set);
    found.unwrap_or_else(|| panic!("no {set} in {file}"))
}

fn comes_to_its_end(ns: &Namespace, (file, set): (&str, &str), end: End) {
    let found = the(file, set);
    let objects = stub::replaced(&found.objects, matches!(end, Succeeded));
    ns.apply(&objects.iter().collect::<Vec<_>>());
    ns.within(Duration::from_mins(8), "its end", |seen| match end {
        Ready => ready(seen, set, "AllReady"),
        Succeeded => job(seen, set, "Succeeded", 0),
        Waits(reason) => not_ready(seen, set, reason),
        NotHere(why) => Err(why.to_owned()),
    });
    let seen = ns.look().unwrap();
    let made = |object: &&Value| text(&object["metadata"]["name"]).starts_with(set);
    assert!(
        seen.pods().iter().any(made),
        "no pods: {:?}",
        seen.pods().into_iter().map(name).collect::<Vec<_>>()
    );
}
