//! The slots of requests, so that a seed means the same faults in each run.

use std::collections::HashMap;

use super::Asked;

/// The facts from earlier requests.
#[derive(Default)]
pub struct Slots {
    /// By name of the pod, from its POST.
    of_pods: HashMap<String, String>,
    turns: HashMap<(&'static str, String, String, String), usize>,
}

impl Slots {
    /// Sets the slot and the number of earlier requests of this kind.
    pub fn place(&mut self, asked: &mut Asked) {
        if asked.is("create", "pods") {
            let (name, slot) = (asked.name.clone(), asked.slot.clone());
            self.of_pods.insert(name, slot);
        }
        // Events are about pods, too.
        let (name, rest) = asked.slot.split_once('/').unwrap_or((&asked.slot, ""));
        if let Some(slot) = self.of_pods.get(name) {
            asked.slot = format!("{slot}/{rest}");
        }
        let kind = (
            asked.verb,
            asked.resource.clone(),
            asked.subresource.clone(),
            asked.slot.clone(),
        );
        let turns = self.turns.entry(kind).or_default();
        asked.turn = *turns;
        *turns += 1;
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use serde_json::{Value, json};

    use super::super::share;
    use super::*;

    const PODS: &str = "/api/v1/namespaces/default/pods";
    const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

    fn asked(slots: &mut Slots, method: &str, path: &str, body: &Value) -> Asked {
        let request = Request::builder().method(method).uri(path);
        let (head, ()) = request.body(()).unwrap().into_parts();
        let mut asked = Asked::read(&head, body.to_string().as_bytes());
        slots.place(&mut asked);
        asked
    }

    /// The requests for two pods of a slot, one after the other.
    fn life(names: [&str; 2]) -> Vec<u64> {
        let mut slots = Slots::default();
        let mut shares = Vec::new();
        for name in names {
            let pod = json!({"metadata": {"name": name}, "spec": {"hostname": "x-0-a-1"}});
            let event = json!({
                "metadata": {"name": format!("{name}.1a2b")},
                "regarding": {"name": name},
                "reason": "Deleted",
            });
            let path = format!("{PODS}/{name}");
            for (method, path, body) in [
                ("POST", PODS, &pod),
                ("PATCH", path.as_str(), &json!([])),
                ("POST", EVENTS, &event),
                ("DELETE", path.as_str(), &json!({})),
            ] {
                let asked = asked(&mut slots, method, path, body);
                shares.push((1000..).map(|seed| share(seed, &asked)).take(3).sum());
            }
        }
        shares
    }

    #[test]
    fn a_seed_means_the_same_faults_for_all_names_of_pods() {
        let shares = life(["x-0-a-bcdfg", "x-0-a-hjklm"]);
        assert_eq!(shares, life(["x-0-a-npqrs", "x-0-a-tvwxz"]));
        assert_ne!(shares[..4], shares[4..], "each turn has dice of its own");
    }
}
