//! Images of programs in Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use localcluster::Root;
use serde_json::json;

use crate::cluster::Cluster;
use crate::command::printed;

/// Prints the file of the interpreter, then the files of all modules that the program loads, and of
/// the module that the lookup of a host name loads.
const LIST: &str = "
import encodings.idna, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
sys.dont_write_bytecode = True
__import__(os.path.basename(sys.argv[1]).removesuffix('.py'))
print(os.path.realpath(sys.executable))
for module in sys.modules.values():
    print(getattr(module, '__file__', None) or '')
";

/// Without variables and modules of this machine other than the interpreter's own.
const ALONE: [&str; 2] = ["-I", "-S"];

/// Makes an image of a program with the needed parts of this machine's Python and a shell, and
/// loads it into all nodes. Its size is 10 to 30 MB.
pub fn load(cluster: &Cluster, name: &str, program: &Path) -> Result<()> {
    let root = Root::empty()?;
    let (interpreter, modules) = parts_of(program)?;
    put_binary(&root, &interpreter)?;
    for module in modules.iter().filter(|module| *module != program) {
        if module
            .extension()
            .is_some_and(|extension| extension == "so")
        {
            put_binary(&root, module)?;
        } else {
            root.put(module, module)?;
        }
    }
    let place = Path::new("/").join(program.file_name().unwrap_or_default());
    root.put(program, &place)?;
    put_shell(&root)?;
    let config = json!({
        "Entrypoint": [interpreter, ALONE[0], ALONE[1], place],
        "Env": ["PATH=/bin"],
        "User": "65532:65532",
    });
    cluster.load_image(name, root.folder(), &config)
}

/// The interpreter, and the modules that a program loads.
fn parts_of(program: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let mut python = Command::new("python3");
    let python = python.args(ALONE).args(["-c", LIST]).arg(program);
    let listed = printed(python).context("`apt-get install --no-install-recommends python3`")?;
    let mut files = listed.lines().filter(|file| !file.is_empty());
    let interpreter = files.next().context("python3 names no interpreter")?;
    Ok((interpreter.into(), files.map(PathBuf::from).collect()))
}

/// Copies a program or a library with its dependencies to the same paths.
fn put_binary(root: &Root, file: &Path) -> Result<()> {
    root.put(file, file)?;
    root.put_libraries(file)
}

fn put_shell(root: &Root) -> Result<()> {
    let busybox = printed(Command::new("sh").args(["-c", "command -v busybox"]))?;
    let busybox = Path::new(busybox.trim());
    root.put(busybox, Path::new("/bin/sh"))?;
    root.put_libraries(busybox)
}
