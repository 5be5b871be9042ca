//! The report on an update: condition `UpdateInProgress`, and its part of `Ready` (docs/semantics.md
//! §14.6).

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::PcsUpdateProgress;
use api::{LastError, PodCliqueSetStatus, codes};
use domain::health::{readiness, suspension, termination};
use domain::object::ownership;
use domain::roster::Roster;
use domain::update;
use domain::workload::layout;
use jiff::Timestamp;

use super::absence::{Absence, find_absence};
use super::numbers::NewPods;
use super::standstill::{explain_stuck, find_standstill};
use super::{partition, queued, trouble, vacancies};
use crate::check::{self, Verdict};
use crate::observe::Snapshot;
use crate::rollout::{self, NamedComponent, Newest, Turn};

/// At most this many refusals of an update are listed.
const MAX_REFUSALS: usize = 3;

/// The inputs of the report.
pub(in crate::status) struct Report<'a> {
    pub(in crate::status) snapshot: &'a Snapshot,
    pub(in crate::status) roster: &'a Roster<'a>,
    pub(in crate::status) checked: &'a Verdict,
    pub(in crate::status) now: Timestamp,
}

impl Report<'_> {
    /// Condition `UpdateInProgress`.
    pub(in crate::status) fn condition(&self, next: &PodCliqueSetStatus) -> ConditionUpdate {
        let is_paused = update::is_paused(&self.snapshot.validated.set);
        let is_waiting = self.is_waiting(next);
        let tally = tally(next);
        match self.checked {
            Verdict::Refused(all) if is_waiting => {
                let words = all
                    .iter()
                    .map(|r| format!("clique {}: {}", r.clique, r.words));
                let words = words.collect::<Vec<_>>().join("; ");
                not_updating(
                    Reason::TemplateRefused,
                    format!(
                        "the API server refuses new pods of {words}; nothing was changed; correct the \
                         template, or put the old one back"
                    ),
                )
            }
            _ if is_waiting && is_paused => {
                let cliques = check::changed_cliques(self.snapshot, self.roster);
                let of = if cliques.is_empty() {
                    String::new()
                } else {
                    format!(" of cliques {}", cliques.join(", "))
                };
                let message =
                    format!("a newer template{of} waits until spec.updateStrategy.paused is false");
                not_updating(Reason::Paused, message)
            }
            Verdict::Unanswered(cliques) if is_waiting && self.has_failed_to_ask() => {
                let message = format!(
                    "the API server has not answered whether it accepts new pods of cliques {}: \
                     see status.lastErrors; nothing was changed",
                    cliques.join(", ")
                );
                not_updating(Reason::TemplateUnchecked, message)
            }
            _ => match tally {
                Some(tally) if is_paused => {
                    let message = format!(
                        "{tally}; the rest waits until spec.updateStrategy.paused is false"
                    );
                    not_updating(Reason::Paused, message)
                }
                Some(tally) => match partition::explain_rest(self.snapshot, self.roster, next) {
                    Some(rest) => not_updating(Reason::Partitioned, format!("{tally}; {rest}")),
                    None => self.running(next, &tally),
                },
                None => update::no_update(),
            },
        }
    }

    /// The refusals of the check, for `lastErrors`.
    pub(in crate::status) fn errors(&self, next: &PodCliqueSetStatus) -> Vec<LastError> {
        let Verdict::Refused(all) = self.checked else {
            return Vec::new();
        };
        let all = all.iter().filter(|_| self.is_waiting(next));
        all.map(|refusal| LastError {
            code: codes::of_write("check", "Pod"),
            description: format!(
                "check Pod of clique {}: {}; correct the template or put the old one back",
                refusal.clique, refusal.words
            ),
            observed_at: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(self.now),
        })
        .collect()
    }

    /// Whether the newest template is not accepted.
    pub(in crate::status) fn is_waiting(&self, next: &PodCliqueSetStatus) -> bool {
        let validated = &self.snapshot.validated;
        validated.may_act()
            && !self.snapshot.is_training()
            && next.current_generation_hash != Some(validated.generation_hash())
    }

    /// Whether a check got no answer, by the stored errors.
    fn has_failed_to_ask(&self) -> bool {
        let code = codes::of_write("check", "Pod");
        let errors = crate::status::stored_errors(self.snapshot);
        errors.iter().any(|error| error.code == code)
    }

    /// Whether the replica in turn finds no room, and gang termination will not end that.
    fn waits_for_room(&self, next: &PodCliqueSetStatus) -> bool {
        let set = &self.snapshot.validated.set;
        let turn = update::turn_in(set, next);
        let has_delay = termination::delay_of_set(set).is_some();
        turn.is_some_and(|turn| {
            let holds_any = || self.roster.holds_since(turn.replica_index).is_some();
            let may_end = has_delay && (turn.must_return.is_empty() || holds_any());
            turn.without_room_since.is_some() && !may_end
        })
    }

    /// The first clique or group of the replica in turn of which nothing may be replaced, as units
    /// that ran find no node. A coherent step explains its own wait.
    fn explain_losses(&self, components: &[NamedComponent]) -> Option<String> {
        if update::is_coherent(&self.snapshot.validated.set) {
            return None;
        }
        components.iter().find_map(|component| {
            let away = component.numbers.count_losses_that_hold()?;
            let reached = component.numbers.reached?;
            Some(format!(
                "{away} of {reached} units of {} that ran are away and find no room; free \
                 capacity, or raise its rollingUpdate.maxUnavailable to go on",
                component.name
            ))
        })
    }

    fn explain_wait_for_surge(
        &self,
        next: &PodCliqueSetStatus,
        replica: &layout::Replica<'_>,
        components: &[NamedComponent],
    ) -> Option<String> {
        let mut components = components.iter();
        let found = components.find(|component| component.numbers.waits_for_surge())?;
        let waiting = found.waiting.as_ref();
        let lacking = waiting
            .and_then(|pod| queued::explain_surge(self.snapshot, self.roster, replica, pod))
            .map(|words| {
                format!("{words}; free quota, or raise its rollingUpdate.maxUnavailable to go on")
            });
        let reason = lacking.unwrap_or_else(|| {
            let errors = refusals(self.snapshot, next);
            let pods = trouble::pods_of(self.roster, replica);
            update::explain_no_room(waiting, pods, &errors)
        });
        Some(format!(
            "{} waits until its surge has room, as maxUnavailable is 0: {reason}",
            found.name
        ))
    }

    /// The progress of an update that runs: its numbers, and the reasons for which it waits.
    fn describe(
        &self,
        next: &PodCliqueSetStatus,
        tally: &str,
        absence: Option<&Absence>,
        (newest, components): (&Newest<'_>, &[NamedComponent]),
    ) -> String {
        let stored = update::turn_in(&self.snapshot.validated.set, next);
        let replica = stored.and_then(|turn| self.roster.layout.replica(turn.replica_index));
        let step = stored.and_then(|turn| turn.message.as_ref());
        let step = step.map(|reason| format!("the next step waits: {reason}"));
        let wait = explain_room(self.snapshot, next)
            .or_else(|| absence.map(|absence| absence.text.clone()))
            .or_else(|| self.explain_losses(components));
        let surge = replica.and_then(|replica| {
            let reason = trouble::explain_surge(self.roster, replica);
            reason.or_else(|| self.explain_wait_for_surge(next, replica, components))
        });
        let pods = self.new_pods(next, newest);
        let numbers = pods.as_ref().and_then(|pods| pods.describe(components));
        let is_shown = |text: &str| numbers.as_ref().is_some_and(|shown| shown.contains(text));
        let vacant = components.iter().find_map(vacancies::explain_vacancies);
        let trouble = pods.and_then(|pods| pods.explain());
        let trouble = trouble.filter(|text| !is_shown(text));
        let refused = readiness::refusal(&next.last_errors).map(|cause| cause.text);
        let tally = Some(tally.to_owned());
        let parts = [tally, numbers, refused, step, wait, surge, vacant, trouble];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// The new pods of the replica in turn.
    fn new_pods<'n>(
        &'n self,
        next: &PodCliqueSetStatus,
        newest: &'n Newest<'n>,
    ) -> Option<NewPods<'n>> {
        let turn = update::turn_in(&self.snapshot.validated.set, next)?;
        Some(NewPods {
            roster: self.roster,
            replica: self.roster.layout.replica(turn.replica_index)?,
            newest,
            now: self.now,
        })
    }

    /// The condition of an update that runs, from the conditions of the standalone PodCliques and
    /// the groups.
    fn running(&self, next: &PodCliqueSetStatus, tally: &str) -> ConditionUpdate {
        let hashed = rollout::hash_templates(self.snapshot);
        let newest = rollout::newest(&hashed);
        let turn = super::turn_of(next, self.snapshot, &newest, self.roster, self.now);
        let components = turn.as_ref().map(Turn::components).unwrap_or_default();
        let absence = find_absence(self.snapshot, self.roster, next, self.now);
        let progress = self.describe(next, tally, absence.as_ref(), (&newest, &components));
        let stuck = explain_stuck(self.roster).filter(|_| !suspension::is_stored(next));
        let (snapshot, roster) = (self.snapshot, self.roster);
        let standstill = find_standstill(snapshot, roster, next, &components, self.now);
        let (status, reason, message) = if let Some(stuck) = stuck {
            let message = format!("{stuck}; {progress}");
            (Status::Unknown, Reason::ProgressDeadlineExceeded, message)
        } else if self.waits_for_room(next) {
            (Status::Unknown, Reason::NoRoom, progress)
        } else if absence.is_some_and(|absence| absence.stands_at <= self.now) {
            (Status::Unknown, Reason::ReplicasAway, progress)
        } else if let Some(found) = standstill.filter(|found| found.stands_at <= self.now) {
            let pods = self.new_pods(next, &newest);
            let worst = pods.and_then(|pods| pods.find_worst());
            let message = found.describe(&progress, worst.as_deref(), self.snapshot);
            (Status::Unknown, Reason::NoProgress, message)
        } else {
            (Status::True, Reason::Progressing, progress)
        };
        ConditionUpdate {
            type_: ConditionType::UpdateInProgress,
            status,
            reason,
            message,
        }
    }
}

/// `Ready` with the condition `report`: while an update runs, or does not begin, the message also
/// has its progress and the first refusal of the API server.
pub(in crate::status) fn complete_ready(
    mut ready: ConditionUpdate,
    report: &ConditionUpdate,
    next: &PodCliqueSetStatus,
) -> ConditionUpdate {
    let needs_no_more = [Reason::ScaledToZero, Reason::Suspended].contains(&ready.reason);
    if ready.reason.is_final() || needs_no_more {
        return ready;
    }
    let is_idle = report.reason == Reason::NoActiveUpdate;
    if is_idle || report.reason == Reason::TemplateUnchecked {
        return ready;
    }
    let is_up = ready.status == Status::True;
    let refused = readiness::refusal(&next.last_errors).filter(|_| is_up);
    let shown = match report.reason {
        Reason::Progressing | Reason::NoRoom => tally(next).unwrap_or_default(),
        _ => report.message.clone(),
    };
    let why = refused
        .as_ref()
        .filter(|cause| !shown.contains(&cause.text));
    let why = why.map_or(String::new(), |cause| format!("; {}", cause.text));
    let (reason, why) = match report.reason {
        Reason::TemplateRefused => (Reason::UpdateRefused, String::new()),
        Reason::Paused => (Reason::UpdatePaused, String::new()),
        Reason::Partitioned => (Reason::UpdatePartitioned, String::new()),
        _ if refused.is_some() => (refused.map_or(Reason::Updating, |c| c.reason), why),
        reason if reason.is_standstill() => (Reason::UpdateStalled, why),
        _ => (Reason::Updating, why),
    };
    ready.message = format!("{}; {shown}{why}", ready.message);
    if is_up {
        ready.reason = reason;
    }
    ready
}

/// Condition `Stalled` of a set whose newest template the API server refuses: nothing of it comes by
/// waiting, whether the pods of the old template are Ready or not.
pub(in crate::status) fn refused(
    ready: &ConditionUpdate,
    report: &ConditionUpdate,
) -> Option<ConditionUpdate> {
    let shown = if ready.reason == Reason::UpdateRefused {
        ready
    } else {
        report
    };
    (report.reason == Reason::TemplateRefused).then(|| ConditionUpdate {
        type_: ConditionType::Stalled,
        status: Status::True,
        reason: Reason::UpdateRefused,
        message: shown.message.clone(),
    })
}

fn not_updating(reason: Reason, message: String) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status: Status::False,
        reason,
        message,
    }
}

/// Since when pods that have to run find no node, in the replica in turn.
fn explain_room(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Option<String> {
    let turn = update::turn_in(&snapshot.validated.set, next)?;
    let since = turn.without_room_since.as_ref()?;
    Some(format!(
        "replica {} has had no room for pods that have to run (since {:.0}); free capacity, or \
         lower the requests of the template",
        turn.replica_index, since.0
    ))
}

/// The update that runs, if one does.
pub(super) fn running(next: &PodCliqueSetStatus) -> Option<&PcsUpdateProgress> {
    let progress = next.update_progress.as_ref();
    progress.filter(|p| p.update_ended_at.is_none())
}

/// The refusals that the parts of the replica with the turn got: their deletions and creations are
/// the update.
pub(in crate::status) fn refusals(
    snapshot: &Snapshot,
    next: &PodCliqueSetStatus,
) -> Vec<LastError> {
    let turn = update::turn_in(&snapshot.validated.set, next).map(|turn| turn.replica_index);
    let is_of_turn = |meta| turn.is_some() && ownership::replica_in(snapshot.name(), meta) == turn;
    let cliques = snapshot.podcliques.values().map(|c| &c.podclique);
    let cliques = cliques.filter(|c| is_of_turn(&c.metadata));
    let groups = snapshot
        .children
        .groups
        .iter()
        .filter(|g| is_of_turn(&g.metadata));
    let of_cliques = cliques.filter_map(|c| Some((&c.metadata, &c.status.as_ref()?.last_errors)));
    let of_groups = groups.filter_map(|g| Some((&g.metadata, &g.status.as_ref()?.last_errors)));
    let mut all: Vec<LastError> = of_cliques
        .chain(of_groups)
        .flat_map(|(meta, errors)| readiness::refusals(errors).map(move |(_, e)| (meta, e)))
        .map(|(meta, error)| LastError {
            description: format!("{}: {}", ownership::name(meta), error.description),
            ..error.clone()
        })
        .collect();
    all.sort_by(|a, b| a.description.cmp(&b.description));
    all.truncate(MAX_REFUSALS);
    all
}

/// The progress of the running update, for people.
fn tally(next: &PodCliqueSetStatus) -> Option<String> {
    let progress = running(next)?;
    let (updated, wanted) = (next.updated_replicas, next.replicas);
    let turn = progress.currently_updating.first();
    let turn = turn.map_or(String::new(), |turn| {
        format!(", updating replica {}", turn.replica_index)
    });
    Some(format!(
        "{updated}/{wanted} replicas updated and available{turn}"
    ))
}
