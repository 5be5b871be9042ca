//! The set of a recorded pod, and its manifest.

use api::WorkloadType;
use api::podcliqueset::{CliqueStartupType, TrainingSpec};
use k8s_openapi::api::core::v1::{Container, Lifecycle, LifecycleHandler, Probe};
use serde_json::{Value, json};
use sim::Resource;
use testkit::builders::{CliqueBuilder, SetBuilder, set};
use testkit::recordings::Recording;

/// Name of the clique of the recorded pod.
pub const CLIQUE: &str = "w";
/// Name of the clique that it depends on, if there is one.
pub const PARENT: &str = "p";
/// The operator's name of the init container.
const INITC: &str = "grove-initc";

/// A set of two such pods; with a start order, it has one more pod before them.
pub struct Situation(SetBuilder);

impl Situation {
    /// The set of the recording, without a terminationDelay.
    pub fn of(recording: &Recording) -> Self {
        let mut builder = set("demo");
        if recording.may_start().is_some() {
            builder = builder.clique(PARENT, |c| c);
        }
        let builder = builder.clique(CLIQUE, |c| fill(c, recording));
        Self(builder.with(|set| {
            if recording.may_start().is_some() {
                set.spec.template.clique_startup_type = Some(CliqueStartupType::InOrder);
            }
            if recording.about.workload == "Training" {
                set.spec.workload_type = Some(WorkloadType::Training);
                set.spec.training_spec = Some(TrainingSpec {
                    max_restarts: Some(1),
                    ..TrainingSpec::default()
                });
            }
        }))
    }

    /// The same with a terminationDelay.
    pub fn delayed(self) -> Self {
        Self(self.0.with(|set| {
            set.spec.template.termination_delay = Some("10s".into());
        }))
    }

    /// The user's manifest.
    pub fn manifest(&self) -> Value {
        let mut manifest = json!(self.0.clone().build());
        manifest["apiVersion"] = json!(Resource::PodCliqueSet.api_version());
        manifest["kind"] = json!("PodCliqueSet");
        manifest["metadata"] = json!({"name": "demo"});
        manifest
    }
}

fn fill(clique: CliqueBuilder, recording: &Recording) -> CliqueBuilder {
    clique.replicas(2).with(|clique| {
        let spec = &mut clique.spec.pod_spec;
        spec.restart_policy = Some(recording.about.restart_policy.clone());
        let app = recording.app_containers();
        spec.containers = app.into_iter().map(container).collect();
        for main in spec.containers.iter_mut().filter(|c| c.name == "main") {
            end_main(main, recording.about.main_has.as_deref());
        }
        let init = recording.init_containers().into_iter();
        let init = init.filter(|name| *name != INITC).map(|name| Container {
            restart_policy: runs_on(recording, name).then(|| "Always".to_owned()),
            ..container(name)
        });
        spec.init_containers = Some(init.collect()).filter(|all: &Vec<_>| !all.is_empty());
    })
}

/// Gives the container the probe or the hook because of which the kubelet ended it.
fn end_main(main: &mut Container, has: Option<&str>) {
    match has {
        Some("livenessProbe") => main.liveness_probe = Some(Probe::default()),
        Some("startupProbe") => main.startup_probe = Some(Probe::default()),
        Some("postStart") => {
            main.lifecycle = Some(Lifecycle {
                post_start: Some(LifecycleHandler::default()),
                ..Lifecycle::default()
            });
        }
        _ => {}
    }
}

fn runs_on(recording: &Recording, container: &str) -> bool {
    recording.about.sidecars.contains(container)
}

fn container(name: &str) -> Container {
    Container {
        name: name.to_owned(),
        image: Some("example/main:1".to_owned()),
        ..Container::default()
    }
}
