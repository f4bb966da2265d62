//! A finding as text, on the C source, the way a compiler prints an error.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::baseline::BaselineState;
use crate::finding::{Finding, Location};
use crate::place::{relative, spot};
use crate::rule::Level;

/// Whether the text is for a terminal that shows colours.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Colour,
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

/// Longest input that is shown in full.
const SHOWN_BYTES: usize = 64;

/// Renders a finding; source files are read from disk, paths under `cwd` are shown relative to it.
pub fn render(finding: &Finding, cwd: &Path, style: Style) -> String {
    render_with(finding, cwd, style, &|file| fs::read(file).ok())
}

/// [`render`] with the source files given by `source`; a file that it does not have is left out.
pub fn render_with(finding: &Finding, cwd: &Path, style: Style, source: &dyn Fn(&Path) -> Option<Vec<u8>>) -> String {
    let page = Page {
        cwd,
        style,
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
    page.excerpt(&mut out, &finding.location, ink);
    for note in &finding.notes {
        page.remark(&mut out, "note", &note.message);
        if let Some(location) = &note.location {
            page.excerpt(&mut out, location, Ink::Frame);
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
    if !finding.inputs.is_empty() {
        page.remark(&mut out, "input", "");
        for (name, bytes) in &finding.inputs {
            line(
                &mut out,
                &format!(
                    "{:width$}{name} = {}",
                    "",
                    input_literal(bytes),
                    width = page.margin + 5
                ),
            );
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
    source: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    margin: usize,
}

impl Page<'_> {
    fn remark(&self, out: &mut String, key: &str, text: &str) {
        let bar = self.style.paint(Ink::Frame, "=");
        let key = self.style.paint(Ink::Strong, &format!("{key}:"));
        line(out, &format!("{:margin$} {bar} {key} {text}", "", margin = self.margin));
    }

    /// The place, and its source line with a caret where the file can be read.
    fn excerpt(&self, out: &mut String, location: &Location, ink: Ink) {
        let margin = self.margin;
        let arrow = self.style.paint(Ink::Frame, "-->");
        line(out, &format!("{:margin$}{arrow} {}", "", spot(location, self.cwd)));
        let Some(text) = self.source_line(location) else { return };
        let bar = self.style.paint(Ink::Frame, "|");
        let number = self.style.paint(Ink::Frame, &format!("{:>margin$}", location.line));
        line(out, &format!("{:margin$} {bar}", ""));
        line(out, &format!("{number} {bar} {text}"));
        if location.column > 0 {
            let caret = self.style.paint(ink, "^");
            line(
                out,
                &format!("{:margin$} {bar} {}{caret}", "", indent(&text, location.column)),
            );
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

/// What stands before byte `column` (from 1) of a line, blanked, so that the caret lands under it whatever a tab's width is.
fn indent(text: &str, column: u32) -> String {
    let before = text.char_indices().take_while(|(at, _)| at + 1 < column as usize);
    before.map(|(_, c)| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// The value of an input in C's notation: a number where its size is that of an integer, else a string.
/// Numbers are little-endian, as on every target that Mneme knows.
pub fn input_literal(bytes: &[u8]) -> String {
    match bytes.len() {
        1 | 2 | 4 | 8 => number(bytes),
        _ => string(bytes),
    }
}

fn number(bytes: &[u8]) -> String {
    let value = bytes
        .iter()
        .rev()
        .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let mut out = format!("{value} (0x{value:x}");
    let unused = 64 - 8 * bytes.len();
    let signed = ((value << unused) as i64) >> unused;
    if signed < 0 {
        let _ = write!(out, ", signed {signed}");
    }
    if let [byte @ b' '..=b'~'] = bytes {
        let _ = write!(out, ", '{}'", escape(&[*byte], '\''));
    }
    // Buffers of these sizes are as common as integers: where the bytes are text, show the text too.
    let text = &bytes[..bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
    if text.len() > 1 && text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        let _ = write!(out, ", \"{}\"", escape(text, '"'));
    }
    out.push(')');
    out
}

fn string(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let zeros = bytes.len() - bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if bytes.len() > SHOWN_BYTES && zeros == bytes.len() {
        return format!("{{0}} ({} bytes)", bytes.len());
    }
    if bytes.len() > SHOWN_BYTES && bytes.len() - zeros <= SHOWN_BYTES {
        let text = &bytes[..bytes.len() - zeros];
        return format!("\"{}\" and {zeros} zero bytes", escape(text, '"'));
    }
    let rest = bytes.len() - shown.len();
    let literal = format!("\"{}\"", escape(shown, '"'));
    if rest == 0 {
        literal
    } else {
        format!("{literal} and {rest} more bytes")
    }
}

/// Escapes of three octal digits only: unlike `\x`, they do not swallow what follows.
fn escape(bytes: &[u8], quote: char) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            byte if *byte == quote as u8 => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(*byte as char),
            byte => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
