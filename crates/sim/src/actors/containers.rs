//! The containers of pods in the user's manifests.

use serde_json::{Value, json};

use crate::{Rng, view};

/// Some cliques have one more container beside `main`, or before it; some of jobs restart in place.
pub(super) fn write_some(manifest: &mut Value, rng: &Rng) {
    /// A separate random source, so that nothing else about a seed changes.
    const APART: u64 = 0x51DE_CA25;
    let mut dice = Rng::new(rng.clone().number() ^ APART);
    let is_job = view::is_job(manifest);
    let cliques = manifest["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        let pod = &mut clique["spec"]["podSpec"];
        match dice.below(20) {
            0 | 1 => pod["initContainers"] = json!([container("init")]),
            2 | 3 => {
                let mut sidecar = container("side");
                sidecar["restartPolicy"] = json!("Always");
                pod["initContainers"] = json!([sidecar]);
            }
            4 => {
                if let Some(all) = pod["containers"].as_array_mut() {
                    all.push(container("side"));
                }
            }
            _ => {}
        }
        if is_job && dice.chance(150) {
            pod["restartPolicy"] = json!("OnFailure");
        }
    }
}

fn container(name: &str) -> Value {
    json!({"name": name, "image": "example/main:1"})
}
