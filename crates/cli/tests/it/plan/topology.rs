//! Topology constraints, with and without the ClusterTopologyBinding that they name.

mod in_cluster;

use cli::plan::{Outline, PackedScope, Planned, Rules, Surroundings, plan_new};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;

use super::{clique, group, outline, outline_in, planned_in, rules, set, text, with};

/// A constraint; the empty text stands for no level.
fn pack(required: &str, preferred: &str) -> Value {
    let mut pack = json!({});
    for (field, level) in [("required", required), ("preferred", preferred)] {
        if !level.is_empty() {
            pack[field] = json!(level);
        }
    }
    json!({ "pack": pack })
}

/// One replica in one zone, with a router and two instances, each of them in one rack.
fn service() -> Value {
    let cliques = [
        clique("router", 2),
        clique("leader", 1),
        clique("worker", 3),
    ];
    let mut instance = group("leader", 2, 1);
    instance["cliqueNames"] = json!(["leader", "worker"]);
    instance["topologyConstraint"] = pack("rack", "");
    let mut service = set(&cliques, &[instance]);
    let of_set = &mut service["spec"]["template"]["topologyConstraint"];
    *of_set = pack("zone", "");
    of_set["topologyName"] = json!("fabric");
    service
}

fn binding(levels: &[&str]) -> Value {
    let level = |domain: &&str| json!({"domain": domain, "key": format!("example.com/{domain}")});
    let levels: Vec<Value> = levels.iter().map(level).collect();
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "fabric"},
        "spec": {"levels": levels},
    })
}

fn known(levels: &[&str]) -> Surroundings {
    Surroundings::of_file(&[binding(levels)]).unwrap()
}

/// Name and levels of each scope.
fn scopes(outline: &Outline, gang: usize) -> Vec<String> {
    let all = outline.gangs[gang].topology.iter();
    let describe = |scope: &PackedScope| {
        let levels = [("one", &scope.required), ("if possible", &scope.preferred)];
        let levels = levels.map(|(word, level)| {
            let level = level.as_ref();
            level.map_or(String::new(), |level| format!(" {word} {level}"))
        });
        format!("{}:{}", scope.scope, levels.concat())
    };
    all.map(describe).collect()
}

#[test]
fn each_gang_has_its_domains() {
    let outline = outline_in(&service(), &known(&["zone", "rack"]));
    assert_eq!(outline.assumptions.len(), 1, "{:?}", outline.assumptions);
    let base = ["svc-0: one zone", "svc-0-grp-0: one rack"];
    assert_eq!(scopes(&outline, 0), base);
    // The second instance is the first scaled gang.
    let scaled = ["svc-0: one zone", "svc-0-grp-0: one rack"];
    assert_eq!(scopes(&outline, 1), scaled);
    let listed: usize = outline
        .gangs
        .iter()
        .flat_map(|gang| &gang.podgroups)
        .map(|part| part.pods)
        .sum();
    assert_eq!((listed, outline.pods()), (10, 10));
}

/// The domain is the scheduler's choice.
#[test]
fn planned_pods_name_no_domain() {
    let objects = outline_in(&service(), &known(&["zone", "rack"])).objects;
    for object in &objects {
        let text = object.to_string();
        assert!(!text.contains("grove.io/pinned"), "{text}");
        assert!(!text.contains("placements"), "{text}");
    }
    let pods = objects.iter().filter(|object| object["kind"] == "Pod");
    let selectors = pods.map(|pod| &pod["spec"]["nodeSelector"]);
    assert!(selectors.into_iter().all(Value::is_null));
    let inputs = ["ClusterTopologyBinding", "Node", "Topology"];
    let mut kinds = objects
        .iter()
        .map(|object| object["kind"].as_str().unwrap());
    assert!(!kinds.any(|kind| inputs.contains(&kind)));
}

#[rstest]
#[case::nested([("zone", ""), ("rack", ""), ("host", "")], "zone, rack, host")]
#[case::preferred([("", "zone"), ("", "rack"), ("", "")], "zone, rack")]
#[case::both([("zone", "host"), ("rack", "host"), ("", "")], "zone, rack, host")]
#[case::named_late([("", "host"), ("rack", "host"), ("rack", "")], "rack, host")]
#[case::contradicting([("", "rack"), ("", "zone"), ("", "rack")], "rack, zone")]
#[case::one_level([("rack", ""), ("rack", ""), ("rack", "")], "rack")]
fn levels_of_an_unknown_binding_are_assumed(
    #[case] constraints: [(&str, &str); 3],
    #[case] levels: &str,
) {
    let [of_set, of_group, of_clique] =
        constraints.map(|(required, preferred)| pack(required, preferred));
    let mut set = service();
    let template = &mut set["spec"]["template"];
    for (at, constraint) in [
        ("/topologyConstraint", of_set),
        ("/podCliqueScalingGroups/0/topologyConstraint", of_group),
    ] {
        *template.pointer_mut(at).unwrap() = constraint;
    }
    template["cliques"][1]["topologyConstraint"] = of_clique;
    template["topologyConstraint"]["topologyName"] = json!("fabric");
    let outline = outline(&set);
    let fact = format!("ClusterTopologyBinding fabric has the levels {levels}, broadest first: ");
    assert!(
        outline
            .assumptions
            .iter()
            .any(|assumed| assumed.starts_with(&fact)),
        "{:?}",
        outline.assumptions
    );
    assert_eq!(outline.errors, [""; 0]);
    assert_eq!(outline.pods(), 10);
}

/// Its profile does not matter for pods that need not share a domain.
#[test]
fn a_scheduler_is_assumed_only_where_a_level_is_required() {
    let preferred = with(
        service(),
        "/spec/template/topologyConstraint/pack",
        json!({"preferred": "zone"}),
    );
    let group = "/spec/template/podCliqueScalingGroups/0/topologyConstraint/pack";
    let preferred = with(preferred, group, json!({"preferred": "rack"}));
    let outline = outline_in(&preferred, &known(&["zone", "rack"]));
    assert_eq!(outline.assumptions, [""; 0]);
    let base = ["svc-0: if possible zone", "svc-0-grp-0: if possible rack"];
    assert_eq!(scopes(&outline, 0), base);
}

fn by_scheduler(scheduler: &str) -> Value {
    let mut set = service();
    for clique in set["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!(scheduler);
    }
    set
}

/// It is a backend of its own, and reads a topology of the binding's name.
#[test]
fn kai_scheduler_is_assumed_where_a_set_names_it() {
    let outline = outline_in(&by_scheduler("kai-scheduler"), &known(&["zone", "rack"]));
    let assumed = "the profile of kai-scheduler has backend kai-scheduler; ";
    assert!(
        outline.assumptions[0].starts_with(assumed),
        "{:?}",
        outline.assumptions
    );
    let mut objects = outline.objects.iter();
    let group = objects.find(|o| o["kind"] == "PodGroup").unwrap();
    let constraint = json!({"topology": "fabric", "requiredTopologyLevel": "example.com/zone"});
    assert_eq!(group["spec"]["topologyConstraint"], constraint);
}

/// The fields of the set that the webhook refuses.
fn refused(set: &Value, rules: &Rules, around: &Surroundings) -> Vec<String> {
    match plan_new(set, "default", rules, around, after(0)).unwrap() {
        Planned::Refused(refusal) => refusal.refused.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_set_that_the_webhook_refuses_is_refused() {
    let missing = refused(&service(), &rules(), &known(&["zone", "host"]));
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(
        missing[0].contains("\"rack\" does not exist"),
        "{missing:?}"
    );

    let none = Surroundings::default().with_bindings(Vec::new());
    let missing = refused(&service(), &rules(), &none);
    assert!(
        missing[0].contains("\"fabric\" does not exist"),
        "{missing:?}"
    );

    let mut disabled = rules();
    disabled.sets.is_topology_aware = false;
    let all = refused(&service(), &disabled, &known(&["zone", "rack"]));
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(
        all[0].contains("Topology Aware Scheduling is disabled"),
        "{all:?}"
    );

    let without_profiles = Rules {
        are_profiles_known: true,
        ..rules()
    };
    let unable = refused(&service(), &without_profiles, &known(&["zone", "rack"]));
    assert!(
        unable[0].contains("default-scheduler cannot honour pack.required"),
        "{unable:?}"
    );
}

#[test]
fn a_scheduler_that_keeps_no_pods_together_holds_all_back() {
    let outline = outline_in(&by_scheduler("volcano"), &known(&["zone", "rack"]));
    assert_eq!(outline.errors.len(), 1, "{:?}", outline.errors);
    let held = "cannot keep pods in one topology domain";
    assert!(outline.errors[0].contains(held), "{:?}", outline.errors);
}

#[test]
fn a_broken_binding_in_the_file_is_an_error() {
    let broken = with(binding(&["zone"]), "/spec/levels/0/key", json!(3));
    let failure = Surroundings::of_file(&[broken]).unwrap_err().to_string();
    assert!(failure.contains("fabric: spec.levels[0].key"), "{failure}");
}

#[test]
fn the_domains_of_a_gang_are_one_line() {
    let mut set = service();
    set["spec"]["template"]["podCliqueScalingGroups"][0]["minAvailable"] = json!(2);
    set["spec"]["template"]["cliques"][1]["topologyConstraint"] = pack("", "host");
    let text = text(planned_in(&set, &known(&["zone", "rack", "host"])));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "topology: one zone; each of svc-0-grp-0, svc-0-grp-1: one rack; \
                each of svc-0-grp-0-leader, svc-0-grp-1-leader: one host if possible";
    assert!(text.contains(line), "{text}");
}
