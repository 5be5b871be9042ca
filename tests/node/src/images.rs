//! Images that are made of files of this machine: nothing is pulled.

mod root;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use root::Root;

/// Where images lie that no registry has.
pub const REGISTRY: &str = "localhost";
/// What manifests call the image of busybox.
pub const BUSYBOX: &str = "busybox:1.37";

/// Builds the images of the operator, of its init container and of busybox in `dir`, and returns their
/// archives. The first two are of the programs in `programs`, with this tag.
pub fn build(dir: &Path, programs: &Path, tag: &str) -> Result<Vec<PathBuf>> {
    let of_product = |program: &str| -> Result<PathBuf> {
        let root = Root::of_program(&programs.join(program), &dir.join(program))?;
        let name = format!("{REGISTRY}/{program}:{tag}");
        archive(dir, &root, &name, &[&format!("/{program}")])
    };
    let busybox = Root::of_busybox(&dir.join("busybox"))?;
    // A short name is that of a library image to a container runtime.
    let name = format!("docker.io/library/{BUSYBOX}");
    Ok(vec![
        of_product("grove-operator")?,
        of_product("grove-initc")?,
        archive(dir, &busybox, &name, &[])?,
    ])
}

/// The archive of an image with this root.
fn archive(dir: &Path, root: &Root, name: &str, entrypoint: &[&str]) -> Result<PathBuf> {
    let file = root.folder().with_extension("tar");
    let storage = dir.join("buildah");
    let entrypoint = serde_json::to_string(entrypoint)?;
    // In a mount namespace of its own: buildah writes to these two folders wherever its storage is.
    let mut build = Command::new("unshare");
    build.args(["--mount", "sh", "-euc", BUILD, "sh"]);
    build
        .arg(&storage)
        .arg(root.folder())
        .arg(name)
        .arg(entrypoint)
        .arg(&file);
    let output = build.output().context("cannot run unshare")?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("image {name} cannot be built: {}", error.trim());
    }
    Ok(file)
}

/// Arguments: folder of the storage, root, name, entrypoint (JSON), archive.
const BUILD: &str = r#"
mount -t tmpfs run /run
mount -t tmpfs lib /var/lib
mkdir -p "$1"
export HOME=/run TMPDIR="$1" BUILDAH_ISOLATION=chroot
storage=$1
run() { buildah --root "$storage/root" --runroot "$storage/run" --storage-driver vfs "$@"; }
container=$(run from scratch)
run copy -q "$container" "$2" / > /dev/null
run config --entrypoint "$4" --env PATH=/bin "$container"
rm -f "$5"
run commit -q "$container" "oci-archive:$5:$3" > /dev/null
run rm "$container" > /dev/null
"#;
