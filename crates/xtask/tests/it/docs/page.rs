//! The content of a document: links, headings, code, tables.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, Tag, TagEnd};

/// A document.
#[derive(Debug, Default)]
pub struct Page {
    /// Targets of links, except links to the web.
    pub links: Vec<String>,
    /// References to decisions that have no target.
    pub undefined: Vec<String>,
    /// Anchors of the headings.
    pub anchors: BTreeSet<String>,
    /// Code, in order.
    pub codes: Vec<Code>,
}

/// Code in a line of text, or a block.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The code.
    pub text: String,
    /// The word before it, or the head of its column in a table, in lower case.
    pub about: String,
    /// Whether it is in a table.
    pub is_cell: bool,
}

#[derive(Default)]
struct Reader {
    page: Page,
    seen: BTreeMap<String, usize>,
    heading: Option<String>,
    /// Text since the last code.
    before: String,
    head: Vec<String>,
    cell: Option<(bool, usize, String)>,
    block: Option<String>,
}

impl Page {
    /// The document of that text.
    pub fn read<'a>(text: &'a str) -> Self {
        let mut undefined = Vec::new();
        let note = |link: BrokenLink<'a>| -> Option<(CowStr<'a>, CowStr<'a>)> {
            if link.reference.starts_with("decision ") {
                undefined.push(link.reference.to_string());
            }
            None
        };
        let options = Options::ENABLE_TABLES;
        let mut reader = Reader::default();
        for event in Parser::new_with_broken_link_callback(text, options, Some(note)) {
            reader.take(event);
        }
        reader.page.undefined = undefined;
        reader.page
    }
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.code(&text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::InlineHtml(html) => self.page.anchors.extend(anchor_in(&html)),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.heading = Some(String::new()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let is_outside = dest_url.contains("://") || dest_url.starts_with("mailto:");
                if !is_outside {
                    self.page.links.push(dest_url.into_string());
                }
            }
            Tag::TableHead => self.cell = Some((true, 0, String::new())),
            Tag::TableRow => self.cell = Some((false, 0, String::new())),
            Tag::Table(_) => self.head.clear(),
            Tag::CodeBlock(_) => self.block = Some(String::new()),
            Tag::Paragraph | Tag::Item => self.before.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.name_heading(),
            TagEnd::CodeBlock => self.close_block(),
            TagEnd::TableCell => self.close_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.cell = None,
            _ => {}
        }
    }

    fn close_cell(&mut self) {
        if let Some((is_head, column, text)) = &mut self.cell {
            if *is_head {
                self.head.push(text.to_lowercase());
            }
            text.clear();
            *column += 1;
        }
    }

    /// Each line is separate code, about nothing.
    fn close_block(&mut self) {
        let block = self.block.take().unwrap_or_default();
        let lines = block.lines().map(|line| Code {
            text: line.to_owned(),
            ..Code::default()
        });
        self.page.codes.extend(lines);
        self.before.clear();
    }

    fn text(&mut self, text: &str) {
        if let Some(block) = &mut self.block {
            block.push_str(text);
            return;
        }
        let cell = self.cell.as_mut().map(|(_, _, cell)| cell);
        for whole in [self.heading.as_mut(), cell].into_iter().flatten() {
            whole.push_str(text);
        }
        self.before.push_str(text);
    }

    fn code(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
        let column = self.cell.as_ref().filter(|(is_head, ..)| !is_head);
        let about = match column {
            Some((_, column, _)) => self.head.get(*column).cloned().unwrap_or_default(),
            None => last_word(&self.before),
        };
        self.page.codes.push(Code {
            text: text.to_owned(),
            about,
            is_cell: column.is_some(),
        });
        self.before.clear();
    }

    /// The anchor of a heading, as GitHub makes it.
    fn name_heading(&mut self) {
        let heading = self.heading.take().unwrap_or_default().to_lowercase();
        let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let slug: String = heading.chars().filter(is_kept).collect();
        let slug = slug.replace(' ', "-");
        let count = self.seen.entry(slug.clone()).or_default();
        self.page.anchors.insert(match *count {
            0 => slug,
            more => format!("{slug}-{more}"),
        });
        *count += 1;
    }
}

/// The name of an anchor that is written as `<a id="name">`.
fn anchor_in(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("<a id=\"")?;
    let (name, _) = rest.split_once('"')?;
    Some(name.to_owned())
}

fn last_word(text: &str) -> String {
    let word = text.split_whitespace().next_back().unwrap_or_default();
    word.to_lowercase()
}
