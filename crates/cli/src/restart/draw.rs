//! A restart, as text.

use super::{ReplicaRestart, Restart, RestartArgs};
use crate::output::{self, count};

/// The restart and its end in a few sentences.
pub fn draw_restart(restart: &Restart, args: &RestartArgs) -> String {
    let name = &args.name;
    let cliques = count(restart.cliques.len(), "clique");
    let names = restart.cliques.join(", ");
    let next = if args.dry_run {
        "dry run: nothing was changed".to_owned()
    } else if restart.is_paused {
        format!("it waits, as the set is paused: `kubectl grove unpause {name}` lets it go on")
    } else if restart.is_suspended {
        format!(
            "the set is suspended: its pods start on these templates with `kubectl grove resume {name}`"
        )
    } else if restart.is_on_delete {
        "updateStrategy.type is OnDelete: each pod is replaced once you delete it".to_owned()
    } else {
        format!("replica after replica; `kubectl grove tree {name} -w` shows it")
    };
    output::indent(
        "",
        &format!("podcliqueset {name}: restart of {cliques} ({names}); {next}"),
    )
}

/// The restart of a replica: its pods, its gangs, and the rest of the set.
pub fn draw_replica(restart: &ReplicaRestart, args: &RestartArgs) -> String {
    let name = &args.name;
    let (replica, attempt) = (restart.request.replica, restart.request.attempt);
    let pods = restart.pods.map_or_else(
        || "its pods end".to_owned(),
        |pods| format!("its pods ({pods}) end"),
    );
    let others = if restart.replicas > 1 {
        " The other replicas stay as they are."
    } else {
        ""
    };
    let next = if args.dry_run {
        "Dry run: nothing was changed.".to_owned()
    } else {
        format!("`kubectl grove tree {name} -w` shows it.")
    };
    output::indent(
        "",
        &format!(
            "podcliqueset {name}: restart of replica {replica}, whose attempt {attempt} ends: {pods} \
             together, and its gangs start again, each as a whole.{others} {next}"
        ),
    )
}
