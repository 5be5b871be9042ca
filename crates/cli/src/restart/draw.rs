//! A restart, as text.

use super::{Restart, RestartArgs};
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
