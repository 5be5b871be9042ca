//! The pods that name claims.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::Pod;

/// The pods that name claims, by the claim's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders(BTreeMap<String, Vec<Holder>>);

/// A pod that names a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holder {
    pod: String,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stays,
    /// It is terminating, and counts as lost from this time on; `None`: never.
    Leaves(Option<Timestamp>),
    /// It has ended, so Kubernetes has taken its devices away: it names the claim, and holds nothing.
    Done,
}

impl Holder {
    fn is_lost(&self, now: Timestamp) -> bool {
        matches!(self.state, State::Leaves(Some(until)) if until <= now)
    }
}

impl Holders {
    /// The holders among these pods. `until` returns when a terminating pod counts as lost. Of the
    /// pods that stay, one for each claim suffices.
    pub fn of<'a>(
        pods: impl IntoIterator<Item = &'a Pod>,
        until: impl Fn(&Pod) -> Option<Timestamp>,
    ) -> Self {
        let mut all = Self::default();
        for pod in pods {
            let claims = pod.spec.resource_claims.iter();
            for claim in claims.filter_map(|claim| claim.resource_claim_name.as_deref()) {
                let state = match (pod.is_finished(), pod.is_terminating()) {
                    (true, _) => State::Done,
                    (false, true) => State::Leaves(until(pod)),
                    (false, false) => State::Stays,
                };
                all.add(claim, pod.name(), state);
            }
        }
        all
    }

    fn add(&mut self, claim: &str, pod: &str, state: State) {
        let is_known = match state {
            State::Stays => self.is_kept(claim),
            State::Leaves(_) => false,
            State::Done => self.is_named(claim),
        };
        if is_known {
            return;
        }
        let holders = self.0.entry(claim.to_owned()).or_default();
        holders.push(Holder {
            pod: pod.to_owned(),
            state,
        });
    }

    /// Whether a pod names the claim.
    pub fn is_named(&self, claim: &str) -> bool {
        self.0.contains_key(claim)
    }

    /// Whether a pod that stays names the claim.
    pub(super) fn is_kept(&self, claim: &str) -> bool {
        self.of_claim(claim)
            .any(|holder| holder.state == State::Stays)
    }

    /// Whether a pod names the claim that is neither lost nor done.
    pub(super) fn is_in_use(&self, claim: &str, now: Timestamp) -> bool {
        let mut holders = self.of_claim(claim);
        holders.any(|holder| !holder.is_lost(now) && holder.state != State::Done)
    }

    /// Whether pods hold the claim, and none of them stays: all may count as lost, now or later.
    pub fn may_be_lost(&self, claim: &str) -> bool {
        self.find(claim).is_some() && !self.is_kept(claim)
    }

    /// Whether pods hold the claim, and all of them are lost.
    pub(super) fn is_lost(&self, claim: &str, now: Timestamp) -> bool {
        self.is_any_lost(claim, now) && !self.is_in_use(claim, now)
    }

    /// Whether some of the pods that name the claim are lost and the others are ending: these may be
    /// lost as well.
    pub(super) fn is_in_doubt(&self, claim: &str, now: Timestamp) -> bool {
        self.is_any_lost(claim, now) && !self.is_kept(claim) && self.is_in_use(claim, now)
    }

    fn is_any_lost(&self, claim: &str, now: Timestamp) -> bool {
        self.of_claim(claim).any(|holder| holder.is_lost(now))
    }

    /// A pod that holds the claim; one that stays, if there is one.
    pub(super) fn find(&self, claim: &str) -> Option<&str> {
        let stays = |holder: &&Holder| holder.state == State::Stays;
        let holds = |holder: &&Holder| holder.state != State::Done;
        let found = self.of_claim(claim).find(stays);
        let found = found.or_else(|| self.of_claim(claim).find(holds));
        found.map(|holder| holder.pod.as_str())
    }

    /// Those of the claims that are asked for.
    #[must_use]
    pub fn only(mut self, is_asked_for: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|claim, _| is_asked_for(claim));
        self
    }

    /// The next time at which a holder of an awaited claim counts as lost.
    pub fn next_loss(
        &self,
        now: Timestamp,
        is_awaited: impl Fn(&str) -> bool,
    ) -> Option<Timestamp> {
        let awaited = self.0.iter().filter(|(claim, _)| is_awaited(claim));
        let holders = awaited.flat_map(|(_, holders)| holders);
        let due = holders.filter_map(|holder| match holder.state {
            State::Leaves(until) => until,
            State::Stays | State::Done => None,
        });
        due.filter(|at| *at > now).min()
    }

    fn of_claim(&self, claim: &str) -> impl Iterator<Item = &Holder> {
        self.0.get(claim).into_iter().flatten()
    }
}
