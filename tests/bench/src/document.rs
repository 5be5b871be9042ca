//! The figures as Markdown that also reads well in a terminal, at most 80 columns wide.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use crate::section::Section;

const BEGIN: &str = "<!-- bench: begin (written by `make bench BENCH_WRITE=1`) -->\n";
/// The folder of pictures, beside the document.
const CHARTS: &str = "performance";
const END: &str = "<!-- bench: end -->";

/// Marks the begin of a workload's fragment, with its name.
const OF: &str = "<!-- of: ";

/// The table of a workload, and the conditions of its measurement.
pub fn fragment(conditions: &str, section: &Section) -> String {
    let (table, title) = (show(section), &section.title);
    format!("{OF}{title} -->\n{table}\nMeasured so: {conditions}.\n\n")
}

fn show(section: &Section) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    let [of, beside] = section.columns.each_ref().map(String::as_str);
    table.set_header([section.title.as_str(), of, beside, "ratio"]);
    for row in &section.rows {
        table.add_row(&row.0);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("\n{table}\n{}", link(section))
}

/// A link to its picture, which [`write_charts`] writes.
fn link(section: &Section) -> String {
    section.chart.as_ref().map_or_else(String::new, |chart| {
        let (title, file) = (&chart.title, chart.file());
        format!("\n![Pods over time: {title}]({CHARTS}/{file})\n")
    })
}

/// Writes the pictures into a folder beside the file.
pub fn write_charts(path: &Path, sections: &[Section]) -> Result<()> {
    let folder = path.with_file_name(CHARTS);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for chart in sections.iter().filter_map(|section| section.chart.as_ref()) {
        let file = folder.join(chart.file());
        fs::write(&file, chart.draw()?).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Replaces the former fragment of each workload between the markers of the file; a new one goes to
/// the end.
pub fn replace(path: &Path, fragments: &[String]) -> Result<()> {
    let document = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (before, rest) = document
        .split_once(BEGIN)
        .context("its begin marker is missing")?;
    let (text, after) = rest.split_once(END).context("its end marker is missing")?;
    let mut all: Vec<String> = text
        .split(OF)
        .skip(1)
        .map(|of| format!("{OF}{of}"))
        .collect();
    for fragment in fragments {
        match all
            .iter_mut()
            .find(|old| old.lines().next() == fragment.lines().next())
        {
            Some(old) => old.clone_from(fragment),
            None => all.push(fragment.clone()),
        }
    }
    fs::write(path, format!("{before}{BEGIN}{}{END}{after}", all.concat()))
        .with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{BEGIN, END, fragment, replace, write_charts};
    use crate::chart::{Chart, Line};
    use crate::section::Section;

    #[test]
    fn a_picture_is_written_where_the_document_links_it() {
        let line = Line {
            name: "operator: Ready".into(),
            contender: 0,
            state: 2,
            points: vec![(0.0, 0), (1.0, 2)],
        };
        let mut section = Section::new("2 pods");
        section.chart = Some(Chart {
            title: section.title.clone(),
            lines: vec![line],
        });
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("performance.md");
        fs::write(&document, format!("before\n{BEGIN}{END}\nafter\n")).unwrap();
        write_charts(&document, &[section.clone()]).unwrap();
        replace(&document, &[fragment("on a machine", &section)]).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        let linked = text.split_once("](").unwrap().1.split_once(')').unwrap().0;
        let picture = fs::read_to_string(folder.path().join(linked)).unwrap();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(text.starts_with("before\n") && text.ends_with("after\n"));
    }

    #[test]
    fn a_new_measurement_replaces_only_the_former_one_of_its_workload() {
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("performance.md");
        fs::write(&document, format!("{BEGIN}{END}\n")).unwrap();
        let of = |title: &str, conditions| fragment(conditions, &Section::new(title));
        replace(&document, &[of("2 pods", "one"), of("20 pods", "two")]).unwrap();
        replace(&document, &[of("2 pods", "three")]).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        let places = ["one", "three", "two"].map(|word| text.find(word));
        assert!(places[0].is_none() && places[1] < places[2] && places[1].is_some());
    }
}
