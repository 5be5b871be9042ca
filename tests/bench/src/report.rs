//! Prints each table once its workload is measured, and writes it to the document on request.

use std::path::Path;

use anyhow::Result;

use crate::Args;
use crate::document;
use crate::progress::say;
use crate::section::Section;

/// The measurements so far.
pub struct Report<'a> {
    conditions: String,
    write: Option<&'a Path>,
    /// The tables.
    pub sections: Vec<Section>,
}

impl<'a> Report<'a> {
    /// An empty report under these conditions.
    pub fn new(args: &'a Args, conditions: String) -> Self {
        Self {
            conditions,
            write: args.write.as_deref(),
            sections: Vec::new(),
        }
    }

    /// Prints the sections, and writes them into the document.
    pub fn add(&mut self, sections: impl IntoIterator<Item = Section>) -> Result<()> {
        let sections: Vec<Section> = sections.into_iter().collect();
        let fragments = sections.iter();
        let fragments: Vec<String> = fragments
            .map(|section| document::fragment(&self.conditions, section))
            .collect();
        println!("{}", fragments.concat());
        if let Some(path) = self.write {
            document::write_charts(path, &sections)?;
            document::replace(path, &fragments)?;
            say(&format!("wrote the table to {}", path.display()));
        }
        self.sections.extend(sections);
        Ok(())
    }
}
