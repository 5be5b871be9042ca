//! An image that cannot be pulled: only a kubelet finds that out, so the budget has to hold. One unit of
//! ten is lost, for however long, and none is restarted when the change is taken back.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};
use testkit::builders::{SetBuilder, set};

use crate::rollouts::course::{Course, has_warned, play, uids};
use crate::rollouts::has_version;
use crate::rollouts::nodes::Program;
use crate::rollouts::shape::{self, write_version};
use crate::scenarios::manifest;

const UNITS: usize = 10;
/// Half the time for which the update stands still.
const HALF_AN_HOUR: Duration = Duration::from_mins(30);
/// Longer than that, in seconds.
const FOR_EVER: i64 = 86_400;

/// The reason for which the set reports an update with this deadline, or without one.
const REPORTS: [(Option<&str>, &str); 2] = [
    (Some("10m"), "ProgressDeadlineExceeded"),
    (None, "NoProgress"),
];

/// A part of ten units.
struct Part {
    /// The field of the template that has the clique or group.
    field: &'static str,
    build: fn() -> SetBuilder,
}

const PARTS: [Part; 2] = [
    Part {
        field: "cliques",
        build: || set("svc").clique("a", |c| c.replicas(10).min(2)),
    },
    Part {
        field: "podCliqueScalingGroups",
        build: || {
            set("svc")
                .clique("a", |c| c)
                .group("g", ["a"], |g| g.replicas(10).min(2))
        },
    },
];

impl Part {
    /// Each pod has another container, whose image is good.
    fn manifest(&self, deadline: Option<&str>) -> Value {
        let mut manifest = manifest((self.build)());
        write_version(&mut manifest, "1");
        let template = &mut manifest["spec"]["template"];
        if let Some(deadline) = deadline {
            template[self.field][0]["rollingUpdate"] = json!({"progressDeadline": deadline});
        }
        let containers = &mut template["cliques"][0]["spec"]["podSpec"]["containers"];
        let containers = containers.as_array_mut().unwrap();
        containers.insert(0, json!({"name": "proxy", "image": "example/proxy:1"}));
        manifest
    }

    async fn play(
        &self,
        course: &mut Course,
        deadline: Option<&str>,
        reason: &str,
    ) -> Result<(), String> {
        course.run(&self.manifest(deadline), UNITS).await?;
        let old = course.store(|store| uids(store, "1"));
        // Its containers are never all Ready.
        course.offer(|world| world.program = Program::Slow(FOR_EVER));
        course.store(|store| shape::edit(store, "2"));
        let starts = |store: &Store| {
            let starts = !starting(store).is_empty();
            starts.then_some(()).ok_or_else(|| "none".to_owned())
        };
        course.until("a new pod has a node", starts).await?;
        course.store(fail_to_pull);
        course.pass(HALF_AN_HOUR).await?;
        // An operator that starts in the meantime knows as much.
        course.kill_operator();
        course.pass(HALF_AN_HOUR).await?;
        let kept = course.store(|store| uids(store, "1"));
        are_nine_of(&kept, &old)?;
        let words = ["ImagePullBackOff", reason, "UpdateStalled"];
        course.store(|store| {
            shape::says(store, &words)?;
            has_warned(store, "svc", "UpdateStalled")
        })?;
        course.store(|store| shape::edit(store, "1"));
        course.end("1", UNITS).await?;
        let now = course.store(|store| uids(store, "1"));
        let stayed: BTreeSet<String> = now.intersection(&old).cloned().collect();
        (stayed == kept)
            .then_some(())
            .ok_or_else(|| format!("of {kept:?} only {stayed:?} stayed"))
    }
}

/// New pods that their kubelet has begun to start.
fn starting(store: &Store) -> Vec<Id> {
    let is_starting = |pod: &Value| {
        let has_begun = view::at(pod, "/status/containerStatuses/0").is_some();
        has_begun && has_version(pod, "2") && view::is_live(pod)
    };
    let pods = store.all(Resource::Pod).filter(|(_, p)| is_starting(p));
    pods.map(|(id, _)| id.clone()).collect()
}

/// The kubelet cannot pull the image of one of the two containers.
fn fail_to_pull(store: &mut Store) {
    let time = store.stamp();
    for id in starting(store) {
        store.edit("kubelet", &id, |pod| {
            pod["status"]["phase"] = json!("Pending");
            pod["status"]["containerStatuses"] = json!([
                {"name": "proxy", "ready": true, "restartCount": 0,
                    "state": {"running": {"startedAt": time}}, "lastState": {}},
                {"name": "main", "ready": false, "restartCount": 0,
                    "state": {"waiting": {"reason": "ImagePullBackOff"}}, "lastState": {}},
            ]);
        });
    }
}

fn are_nine_of(kept: &BTreeSet<String>, old: &BTreeSet<String>) -> Result<(), String> {
    let are_right = kept.len() == UNITS - 1 && kept.is_subset(old);
    are_right
        .then_some(())
        .ok_or_else(|| format!("{} of ten old pods are left", kept.len()))
}

#[test]
fn an_image_that_cannot_be_pulled_costs_one_unit_of_ten() {
    for (deadline, reason) in REPORTS {
        for part in &PARTS {
            let played = play(UNITS, async |course: &mut Course| {
                part.play(course, deadline, reason).await
            });
            played.unwrap_or_else(|wrong| panic!("{wrong}\n{}, {reason}", part.field));
        }
    }
}
