//! The simulated API store answers as the real API server does: random requests are sent to both.
//!
//! `CONFORMANCE_SEED=7 CONFORMANCE_STEPS=1000 cargo test -p e2e conformance` sends other requests.
//! Not modelled, and never requested: `propagationPolicy: Orphan` and deleted owners (the garbage
//! collector of the real server would act at any time), scheduled pods, and validation of anything
//! but metadata.

mod compare;
mod known;
mod operation;
mod side;

use std::env;

use sim::{Id, Resource, Rng};

use crate::harness::control_plane::ControlPlane;
use crate::harness::site;
use operation::Operation;
use side::{Model, Real, Side};

const RESOURCES: [Resource; 5] = [
    Resource::PodClique,
    Resource::PodCliqueScalingGroup,
    Resource::PodGang,
    Resource::Pod,
    Resource::Service,
];
/// Few, so that requests meet objects that exist.
const NAMES: [&str; 2] = ["a", "b"];

fn variable(name: &str, default: u64) -> u64 {
    let value = env::var(name).ok().and_then(|v| v.parse().ok());
    value.unwrap_or(default)
}

#[test]
fn the_simulated_store_answers_as_the_real_api_server() {
    let (seed, steps) = (
        variable("CONFORMANCE_SEED", 1),
        variable("CONFORMANCE_STEPS", 500),
    );
    let control_plane = site::quiet();
    let namespace = Namespace::new(&control_plane, seed);
    let mut rng = Rng::new(seed);
    let mut model = Side::new(Model::new(), &namespace.name, "uid-of-the-owner");
    let mut real = Side::new(
        Real::new(&control_plane.kubeconfig),
        &namespace.name,
        &namespace.owner,
    );
    let mut story = Vec::new();
    let mut differences = Vec::new();
    for step in 1..=steps {
        let id = any_object(&mut rng, &namespace.name);
        let operation = Operation::any(&mut rng, id.resource);
        story.push(format!("{step}. {id}: {operation:?}"));
        if let Err(difference) = compare::after(&operation, &id, &mut model, &mut real) {
            let is_concerned = |line: &&String| line.contains(&format!(" {id}: "));
            let concerned: Vec<&str> = story
                .iter()
                .filter(is_concerned)
                .map(String::as_str)
                .collect();
            differences.push(format!("{}\n{difference}", concerned.join("\n")));
            // The following requests are worth comparing too.
            model.clear(&id);
            real.clear(&id);
        }
    }
    for (resource, name) in RESOURCES.iter().flat_map(|r| NAMES.map(|name| (*r, name))) {
        real.clear(&Id {
            resource,
            namespace: namespace.name.clone(),
            name: name.to_owned(),
        });
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}\nreplay: CONFORMANCE_SEED={seed}",
        differences.len(),
        differences.join("\n\n"),
    );
}

fn any_object(rng: &mut Rng, namespace: &str) -> Id {
    let resource = rng.pick(&RESOURCES).unwrap();
    Id {
        resource: *resource,
        namespace: namespace.to_owned(),
        name: (*rng.pick(&NAMES).unwrap()).to_owned(),
    }
}

/// A namespace with an object that owns others and stays.
struct Namespace<'a> {
    name: String,
    owner: String,
    control_plane: &'a ControlPlane,
}

impl<'a> Namespace<'a> {
    fn new(control_plane: &'a ControlPlane, seed: u64) -> Self {
        let name = format!("e2e-conformance-{seed}-{}", std::process::id());
        control_plane.kubectl(["create", "namespace", &name]);
        let create = ["create", "configmap", "owner", "--namespace", &name];
        control_plane.kubectl(create);
        // Pods are refused before their ServiceAccount exists.
        let account = "serviceaccount/default";
        let wait = ["wait", "--for=create", "--timeout=180s", account];
        control_plane.kubectl(wait.into_iter().chain(["--namespace", &name]));
        let uid = "--output=jsonpath={.metadata.uid}";
        let owner = control_plane.kubectl(["get", "configmap", "owner", uid, "--namespace", &name]);
        Self {
            name,
            owner,
            control_plane,
        }
    }
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        let delete = ["delete", "namespace", &self.name, "--wait=false"];
        let _ = self.control_plane.tool("kubectl", delete).output();
    }
}
