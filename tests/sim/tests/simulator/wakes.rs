//! Every input of `observe` triggers the controller: a change that changes a controller's plan for
//! an object has to queue that object's key.

use std::collections::BTreeMap;

use domain::Key;
use engine::{Context, Reconciler};
use jiff::Timestamp;
use kube::Resource;
use sim::check::Violation;

use crate::operator::Job;
use crate::rules::Rules;

/// The present plan of each controller for each of its objects, as text.
pub type Plans = BTreeMap<Job, String>;

impl Rules {
    /// The plans for the present caches.
    pub fn plans(&self, context: &Context) -> Plans {
        let mut plans = Plans::new();
        add_plans(&mut plans, 0, &self.sets, context);
        add_plans(&mut plans, 1, &self.groups, context);
        add_plans(&mut plans, 2, &self.cliques, context);
        add_plans(&mut plans, 3, &self.gangs, context);
        plans
    }
}

fn add_plans<R: Reconciler>(plans: &mut Plans, number: usize, rules: &R, context: &Context) {
    let now: Timestamp = context.now();
    for object in context.caches.of::<R::Object>().all() {
        let snapshot = rules.observe(&object, &context.caches);
        let plan = rules.decide(&snapshot, now).to_string();
        let plan = without_versions(&without_events(&plan));
        plans.insert((number, Key::of(object.meta())), plan);
    }
}

/// Events are posted with the next decision; no decision is made for their sake.
fn without_events(plan: &str) -> String {
    let is_event = |line: &&str| line.starts_with("warning ") || line.starts_with("event ");
    let lines: Vec<&str> = plan.lines().filter(|line| !is_event(line)).collect();
    lines.join("\n")
}

/// A plan that only waits for another version of an object is decided again by itself: its request
/// was refused.
fn without_versions(plan: &str) -> String {
    let mut pieces = plan.split(" at version ");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

/// Checks that each object with a changed plan was queued.
pub fn check(
    before: &Plans,
    after: &Plans,
    is_triggered: impl Fn(&Job) -> bool,
) -> Result<(), Violation> {
    for (job, plan) in after {
        let planned = before.get(job);
        if planned != Some(plan) && !is_triggered(job) {
            let planned = planned.map_or("nothing", String::as_str);
            return Err(Violation {
                invariant: "WAKE",
                message: format!(
                    "{job:?} was not triggered by the change of its plan from\n{planned}to\n{plan}"
                ),
            });
        }
    }
    Ok(())
}
