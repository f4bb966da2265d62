//! Values of inputs, for people to read.

use mneme_finding::Input;
use std::fmt::Write;

/// Longest input that is shown in full.
const SHOWN_BYTES: usize = 64;
/// Longest literal that is shown in full.
const SHOWN_CHARS: usize = 160;
/// Most bytes that are shown beside a literal.
const SHOWN_BESIDE: usize = 16;

/// The literal, abbreviated if it is long, and the bytes where they are few and not obvious.
pub fn input_text(input: &Input) -> String {
    let Some(literal) = &input.literal else {
        return input_literal(&input.bytes);
    };
    let size = input.bytes.len();
    if literal.chars().count() > SHOWN_CHARS {
        let shown: String = literal.chars().take(SHOWN_CHARS).collect();
        return format!("{shown}… ({size} bytes)");
    }
    if literal.starts_with('"') || size == 0 || size > SHOWN_BESIDE {
        return literal.clone();
    }
    format!("{literal} (bytes {})", hex(&input.bytes))
}

/// `00 ff 80`.
pub fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
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
        return format!("\"{}\" and {zeros} zero {}", escape(text, '"'), bytes_of(zeros));
    }
    let rest = bytes.len() - shown.len();
    let literal = format!("\"{}\"", escape(shown, '"'));
    if rest == 0 {
        literal
    } else {
        format!("{literal} and {rest} more {}", bytes_of(rest))
    }
}

fn bytes_of(count: usize) -> &'static str {
    match count {
        1 => "byte",
        _ => "bytes",
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
mod tests {
    use super::*;

    #[test]
    fn inputs_are_c_literals() {
        assert_eq!(input_literal(&[0]), "0 (0x0)");
        assert_eq!(input_literal(b"a"), "97 (0x61, 'a')");
        assert_eq!(input_literal(b"'"), "39 (0x27, '\\'')");
        assert_eq!(input_literal(&[0xff]), "255 (0xff, signed -1)");
        assert_eq!(input_literal(&[0x34, 0x12]), "4660 (0x1234)");
        assert_eq!(input_literal(&[0xff; 4]), "4294967295 (0xffffffff, signed -1)");
        assert_eq!(
            input_literal(&[0, 0, 0, 0, 0, 0, 0, 0x80]),
            "9223372036854775808 (0x8000000000000000, signed -9223372036854775808)"
        );
        assert_eq!(input_literal(b"ab\0\0"), "25185 (0x6261, \"ab\")");
        assert_eq!(input_literal(b""), "\"\"");
        assert_eq!(input_literal(b"a\"\n\x01\xff7"), "\"a\\\"\\n\\001\\3777\"");
        assert_eq!(input_literal(&[0; 100]), "{0} (100 bytes)");
        let mut long = vec![0; 100];
        long[..3].copy_from_slice(b"abc");
        assert_eq!(input_literal(&long), "\"abc\" and 97 zero bytes");
        assert_eq!(
            input_literal(&[b'x'; 100]),
            format!("\"{}\" and 36 more bytes", "x".repeat(64))
        );
    }

    #[test]
    fn literals_come_with_their_bytes() {
        let text = |literal: &str, bytes: &[u8]| {
            input_text(&Input {
                name: "x".into(),
                bytes: bytes.to_vec(),
                literal: Some(literal.into()),
            })
        };
        assert_eq!(text("-1", &[0xff; 4]), "-1 (bytes ff ff ff ff)");
        assert_eq!(text("\"ab\"", b"ab\0\0"), "\"ab\"");
        assert_eq!(text("{1}", &[0; 17]), "{1}");
        assert_eq!(
            text(&"x".repeat(200), &[0; 200]),
            format!("{}… (200 bytes)", "x".repeat(160))
        );
    }
}
