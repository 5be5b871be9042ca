//! An image of this machine's Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cluster::Cluster;
use crate::command::printed;

/// The image that the examples with a program of their own name.
pub const PYTHON: &str = "python:3.13-slim";

/// Prints the interpreter's file and the folder of its standard library.
const PLACES: &str = "import os, sys, sysconfig; print(os.path.realpath(sys.executable)); print(sysconfig.get_path('stdlib'))";

/// What no program of an example asks for, and is large.
const LEFT_OUT: [&str; 6] = [
    "__pycache__",
    "dist-packages",
    "idlelib",
    "lib2to3",
    "site-packages",
    "test",
];

/// Puts an image of the `python3` of this machine onto all nodes, with its root in `dir`: the
/// interpreter and its standard library at their places, what they load, and a shell.
pub fn load(cluster: &Cluster, dir: &Path) -> Result<()> {
    let places = printed(Command::new("python3").args(["-c", PLACES]));
    let places = places.context("python3 is needed for the program of an example")?;
    let mut places = places.lines().map(PathBuf::from);
    let mut place = || places.next().context("python3 does not say where it is");
    let (interpreter, library) = (place()?, place()?);
    put(dir, &interpreter, &interpreter)?;
    put(dir, &interpreter, Path::new("/bin/python3"))?;
    put_tree(dir, &library)?;
    let modules = fs::read_dir(library.join("lib-dynload"))?;
    let modules = modules.filter_map(|entry| Some(entry.ok()?.path()));
    for loader in modules.chain([interpreter]) {
        put_libraries(dir, &loader)?;
    }
    for applet in ["busybox", "sh"] {
        put(
            dir,
            Path::new("/bin/busybox"),
            &Path::new("/bin").join(applet),
        )?;
    }
    let home = library.ancestors().nth(2).unwrap_or(Path::new("/usr"));
    let env = json!([format!("PYTHONHOME={}", home.display()), "PATH=/bin"]);
    cluster.load_image(PYTHON, dir, &json!({"Env": env}))
}

fn put(root: &Path, file: &Path, place: &Path) -> Result<()> {
    let target = root.join(place.strip_prefix("/").unwrap_or(place));
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(file, &target)
        .map(|_| ())
        .with_context(|| file.display().to_string())
}

fn put_tree(root: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if LEFT_OUT.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            put_tree(root, &path)?;
        } else {
            put(root, &path, &path)?;
        }
    }
    Ok(())
}

/// The libraries that a file loads: the paths in what `ldd` prints.
fn put_libraries(root: &Path, file: &Path) -> Result<()> {
    let listed = printed(Command::new("ldd").arg(file))?;
    let words = listed.split_whitespace();
    words
        .filter(|word| word.starts_with('/'))
        .map(Path::new)
        .try_for_each(|library| put(root, library, library))
}
