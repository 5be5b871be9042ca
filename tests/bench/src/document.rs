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

/// Conditions and tables.
pub fn fragment(conditions: &[String], sections: &[Section]) -> String {
    let conditions = format!("- {}\n", conditions.join("\n- "));
    let sections: String = sections.iter().map(show).collect();
    format!("{conditions}{sections}")
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

/// To its picture, which [`write_charts`] puts there.
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

/// Puts the text between the markers of the file.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let document = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (before, rest) = document
        .split_once(BEGIN)
        .context("its begin marker is missing")?;
    let (_, after) = rest.split_once(END).context("its end marker is missing")?;
    fs::write(path, format!("{before}{BEGIN}{text}{END}{after}"))
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
        let sections = [section];
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("performance.md");
        fs::write(&document, format!("before\n{BEGIN}old{END}\nafter\n")).unwrap();
        write_charts(&document, &sections).unwrap();
        replace(&document, &fragment(&[], &sections)).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        let linked = text.split_once("](").unwrap().1.split_once(')').unwrap().0;
        let picture = fs::read_to_string(folder.path().join(linked)).unwrap();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(!text.contains("old") && text.ends_with("after\n"));
    }
}
