//! ComputeDomains of GPU pods that share NVLink over nodes.

use cli::plan::{Outline, Planned, Rules, Surroundings, plan_new};
use serde_json::{Value, json};
use testkit::builders::after;

use super::{clique, outline, rules, set, text, with};

/// Two replicas of workers with GPUs, and a router without.
fn rack() -> Value {
    let gpus = json!({"limits": {"nvidia.com/gpu": "8"}});
    let place = "/spec/podSpec/containers/0/resources";
    let worker = with(clique("worker", 2), place, gpus);
    let mut set = set(&[clique("router", 1), worker], &[]);
    set["spec"]["replicas"] = json!(2);
    set["metadata"]["annotations"] = json!({"grove.io/mnnvl-group": "rack"});
    set
}

fn claims_of<'a>(outline: &'a Outline, podclique: &str) -> &'a Value {
    let mut all = outline.objects.iter();
    let found = all.find(|o| o["kind"] == "PodClique" && o["metadata"]["name"] == podclique);
    &found.unwrap()["spec"]["podSpec"]["resourceClaims"]
}

#[test]
fn each_replica_has_its_domain() {
    let outline = outline(&rack());
    assert_eq!(outline.compute_domains, ["svc-0-rack", "svc-1-rack"]);
    assert_eq!(outline.pods(), 6, "the driver makes the templates");
    assert_eq!(
        *claims_of(&outline, "svc-1-worker"),
        json!([{"name": "mnnvl-claim", "resourceClaimTemplateName": "svc-1-rack"}])
    );
    assert_eq!(*claims_of(&outline, "svc-1-router"), Value::Null);
    let assumed = outline.assumptions.join("\n");
    assert!(assumed.contains("autoMNNVLEnabled is true"), "{assumed}");
    let text = text(Planned::New(Box::new(outline)));
    assert!(text.contains("6 pods, 2 ComputeDomains"), "{text}");
    assert!(text.contains("ComputeDomains\n  svc-0-rack\n"), "{text}");
}

#[test]
fn a_known_configuration_without_them_refuses_the_set() {
    let rules = Rules {
        are_profiles_known: true,
        ..rules()
    };
    let planned = plan_new(
        &rack(),
        "default",
        &rules,
        &Surroundings::default(),
        after(0),
    );
    let Planned::Refused(refusal) = planned.unwrap() else {
        panic!("it is planned");
    };
    let error = refusal.refused[0].to_string();
    assert!(error.contains("network.autoMNNVLEnabled"), "{error}");
}
