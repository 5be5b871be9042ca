//! No stored object harms others: a too large one is refused by the API server or reported in a
//! condition, while the same process serves another set, in little memory.

use std::fs;

use serde_json::{Value, json};

use crate::faults::{runs, service};
use crate::harness::control_plane::folder;
use crate::harness::installation::{RELEASE, helm};
use crate::harness::lane::Lane;
use crate::harness::manifest::{clique, group, set};
use crate::harness::namespace::make;
use crate::harness::{Namespace, Seen, condition, same, site, wait};

/// 1 GiB, the chart's limit.
const KIBIBYTES: u32 = 1_048_576;
const TWO_BILLION: &str = "--replicas=2000000000";

#[test]
fn too_large_objects_are_refused_or_reported_and_the_neighbour_runs() {
    let lane = Lane::start_within("hostile", KIBIBYTES);
    let ns = lane.namespace();
    ns.apply(&service("victim"));
    ns.until("it runs", |seen| runs(seen, "victim", 3, 2));
    let process = lane.operator.id();

    for object in ["pcs/victim", "pcsg/victim-0-g", "pclq/victim-0-a"] {
        let scaled = ns.command(&["scale", object, TWO_BILLION]).output();
        let message = refused(&scaled.unwrap());
        assert!(
            message.contains("should be less than or equal to 10000"),
            "{message}"
        );
    }
    expect_many_cliques_refused(&ns);

    let hostile = [square(), long(), wide()];
    for manifest in &hostile {
        let created = ns.feed(&["create", "-f", "-"], manifest);
        assert!(created.status.success());
    }
    // Within the limits of its own counts, but not with all its children.
    ns.until("wide is there", |seen| {
        seen.one("PodCliqueScalingGroup", "wide-0-g").map(|_| ())
    });
    ns.kubectl(&["scale", "pcsg/wide-0-g", "--replicas=10000"]);

    ns.apply(&service("good"));
    ns.until("the neighbour runs", |seen| runs(seen, "good", 3, 2));
    ns.until("too large objects are reported", |seen| {
        is_reported(seen, "PodCliqueSet", "square")?;
        is_reported(seen, "PodCliqueSet", "long")?;
        is_reported(seen, "PodCliqueSet", "wide")?;
        is_reported(seen, "PodCliqueScalingGroup", "wide-0-g")?;
        same("cliques of square", &of_set(seen, "square"), &0)?;
        same("cliques of long", &of_set(seen, "long"), &0)?;
        same("cliques of wide", &of_set(seen, "wide"), &3)?;
        runs(seen, "victim", 3, 2)
    });

    ns.kubectl(&["scale", "pcsg/wide-0-g", "--replicas=2"]);
    ns.until("scaled down it runs", |seen| {
        let set = seen.one("PodCliqueSet", "wide")?;
        same(
            "Ready",
            &condition(set, "Ready"),
            &"True/AllReady".to_owned(),
        )?;
        same("its cliques", &of_set(seen, "wide"), &6)
    });
    lane.expect_alive();
    assert_eq!(lane.operator.id(), process, "another process");
}

fn expect_many_cliques_refused(ns: &Namespace<'_>) {
    // The API server reads each clique before it counts them, and all tests share its processors.
    let many: Vec<Value> = (0..2000).map(|i| clique(&format!("c{i}"), 1)).collect();
    let many = set("many", &many, &[]);
    // On a busy machine this takes longer than a request may last.
    let message = wait::until(|| {
        let message = refused(&ns.feed(&["create", "-f", "-"], &many));
        if message.contains("(Timeout)") {
            return Err(message);
        }
        Ok(message)
    });
    let message = message.unwrap();
    assert!(message.contains("must have at most 500 items"), "{message}");
}

/// The label has the name of the metadata field that decoding skips. Watches and lists decode
/// alike, and a starting process lists.
#[test]
fn a_label_called_managed_fields_hides_nothing() {
    let lane = Lane::start("managed-fields");
    let ns = lane.namespace();
    let mut odd = service("odd");
    odd["metadata"]["annotations"] = json!({"managedFields": "x"});
    let parts = &mut odd["spec"]["template"]["cliques"];
    parts[0]["labels"] = json!({"managedFields": "x"});
    parts[1]["annotations"] = json!({"managedFields": "[]"});
    ns.apply(&odd);
    ns.until("it runs", |seen| runs(seen, "odd", 3, 2));
    let seen = ns.look().unwrap();
    for pod in seen.pods("odd-0-a") {
        assert_eq!(pod["metadata"]["labels"]["managedFields"], "x");
    }

    lane.operator.kill();
    lane.operator.start_again().unwrap();
    lane.operator.wait_until_ready().unwrap();
    ns.apply(&service("even"));
    ns.kubectl(&["delete", "pods", "--selector=managedFields=x"]);
    ns.until("both run", |seen| seen.expect_ready_pods(10));
}

/// Ten thousand replicas of ten thousand group replicas.
fn square() -> Value {
    let mut square = set("square", &[clique("a", 1)], &[group("g", "a", 10_000, 1)]);
    square["spec"]["replicas"] = json!(10_000);
    square
}

/// A pod template of a megabyte, a thousand times.
fn long() -> Value {
    let mut long = set("long", &[clique("a", 1)], &[]);
    long["spec"]["replicas"] = json!(1_000);
    long["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0]["env"] =
        json!([{"name": "X", "value": "x".repeat(1_000_000)}]);
    long
}

/// A group of three cliques.
fn wide() -> Value {
    let mut group = group("g", "a", 1, 1);
    group["cliqueNames"] = json!(["a", "b", "c"]);
    set(
        "wide",
        &["a", "b", "c"].map(|name| clique(name, 1)),
        &[group],
    )
}

fn refused(output: &std::process::Output) -> String {
    assert!(!output.status.success(), "it was accepted");
    let message = String::from_utf8_lossy(&output.stderr);
    message.chars().take(2_000).collect()
}

fn is_reported(seen: &Seen, kind: &str, name: &str) -> Result<(), String> {
    let object = seen.one(kind, name)?;
    same(
        name,
        &condition(object, "Ready"),
        &"False/LimitExceeded".to_owned(),
    )
}

fn of_set(seen: &Seen, set: &str) -> usize {
    let label = "app.kubernetes.io/part-of";
    let all = seen.all("PodClique").into_iter();
    all.filter(|o| o["metadata"]["labels"][label] == set)
        .count()
}

/// Objects from before the definitions had limits: unchanged values are not refused.
#[test]
fn a_larger_object_that_is_stored_already_can_be_written_to() {
    let control_plane = site::private();
    // Its webhooks would be called, and no operator runs here.
    let gone = ["uninstall", RELEASE, "--ignore-not-found"];
    helm(&control_plane, &gone);
    control_plane.install_definitions();
    let ns = make(&control_plane, "stored-larger");
    let crd = "podcliquesets.grove.io";
    let maximum =
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/replicas/maximum";
    let older = format!("--patch={}", json!([{"op": "remove", "path": maximum}]));
    control_plane.kubectl(["patch", "crd", crd, "--type=json", &older]);
    let mut large = set("large", &[clique("a", 1)], &[]);
    large["spec"]["replicas"] = json!(20_000);
    large["metadata"]["finalizers"] = json!(["example.com/wait"]);
    let file = folder("stored-larger").join("large.json");
    fs::write(&file, large.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let in_ns = format!("--namespace={ns}");
    let create = ["create", &in_ns, "-f", file];
    let accepted = wait::until(|| {
        let created = control_plane.tool("kubectl", create).output().unwrap();
        let error = String::from_utf8_lossy(&created.stderr).into_owned();
        created.status.success().then_some(()).ok_or(error)
    });
    accepted.unwrap();

    control_plane.install_definitions();
    let scale = |replicas: &str| {
        let args = ["scale", &in_ns, "pcs/large", replicas];
        control_plane.tool("kubectl", args).output().unwrap()
    };
    let limited = wait::until(|| {
        let again = scale("--replicas=20001");
        (!again.status.success())
            .then_some(())
            .ok_or("no limit yet".to_owned())
    });
    limited.unwrap();
    let status = json!({"status": {"replicas": 1, "updatedReplicas": 0, "availableReplicas": 0}});
    let status = format!("--patch={status}");
    let patch = ["patch", &in_ns, "pcs/large", "--type=merge"];
    control_plane.kubectl([&patch[..], &["--subresource=status", &status]].concat());
    let finished = r#"--patch={"metadata": {"finalizers": []}}"#;
    control_plane.kubectl([&patch[..], &[finished]].concat());
    assert!(scale("--replicas=3").status.success());
    control_plane.kubectl(["delete", "namespace", &ns, "--wait=true", "--timeout=180s"]);
}
