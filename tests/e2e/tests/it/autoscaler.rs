//! A HorizontalPodAutoscaler scales through `/scale` of our kinds, whether the operator created it
//! for the set or a user did. There are no metrics here, but the autoscaler raises a count below
//! its minimum without them.

mod kept;
mod made;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same};

#[test]
fn an_autoscaler_scales_and_a_later_template_does_not_fight_it() {
    let ns = Namespace::new("autoscaler");
    ns.apply(&service(2, 1));
    ns.until("as the template says", |seen| runs(seen, 2, 1, 2));
    ns.apply(&autoscaled(service(2, 1), 4));
    ns.apply(&autoscaler("PodCliqueScalingGroup", "x-0-g", 3));
    wait_until_they_look(&ns);
    let scaled = ns.until("as the autoscalers want it", |seen| {
        runs(seen, 4, 3, 2)?;
        Ok(uids(seen, "x-0-a"))
    });

    // The clique that was not scaled follows; the others keep their count.
    ns.apply(&autoscaled(service(3, 2), 4));
    ns.until("the third clique follows the template", |seen| {
        runs(seen, 4, 3, 3)?;
        let template = |kind: &str, name: &str, replicas: &str| {
            let annotations = &seen.one(kind, name)?["metadata"]["annotations"];
            let is = &annotations["grove.io/template-replicas"];
            same(name, is, &json!(replicas))
        };
        template("PodClique", "x-0-a", "3")?;
        template("PodCliqueScalingGroup", "x-0-g", "2")?;
        same("pods of a", &uids(seen, "x-0-a"), &scaled)
    });
    ns.apply(&service(3, 2));
    ns.kubectl(&["delete", "hpa/x-0-g"]);
    ns.until("there is no autoscaler", |seen| {
        seen.expect_names("HorizontalPodAutoscaler", &[])
    });
    ns.kubectl(&["scale", "pclq/x-0-a", "pcsg/x-0-g", "--replicas=1"]);
    ns.until("as it was scaled by hand", |seen| runs(seen, 1, 1, 3));
}

#[test]
fn the_example_has_its_autoscalers() {
    let ns = Namespace::new("autoscaler-example");
    ns.apply_file("examples/autoscaling.yaml");
    ns.until("it runs, with two autoscalers", |seen| {
        seen.expect_ready_pods(8)?;
        let names = ["autoscaling-0-frontend", "autoscaling-0-workers"];
        seen.expect_names("HorizontalPodAutoscaler", &names)
    });
}

/// Kubernetes' controller learns about new kinds after half a minute, and runs every 15 seconds.
fn wait_until_they_look(ns: &Namespace<'_>) {
    ns.until("able to scale", |seen| {
        let all = seen.all("HorizontalPodAutoscaler").into_iter();
        let able: Vec<_> = all.map(|hpa| condition(hpa, "AbleToScale")).collect();
        let is_able = able.iter().filter(|able| able.starts_with("True"));
        same("autoscalers that are able to scale", &is_able.count(), &2)
    });
}

/// Two cliques of `replicas` pods and a group with that many replicas.
fn service(replicas: u32, groups: u32) -> Value {
    let mut cliques = [clique("a", replicas), clique("b", 1), clique("c", replicas)];
    for clique in &mut cliques {
        clique["spec"]["minAvailable"] = 1.into();
    }
    set("x", &cliques, &[group("g", "b", groups, 1)])
}

/// The first clique is scaled between that many pods and 5.
fn autoscaled(mut set: Value, min: u32) -> Value {
    let config = json!({"minReplicas": min, "maxReplicas": 5});
    set["spec"]["template"]["cliques"][0]["spec"]["autoScalingConfig"] = config;
    set
}

fn autoscaler(kind: &str, name: &str, min: u32) -> Value {
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"apiVersion": "grove.io/v1alpha1", "kind": kind, "name": name},
            "minReplicas": min,
            "maxReplicas": 5,
            "metrics": [{"type": "Resource", "resource": {
                "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80},
            }}],
        },
    })
}

fn runs(seen: &Seen, a: usize, groups: usize, c: usize) -> Result<(), String> {
    same("a", &seen.pods("x-0-a").len(), &a)?;
    same("c", &seen.pods("x-0-c").len(), &c)?;
    let group = &seen.one("PodCliqueScalingGroup", "x-0-g")?["status"];
    same("groups", &group["availableReplicas"], &groups.into())?;
    let clique = &seen.one("PodClique", "x-0-a")?["status"];
    same("a", &clique["readyReplicas"], &a.into())?;
    seen.expect_ready_pods(a + groups + c)
}

fn uids(seen: &Seen, podclique: &str) -> Vec<String> {
    let pods = seen.pods(podclique).into_iter();
    pods.map(|pod| pod["metadata"]["uid"].to_string()).collect()
}
