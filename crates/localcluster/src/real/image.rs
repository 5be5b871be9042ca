//! Images of files on this machine, for nodes that reach no registry.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::config::PAUSE;
use super::node::{Node, run};
use super::root::Root;
use crate::tool::Tool;

/// The name that the examples use.
const BUSYBOX: &str = "busybox:1.37";

/// Makes an image and loads it into all nodes.
///
/// `name` may be short, as `busybox:1.37`. `folder` is the root of its file system. `config` has the
/// fields of an OCI image's config: `Entrypoint`, `Cmd`, `Env`, `User`, `WorkingDir`.
pub(crate) fn load(
    nodes: &[Node],
    binary: &Path,
    name: &str,
    folder: &Path,
    config: &Value,
) -> Result<()> {
    let archive = archive(binary, name, folder, config)?;
    nodes.iter().try_for_each(|node| import(node, &archive))
}

/// Loads the images of an archive, of OCI's or docker's format, into all nodes.
pub(crate) fn load_archive(nodes: &[Node], archive: &Path) -> Result<()> {
    let archive = File::open(archive).with_context(|| archive.display().to_string())?;
    nodes.iter().try_for_each(|node| import(node, &archive))
}

/// Makes an image of a program of this machine, with the libraries that it loads, and loads it into
/// all nodes. Its entry point is the program.
pub(crate) fn load_program(
    nodes: &[Node],
    binary: &Path,
    name: &str,
    program: &Path,
) -> Result<()> {
    let root = Root::of_program(program)?;
    let file = program.file_name().unwrap_or_default();
    let config = json!({"Entrypoint": [format!("/{}", file.display())]});
    load(nodes, binary, name, root.folder(), &config)
}

/// Loads the images of every node: the program of a pod's sandbox, and busybox with all its
/// programs.
pub(super) fn load_first(nodes: &[Node], tool: &Tool) -> Result<()> {
    let binary = tool.binary();
    load_program(nodes, &binary, PAUSE, &tool.pause())?;
    let busybox = Root::of_busybox()?;
    let config = json!({"Env": ["PATH=/bin"], "Cmd": ["sh"]});
    load(nodes, &binary, BUSYBOX, busybox.folder(), &config)
}

/// A file with the image in it; no folder has a name for it.
fn archive(binary: &Path, name: &str, folder: &Path, config: &Value) -> Result<File> {
    let archive = tempfile::tempfile().context("cannot write a temporary file")?;
    let mut make = Command::new(binary);
    make.args(["image", name])
        .arg(folder)
        .arg(config.to_string())
        .stdin(Stdio::null())
        .stdout(archive.try_clone()?);
    let output = make
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .with_context(|| format!("cannot run {}", binary.display()))?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(archive)
}

fn import(node: &Node, archive: &File) -> Result<()> {
    // All readers of one file share its position.
    let mut input = archive.try_clone()?;
    input.seek(SeekFrom::Start(0))?;
    run(node
        .exec(&["ctr", "--namespace=k8s.io", "images", "import", "-"])?
        .stdin(input))
    .with_context(|| format!("cannot load an image into {}", node.name()))
}
