//! kubectl runs a program `kubectl_complete-grove` to complete `kubectl grove ...`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;

/// kubectl, in whichever shell.
#[derive(Clone, Copy, Debug)]
pub struct Kubectl;

/// Bits of the last line, as kubectl's library for commands defines them.
const NO_SPACE: u8 = 2;
const NO_FILES: u8 = 4;

impl EnvCompleter for Kubectl {
    fn name(&self) -> &'static str {
        "kubectl"
    }

    fn is(&self, name: &str) -> bool {
        name == "kubectl"
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        _bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        write!(
            buf,
            "#!/bin/sh\n\
             # Completes `kubectl grove`: save it as kubectl_complete-grove, executable, on PATH.\n\
             {var}=kubectl exec {completer} -- {name} \"$@\" 2>/dev/null\n"
        )
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        mut args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        if args.len() < 2 {
            args.push(OsString::new());
        }
        let last = args.len() - 1;
        let is_flag = args
            .last()
            .is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
        let found = engine::complete(cmd, args, last, current_dir).unwrap_or_default();
        let mut directive = NO_FILES;
        for candidate in found {
            let value = candidate.get_value().to_string_lossy();
            // Flags among names are noise until the user begins one.
            if value.starts_with('-') && !is_flag {
                continue;
            }
            if value.ends_with(['/', '=']) {
                directive |= NO_SPACE;
            }
            let help = candidate
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let help = help.lines().next().unwrap_or_default();
            let tab = if help.is_empty() { "" } else { "\t" };
            writeln!(buf, "{value}{tab}{help}")?;
        }
        writeln!(buf, ":{directive}")
    }
}
