//! Files of the command line.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name as given; `stdin` for standard input.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Reads files; `-` is standard input, and a folder means its files that end in .yaml, .yml or
/// .json.
pub fn read_sources(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            sources.push(read_input()?);
        } else if path.is_dir() {
            for file in files_of(path)? {
                sources.push(read_file(&file)?);
            }
        } else {
            sources.push(read_file(path)?);
        }
    }
    Ok(sources)
}

fn read_input() -> Result<Source, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| cannot_read("standard input", &error))?;
    let name = "stdin".to_owned();
    Ok(Source { name, bytes })
}

fn read_file(path: &Path) -> Result<Source, Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| cannot_read(&name, &error))?;
    Ok(Source { name, bytes })
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = folder.display().to_string();
    let fails = |error: &io::Error| cannot_read(&name, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| fails(&error))? {
        files.push(entry.map_err(|error| fails(&error))?.path());
    }
    let endings = ["yaml", "yml", "json"].map(Some);
    files.retain(|file| endings.contains(&file.extension().and_then(|e| e.to_str())));
    files.sort();
    if files.is_empty() {
        return Err(Failure::BadInput(format!(
            "{name} has no file that ends in .yaml, .yml or .json; name the file"
        )));
    }
    Ok(files)
}

fn cannot_read(name: &str, error: &io::Error) -> Failure {
    Failure::BadInput(format!("cannot read {name}: {error}; check the path"))
}
