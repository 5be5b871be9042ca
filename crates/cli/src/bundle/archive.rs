//! The files as one archive: equal files give equal bytes.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use jiff::Timestamp;
use tar::{Builder, EntryType, Header};

use super::compose::{Bundle, File};
use crate::exit::Failure;

/// The archive, a tar.gz, with that time as the modification time of each file.
pub fn pack(bundle: &Bundle, now: Timestamp) -> io::Result<Vec<u8>> {
    let gzip = GzBuilder::new().write(Vec::new(), Compression::default());
    let mut archive = Builder::new(gzip);
    let seconds = u64::try_from(now.as_second()).unwrap_or(0);
    for file in &bundle.files {
        append(&mut archive, &bundle.name, file, seconds)?;
    }
    archive.into_inner()?.finish()
}

fn append(
    archive: &mut Builder<impl Write>,
    folder: &str,
    file: &File,
    seconds: u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(u64::try_from(file.text.len()).unwrap_or(0));
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(seconds);
    let path = format!("{folder}/{}", file.path);
    archive.append_data(&mut header, path, file.text.as_bytes())
}

/// Refuses to overwrite a file.
pub fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Err(exists(path));
    }
    Ok(())
}

/// Writes the archive into a new file.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::Other(format!(
            "cannot write {}: {error}; choose another place with --file",
            path.display()
        )),
    })
}

fn exists(path: &Path) -> Failure {
    Failure::BadInput(format!(
        "{} exists already and is not overwritten; remove it, or choose another name with --file",
        path.display()
    ))
}
