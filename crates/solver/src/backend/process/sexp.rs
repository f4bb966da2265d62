//! S-expressions as solvers print them, read without trust: any input gives an expression or `None`, with bounded
//! stack.

/// An atom keeps its text; quoted symbols and strings keep their quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::backend) enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

/// No solver's answer nests deeper. The limit also bounds recursion over an expression.
const DEPTH: usize = 4096;
/// Nor is any answer longer.
const LENGTH: usize = 1 << 28;

impl Sexp {
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::Atom(_) => None,
            Sexp::List(items) => Some(items),
        }
    }
}

/// Cuts a stream of text into expressions.
#[derive(Default)]
pub(super) struct Reader {
    open: Vec<Vec<Sexp>>,
    token: Vec<u8>,
    mode: Mode,
    /// Bytes since the last complete expression.
    pending: usize,
}

#[derive(Default, PartialEq)]
enum Mode {
    #[default]
    Plain,
    /// Inside `"…"` or `|…|`.
    Quoted(u8),
    Comment,
}

/// The stream is not a sequence of expressions.
#[derive(Debug, PartialEq)]
pub(super) struct Garbage;

impl Reader {
    /// Takes one more byte; returns an expression if the byte completes one.
    pub fn push(&mut self, byte: u8) -> Result<Option<Sexp>, Garbage> {
        self.pending += 1;
        if self.pending > LENGTH {
            return Err(Garbage);
        }
        match self.mode {
            Mode::Comment => {
                if byte == b'\n' {
                    self.mode = Mode::Plain;
                }
                Ok(None)
            }
            Mode::Quoted(end) => {
                self.token.push(byte);
                if byte == end {
                    self.mode = Mode::Plain;
                }
                Ok(None)
            }
            Mode::Plain => self.plain(byte),
        }
    }

    fn plain(&mut self, byte: u8) -> Result<Option<Sexp>, Garbage> {
        match byte {
            b'(' => {
                // `a(` is two expressions, and the first would be lost here; no solver prints that.
                if self.open.is_empty() && !self.token.is_empty() || self.open.len() >= DEPTH {
                    return Err(Garbage);
                }
                self.end_token()?;
                self.open.push(Vec::new());
                Ok(None)
            }
            b')' => {
                self.end_token()?;
                let items = self.open.pop().ok_or(Garbage)?;
                Ok(self.item(Sexp::List(items)))
            }
            b';' => {
                self.mode = Mode::Comment;
                self.end_token()
            }
            b'"' | b'|' => {
                self.mode = Mode::Quoted(byte);
                self.token.push(byte);
                Ok(None)
            }
            _ if byte.is_ascii_whitespace() => self.end_token(),
            _ => {
                self.token.push(byte);
                Ok(None)
            }
        }
    }

    fn end_token(&mut self) -> Result<Option<Sexp>, Garbage> {
        if self.token.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8(std::mem::take(&mut self.token)).map_err(|_| Garbage)?;
        Ok(self.item(Sexp::Atom(text)))
    }

    fn item(&mut self, item: Sexp) -> Option<Sexp> {
        match self.open.last_mut() {
            Some(list) => {
                list.push(item);
                None
            }
            None => {
                self.pending = 0;
                Some(item)
            }
        }
    }
}

#[cfg(test)]
pub(super) fn parse(text: &str) -> Option<Sexp> {
    let mut reader = Reader::default();
    let mut all = text.bytes().chain([b'\n']);
    all.find_map(|byte| reader.push(byte).transpose())?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_solvers_print() {
        let atom = |s: &str| Sexp::Atom(s.to_string());
        assert_eq!(parse("sat\n"), Some(atom("sat")));
        assert_eq!(
            parse("((|a b| #x0f) ; why\n (x (_ bv3 8)))"),
            Some(Sexp::List(vec![
                Sexp::List(vec![atom("|a b|"), atom("#x0f")]),
                Sexp::List(vec![atom("x"), Sexp::List(vec![atom("_"), atom("bv3"), atom("8")])]),
            ]))
        );
        assert_eq!(
            parse("(error \"line (1\")"),
            Some(Sexp::List(vec![atom("error"), atom("\"line (1\"")]))
        );
        assert_eq!(parse(")"), None);
        assert_eq!(parse(&"(".repeat(DEPTH + 1)), None);
    }

    proptest! {
        #[test]
        fn survives_anything(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = Reader::default();
            for byte in bytes {
                if reader.push(byte).is_err() {
                    break;
                }
            }
        }
    }
}
