//! Pods that start after others.

use domain::health::readiness::Start;
use domain::object::pod::{ContainerStatus, Running, Terminated, Waiting};
use insta::assert_snapshot;
use testkit::builders::PodBuilder;

use super::{all, held_back};

/// The cause of a waiting init container is reported, and the cause of the waiting others.
#[test]
fn a_pod_that_starts_after_others_says_so() {
    let waits = |c: &mut ContainerStatus| c.state.running = Some(Running::default());
    let pulls = |c: &mut ContainerStatus| {
        c.state.waiting = Some(Waiting {
            reason: Some("ErrImagePull".into()),
            message: None,
        });
    };
    let crashes = |c: &mut ContainerStatus| {
        c.state.running = Some(Running::default());
        c.last_state.terminated = Some(Terminated {
            exit_code: 1,
            ..Terminated::default()
        });
    };
    let done = |c: &mut ContainerStatus| c.state.terminated = Some(Terminated::default());
    let after = |p: PodBuilder| {
        p.with(|p| {
            let pairs = "demo-0-router:2,demo-0-cache:1".to_owned();
            let annotations = p.metadata.annotations.get_or_insert_default();
            annotations.insert(api::labels::STARTS_AFTER.into(), pairs);
        })
    };
    let with_signal = |pod: PodBuilder, at: Option<&str>| {
        after(pod).with(|p| {
            let annotations = p.metadata.annotations.get_or_insert_default();
            annotations.insert(api::labels::START.into(), "now".into());
            let at = at.map(|at| (api::labels::START_AT.into(), at.into()));
            annotations.extend(at);
        })
    };
    let on = Start::Started;
    let lines = [
        all(on.clone(), &|p| {
            with_signal(held_back(waits)(p), Some("2026-01-01T00:00:20Z"))
        }),
        all(on.clone(), &|p| with_signal(held_back(waits)(p), None)),
        all(on.clone(), &|p| after(held_back(waits)(p))),
        all(on.clone(), &held_back(waits)),
        all(on.clone(), &|p| after(held_back(pulls)(p))),
        all(on.clone(), &|p| after(held_back(crashes)(p))),
        all(on.clone(), &|p| after(held_back(done)(p))),
    ];
    assert_snapshot!(lines.join("\n"));
}
