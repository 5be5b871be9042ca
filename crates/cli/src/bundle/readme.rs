//! What is said about a bundle: in it, and when it is made.

use jiff::Timestamp;

use super::collected::Collected;
use super::compose::Bundle;
use crate::output;

const CONTENTS: &str = "\
tree.txt        the set as `kubectl grove tree -o wide` shows it
objects/        the set and what was made of it, one folder for each kind
events.yaml     events about them, and about those that are gone
nodes/          nodes of its pods: name, labels, taints, conditions, allocatable
operator/       the operator's pods, and the lines of their logs that name the set
versions.yaml   of kubectl-grove, the API server, the definitions, the operator
";

/// The text of README.txt.
pub fn write(bundle: &Bundle, read: &Collected, now: Timestamp) -> String {
    let mut text = format!(
        "PodCliqueSet {} in namespace {}, as it was at {} (UTC).\nMade by kubectl-grove {}.\n\n",
        read.name,
        read.namespace,
        now.strftime("%Y-%m-%d %H:%M:%S"),
        env!("CARGO_PKG_VERSION"),
    );
    text.push_str(CONTENTS);
    text.push_str("\nNot in it:\n");
    for line in &bundle.missing {
        text.push_str(&output::indent("- ", line));
    }
    if bundle.missing.is_empty() {
        text.push_str("- nothing that was looked for is missing\n");
    }
    text.push('\n');
    text.push_str(&output::indent(
        "Redacted: ",
        &format!("{}.", bundle.redacted),
    ));
    text.push_str(PROMISE);
    text
}

const PROMISE: &str = "
Secrets and ConfigMaps were not read. Values of environment variables are
replaced by REDACTED, but for those that the operator sets; so is what looks
like a secret in arguments, messages and log lines. managedFields and the
manifest that kubectl keeps in an annotation are left out. What is a secret by
its meaning only, such as a name, is still there: read the files before you
send them.
";
