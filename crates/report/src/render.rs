//! A finding as text, on the C source, the way a compiler prints an error.

use std::path::Path;

use crate::baseline::BaselineState;
use crate::finding::{Finding, Location, Step};
use crate::input::input_text;
use crate::place::{relative, source, spot};
use crate::rule::Level;
use crate::underline::underline;

/// Whether the text is for a terminal that shows colours.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Colour,
}

/// How much of the path to a finding is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Of many decisions the first and the last.
    Short,
    Whole,
}

#[derive(Copy, Clone)]
enum Ink {
    Error,
    Warning,
    Frame,
    Strong,
}

impl Style {
    fn paint(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Error => "1;31",
            Ink::Warning => "1;33",
            Ink::Frame => "1;34",
            Ink::Strong => "1",
        };
        match self {
            Style::Plain => text.to_owned(),
            Style::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// Decisions that [`Detail::Short`] shows.
const SHOWN_STEPS: usize = 12;

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
    let page = Page {
        cwd,
        style,
        detail,
        source,
        margin: margin(finding),
    };
    let ink = match finding.rule.level() {
        Level::Error => Ink::Error,
        Level::Warning => Ink::Warning,
    };
    let head = format!("{}[{}]", finding.rule.level().as_str(), finding.rule);
    let mut out = String::new();
    line(
        &mut out,
        &format!(
            "{}{}",
            style.paint(ink, &head),
            style.paint(Ink::Strong, &format!(": {}", finding.message))
        ),
    );
    page.excerpt(&mut out, &finding.location, finding.expression.as_deref(), ink);
    for note in finding.notes.iter().filter(|note| note.location.is_none()) {
        page.remark(&mut out, "note", &note.message);
    }
    for note in &finding.notes {
        if let Some(location) = &note.location {
            let head = style.paint(Ink::Strong, "note");
            line(&mut out, &format!("{head}: {}", note.message));
            page.excerpt(&mut out, location, quoted(&note.message), Ink::Frame);
        }
    }
    // A single frame repeats the place of the finding.
    if finding.stack.len() > 1 {
        page.remark(&mut out, "stack", "");
        for (depth, frame) in finding.stack.iter().enumerate() {
            line(
                &mut out,
                &format!(
                    "{:width$}{depth}: {} at {}",
                    "",
                    frame.function,
                    spot(&frame.location, cwd),
                    width = page.margin + 5
                ),
            );
        }
    }
    if !finding.path.is_empty() {
        page.remark(&mut out, "path", "");
        page.path(&mut out, &finding.path);
    }
    if !finding.inputs.is_empty() {
        page.remark(&mut out, "input", "");
        for input in &finding.inputs {
            let text = format!("{} = {}", input.name, input_text(input));
            line(&mut out, &format!("{:width$}{text}", "", width = page.margin + 5));
        }
    }
    if let Some(test) = &finding.test {
        page.remark(&mut out, "test", test);
    }
    if finding.baseline == Some(BaselineState::Unchanged) {
        page.remark(&mut out, "known", "it is in the baseline");
    }
    if let Some(confirmation) = &finding.confirmation {
        page.remark(&mut out, confirmation.verdict(), confirmation.reason());
    }
    out
}

/// What a note speaks of: the first code in it.
fn quoted(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Width of the widest line number that the finding shows.
fn margin(finding: &Finding) -> usize {
    let notes = finding.notes.iter().filter_map(|note| note.location.as_ref());
    let widest = notes.map(|location| location.line).chain([finding.location.line]).max();
    widest.unwrap_or(0).to_string().len()
}

struct Page<'a> {
    cwd: &'a Path,
    style: Style,
    detail: Detail,
    source: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    margin: usize,
}

impl Page<'_> {
    fn remark(&self, out: &mut String, key: &str, text: &str) {
        let bar = self.style.paint(Ink::Frame, "=");
        let key = self.style.paint(Ink::Strong, &format!("{key}:"));
        line(out, &format!("{:margin$} {bar} {key} {text}", "", margin = self.margin));
    }

    /// The decisions of a path, one a line.
    fn path(&self, out: &mut String, path: &[Step]) {
        let width = self.margin + 5;
        let left_out = match self.detail {
            Detail::Short if path.len() > SHOWN_STEPS => SHOWN_STEPS / 2..path.len() - SHOWN_STEPS / 2,
            _ => 0..0,
        };
        for (index, step) in path.iter().enumerate() {
            if index == left_out.start && !left_out.is_empty() {
                let text = format!("… {} more in findings.sarif and with --verbose", left_out.len());
                line(out, &format!("{:width$}{text}", ""));
            }
            if left_out.contains(&index) {
                continue;
            }
            let times = match step.times {
                1 => String::new(),
                times => format!(", {times} times"),
            };
            let text = format!("{}: {}{times}", spot(&step.location, self.cwd), step.message);
            line(out, &format!("{:width$}{text}", ""));
        }
    }

    /// The place, and its source line where the file can be read, with the expression (or the word at the column) underlined.
    fn excerpt(&self, out: &mut String, location: &Location, expression: Option<&str>, ink: Ink) {
        let margin = self.margin;
        let arrow = self.style.paint(Ink::Frame, "-->");
        line(out, &format!("{:margin$}{arrow} {}", "", spot(location, self.cwd)));
        let Some(text) = self.source_line(location) else { return };
        let bar = self.style.paint(Ink::Frame, "|");
        let number = self.style.paint(Ink::Frame, &format!("{:>margin$}", location.line));
        line(out, &format!("{:margin$} {bar}", ""));
        line(out, &format!("{number} {bar} {text}"));
        if let Some((blank, carets)) = underline(&text, location.column, expression) {
            let carets = self.style.paint(ink, &carets);
            line(out, &format!("{:margin$} {bar} {blank}{carets}", ""));
        }
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
