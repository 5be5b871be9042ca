//! What `/metrics` says of gangs.

use api::conditions::{self, ConditionType, Reason, Verdict};
use api::podgang::PodGangPhase;
use api::{PodCliqueSet, PodCliqueSetStatus, PodGang, PodGangStatus};
use domain::readiness;
use engine::metrics::Metrics;
use engine::{World, census, record};
use testkit::builders::{after, set, stored};

fn gang(is_scheduled: bool, seconds: i64) -> PodGang {
    let mut status = PodGangStatus {
        phase: PodGangPhase::Starting,
        ..PodGangStatus::default()
    };
    let scheduled = Verdict {
        type_: ConditionType::Scheduled,
        status: is_scheduled.into(),
        reason: Reason::GuaranteedPodsBound,
        message: String::new(),
    };
    let ready = readiness::verdict(false, Reason::CrashLoop, String::new());
    conditions::set(&mut status.conditions, scheduled, None, after(seconds));
    conditions::set(&mut status.conditions, ready, None, after(seconds));
    PodGang {
        metadata: stored("demo-0"),
        status: Some(status),
        ..PodGang::default()
    }
}

fn of_sets(ready: Option<Reason>) -> PodCliqueSet {
    let mut set = set("demo").build();
    let mut status = PodCliqueSetStatus::default();
    if let Some(reason) = ready {
        let verdict = readiness::verdict(true, reason, String::new());
        conditions::set(&mut status.conditions, verdict, None, after(0));
    }
    set.status = Some(status);
    set
}

/// Lines of these metrics that have a value.
fn lines(text: &str, names: &[&str]) -> String {
    let is_meant = |line: &&str| names.iter().any(|name| line.starts_with(name));
    let mut lines: Vec<&str> = text.lines().filter(is_meant).collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn tells_how_many_objects_are_in_which_state_now() {
    let (world, metrics) = (World::default(), Metrics::default());
    world.podgangs.apply(gang(false, 0));
    world.podcliquesets.apply(of_sets(Some(Reason::AllReady)));
    let names = ["grove_objects", "grove_podgangs"];
    insta::assert_snapshot!(lines(&metrics.encode(&census::registry(&world)), &names));
    let mut later = of_sets(None);
    later.metadata.resource_version = Some("99".into());
    world.podcliquesets.apply(later);
    let text = metrics.encode(&census::registry(&world));
    assert!(!text.contains("AllReady"), "a state that is gone: {text}");
}

#[test]
fn times_how_long_a_gang_waited_once_each_time() {
    let metrics = Metrics::default();
    let status = |gang: PodGang| gang.status.unwrap();
    let (waiting, placed) = (gang(false, 10), gang(true, 40));
    record::status(
        &metrics,
        &waiting,
        &PodGangStatus::default(),
        &status(waiting.clone()),
    );
    record::status(&metrics, &placed, &status(waiting), &status(placed.clone()));
    record::status(
        &metrics,
        &placed,
        &status(placed.clone()),
        &status(placed.clone()),
    );
    let text = metrics.encode(&census::registry(&World::default()));
    let names = [
        "grove_podgang_wait_seconds_sum",
        "grove_podgang_wait_seconds_count",
    ];
    insta::assert_snapshot!(lines(&text, &names));
}
