//! `bundle`: the contents of a bug report, without secrets, in one archive.

mod archive;
mod args;
mod collected;
mod compose;
mod kinds;
mod node;
mod read;
mod readme;
mod redact;
mod related;

use std::path::{Path, PathBuf};

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use archive::pack;
pub use args::BundleArgs;
pub use collected::{Collected, CollectedKind, Log};
pub use compose::{Bundle, File, compose};
pub use node::describe_node;
pub use read::read;
pub use redact::{Counts, REDACTED, Redacted, Shown, mask_text, redact};
pub use related::{events_of, names_set};

/// Runs the command.
pub async fn run(args: &BundleArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    if let Some(path) = &args.file {
        archive::refuse_existing(path)?;
    }
    let cluster = Cluster::connect(connection).await?;
    let now = now();
    let read = read(&cluster, &args.name, args.operator_namespace.as_deref()).await?;
    let bundle = compose(&read, args.with_arguments, now);
    let default = || PathBuf::from(format!("{}.tar.gz", bundle.name));
    let path = args.file.clone().unwrap_or_else(default);
    let bytes = pack(&bundle, now)
        .map_err(|error| Failure::Other(format!("cannot pack the bundle: {error}")))?;
    archive::write_new(&path, &bytes)?;
    output::print_text(&summarize(&bundle, &path))?;
    Ok(Exit::Ok)
}

/// The lines that the command prints after it wrote the bundle.
pub fn summarize(bundle: &Bundle, path: &Path) -> String {
    let mut text = format!("{}: {} files\n", path.display(), bundle.files.len());
    text.push_str(&output::indent(
        "Redacted: ",
        &format!("{}.", bundle.redacted),
    ));
    for line in &bundle.missing {
        text.push_str(&output::indent("Not in it: ", line));
    }
    text.push_str("Read it before you send it.\n");
    text
}
