//! `man`: the manual, from the same texts as `--help`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Command};
use clap_mangen::Man;

use crate::exit::{Exit, Failure};
use crate::output;

/// Arguments of `man`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ManArgs {
    /// Folder for a page of each command; by default the manual is printed as one page
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}

/// Prints the page of this program, or writes the pages.
pub fn run(args: &ManArgs, program: Command) -> Result<Exit, Failure> {
    match &args.dir {
        None => output::print_raw(&write_page(program).map_err(|error| failed(&error))?)?,
        Some(dir) => write_pages(dir, program)?,
    }
    Ok(Exit::Ok)
}

fn write_pages(dir: &Path, program: Command) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Other(format!(
            "cannot write the manual into {}: {error}; choose a folder that exists",
            dir.display()
        ))
    };
    let command = built(program);
    for command in shown(&command).chain([&command]) {
        let file = dir.join(Man::new(command.clone()).get_filename());
        let page = rendered(command, Man::render).map_err(failed)?;
        std::fs::write(file, page).map_err(failed)?;
    }
    Ok(())
}

/// The whole manual as one page: the program, then each of its commands.
pub fn write_page(program: Command) -> io::Result<String> {
    let command = built(program);
    let mut page = rendered(&command, Man::render)?;
    for subcommand in shown(&command) {
        page.push_str(&write_section(subcommand)?);
    }
    Ok(page)
}

fn built(program: Command) -> Command {
    let mut command = program.disable_help_subcommand(true);
    command.build();
    command
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set())
}

/// A command as a section of the page, with its own sections below.
fn write_section(command: &Command) -> io::Result<String> {
    let title = command.get_bin_name().unwrap_or_default().to_uppercase();
    let sections = rendered(command, |man, text| {
        man.render_synopsis_section(text)?;
        man.render_description_section(text)?;
        man.render_options_section(text)
    })?;
    let below = sections.replace("\n.SH ", "\n.SS ");
    Ok(format!(".SH \"{title}\"\n{below}"))
}

fn rendered(
    command: &Command,
    render: impl FnOnce(&Man, &mut dyn Write) -> io::Result<()>,
) -> io::Result<String> {
    let mut text = Vec::new();
    render(&Man::new(command.clone()), &mut text)?;
    // The text after --help's options gets its own heading in a manual.
    let text = String::from_utf8_lossy(&text);
    Ok(text.replace(".SH EXTRA\n", ".SH \"EXIT STATUS\"\n"))
}

fn failed(error: &io::Error) -> Failure {
    Failure::Other(format!("cannot write the manual: {error}"))
}
