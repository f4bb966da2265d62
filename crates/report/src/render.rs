//! A finding as text, on the C source, the way a compiler prints an error.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::input::input_text;
use crate::place::{relative, source, spot};
use crate::underline::underline;
use mneme_finding::BaselineState;
use mneme_finding::{Finding, Location, Note, Step};

/// Is the text for a terminal that shows colours?
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Colour,
}

/// How much of the path to a finding is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    /// If there are many decisions, the first and the last.
    Short,
    Whole,
}

/// Decisions that [`Detail::Short`] shows.
const SHOWN_STEPS: usize = 12;

/// Columns of an excerpt: longer lines of the source are cut around what is underlined.
const WIDTH: usize = 100;

/// Renders a finding; source files are read from disk, paths under `cwd` are shown relative to it.
pub fn render(finding: &Finding, cwd: &Path, style: Style, detail: Detail) -> String {
    render_with(finding, cwd, style, detail, &source)
}

/// [`render`] with the source files given by `source`; a file that it does not have is left out.
pub fn render_with(
    finding: &Finding,
    cwd: &Path,
    style: Style,
    detail: Detail,
    source: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> String {
    let page = Page { cwd, source };
    let level = match finding.rule.level() {
        mneme_finding::Level::Error => Level::ERROR,
        mneme_finding::Level::Warning => Level::WARNING,
    };
    let title = level.primary_title(&finding.message).id(finding.rule.as_str());
    let mut last = page.excerpt(
        Group::with_title(title),
        &finding.location,
        finding.expression.as_deref(),
    );
    let (placed, plain): (Vec<&Note>, _) = finding.notes.iter().partition(|note| note.location.is_some());
    last = last.elements(plain.into_iter().map(|note| Level::NOTE.message(&note.message)));
    let mut groups = Vec::new();
    for note in placed {
        groups.push(last);
        let title = Level::NOTE.secondary_title(&note.message);
        let location = note.location.as_ref().expect("those without were parted from them");
        last = page.excerpt(Group::with_title(title), location, quoted(&note.message));
    }
    let remarks = remarks(finding, cwd, detail);
    let remark = |(key, text): (&'static str, String)| Level::NOTE.with_name(key).message(text);
    groups.push(last.elements(remarks.into_iter().map(remark)));
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    renderer.term_width(WIDTH).render(&groups) + "\n"
}

/// What follows the excerpts: a key, and one or more lines.
fn remarks(finding: &Finding, cwd: &Path, detail: Detail) -> Vec<(&'static str, String)> {
    let mut remarks = Vec::new();
    // A single frame repeats the place of the finding.
    if finding.stack.len() > 1 {
        let frames = finding.stack.iter().enumerate();
        let frames =
            frames.map(|(depth, frame)| format!("{depth}: {} at {}", frame.function, spot(&frame.location, cwd)));
        remarks.push(("stack", lines(frames)));
    }
    for way in &finding.ways {
        let calls = finding.caller(&way.stack).map(|caller| spot(caller, cwd));
        let test = way.test.as_deref().unwrap_or("no test");
        remarks.push(("also", format!("from {}: {test}", calls.unwrap_or_default())));
    }
    if !finding.path.is_empty() {
        remarks.push(("path", lines(path(&finding.path, cwd, detail))));
    }
    if !finding.inputs.is_empty() {
        let inputs = finding.inputs.iter();
        let inputs = inputs.map(|input| format!("{} = {}", input.name, input_text(input)));
        remarks.push(("input", lines(inputs)));
    }
    remarks.extend(finding.test.as_ref().map(|test| ("test", test.clone())));
    if finding.baseline == Some(BaselineState::Unchanged) {
        remarks.push(("known", "it is in the baseline".into()));
    }
    let confirmation = finding.confirmation.as_ref();
    remarks.extend(confirmation.map(|said| (said.verdict(), said.reason().to_owned())));
    remarks
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

/// The decisions of a path, one per line.
fn path(path: &[Step], cwd: &Path, detail: Detail) -> Vec<String> {
    let step = |step: &Step| {
        let times = match step.times {
            1 => String::new(),
            times => format!(", {times} times"),
        };
        format!("{}: {}{times}", spot(&step.location, cwd), step.message)
    };
    let mut steps: Vec<String> = path.iter().map(step).collect();
    if detail == Detail::Short && path.len() > SHOWN_STEPS {
        let left_out = SHOWN_STEPS / 2..path.len() - SHOWN_STEPS / 2;
        let text = format!("… {} more in findings.sarif and with --verbose", left_out.len());
        steps.splice(left_out, [text]);
    }
    steps
}

/// What a note is about: the first code in it.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

struct Page<'a> {
    cwd: &'a Path,
    source: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
}

impl Page<'_> {
    /// The place, and its source line where the file can be read, with the expression (or the word at the column)
    /// underlined.
    fn excerpt<'g>(&self, group: Group<'g>, location: &Location, expression: Option<&str>) -> Group<'g> {
        let Some(text) = self.source_line(location) else {
            return group.element(Origin::path(spot(location, self.cwd)));
        };
        // If there is an annotation, its start is shown after the path.
        let (path, annotation) = match underline(&text, location.column, expression) {
            Some(range) => (
                relative(&location.file, self.cwd).to_owned(),
                AnnotationKind::Primary.span(range),
            ),
            None => (spot(location, self.cwd), AnnotationKind::Visible.span(0..0)),
        };
        let snippet = Snippet::source(text).line_start(location.line as usize).path(path);
        group.element(snippet.annotation(annotation))
    }

    fn source_line(&self, location: &Location) -> Option<String> {
        if location.file.is_empty() || location.line == 0 {
            return None;
        }
        let path = self.cwd.join(relative(&location.file, self.cwd));
        let text = (self.source)(&path)?;
        let text = text.split(|byte| *byte == b'\n').nth(location.line as usize - 1)?;
        Some(String::from_utf8_lossy(text).trim_end().to_owned())
    }
}

#[cfg(test)]
mod tests;
