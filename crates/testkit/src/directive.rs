//! Directives in the comments of a C file: `// KEY@LINE[scope]: value`, where `@LINE` and `[scope]` are optional. One
//! line may carry several. A directive is recognised by its upper-case key and its colon, and every such comment must
//! be one, so that a misspelt expectation is an error instead of a silent comment.

use crate::scope::Scope;

/// One directive as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    pub key: String,
    /// The line it refers to: its own, unless `@LINE` says otherwise.
    pub line: u32,
    pub scope: Scope,
    pub value: String,
}

/// What is wrong on a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    pub line: u32,
    pub what: String,
}

/// All directives of a C source text, in order.
pub fn directives(source: &str) -> Result<Vec<Directive>, Malformed> {
    let mut found = Vec::new();
    for (index, text) in source.lines().enumerate() {
        let line = index as u32 + 1;
        // A directive's value extends to the next comment that is a directive.
        let mut open: Option<(Head, String)> = None;
        for comment in text.split("//").skip(1) {
            match (Head::parse(comment, line)?, &mut open) {
                (Some((head, value)), _) => found.extend(open.replace((head, value.to_owned())).map(close)),
                (None, Some((_, value))) => {
                    value.push_str("//");
                    value.push_str(comment);
                }
                (None, None) => {}
            }
        }
        found.extend(open.map(close));
    }
    Ok(found)
}

fn close((head, value): (Head, String)) -> Directive {
    Directive {
        key: head.key,
        line: head.line,
        scope: head.scope,
        value: value.trim().to_owned(),
    }
}

struct Head {
    key: String,
    line: u32,
    scope: Scope,
}

impl Head {
    /// The head of a directive and the rest of the comment; `None` for a comment that is not one.
    fn parse(comment: &str, line: u32) -> Result<Option<(Head, &str)>, Malformed> {
        let comment = comment.trim_start();
        let upper = comment.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(comment.len());
        let (key, mut rest) = comment.split_at(upper);
        if key.len() < 2 || !rest.starts_with(['@', '[', ':']) {
            return Ok(None);
        }
        let mut head = Head {
            key: key.to_owned(),
            line,
            scope: Scope::default(),
        };
        let malformed = |what: &str| Malformed {
            line,
            what: format!("{what} in the comment `{key}`"),
        };
        if let Some(after) = rest.strip_prefix('@') {
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            head.line = after[..digits]
                .parse()
                .map_err(|_| malformed("no line number follows `@`"))?;
            rest = &after[digits..];
        }
        if let Some(after) = rest.strip_prefix('[') {
            let (inside, after) = after.split_once(']').ok_or_else(|| malformed("`]` is missing"))?;
            head.scope = Scope::parse(inside).ok_or_else(|| malformed("the scope is malformed"))?;
            rest = after;
        }
        let rest = rest.strip_prefix(':').ok_or_else(|| malformed("`:` is missing"))?;
        Ok(Some((head, rest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Directive {
        let mut all = directives(text).unwrap();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn a_trailing_comment_speaks_of_its_line() {
        let directive = one("int x;\n  *p = 1; /* BUG */ // FAULT: null-dereference\n");
        assert_eq!((directive.key.as_str(), directive.line), ("FAULT", 2));
        assert_eq!(directive.value, "null-dereference");
        assert!(directive.scope.is_everywhere());
    }

    #[test]
    fn a_line_and_a_scope_can_be_named() {
        let directive = one("// FAULT@15[eager objects, 2]: double-free");
        assert_eq!(directive.line, 15);
        assert_eq!(directive.scope.to_string(), "eager objects, 2");
    }

    #[test]
    fn a_line_carries_several() {
        let all = directives("f(); // FAULT[1]: abort // PATHS: 3 // see also // EXIT: 1").unwrap();
        let keys: Vec<_> = all.iter().map(|d| (d.key.as_str(), d.value.as_str())).collect();
        assert_eq!(keys, [("FAULT", "abort"), ("PATHS", "3 // see also"), ("EXIT", "1")]);
    }

    #[test]
    fn other_comments_are_not_directives() {
        for text in [
            "// note: x",
            "// A: one letter",
            "/* RUN: -DX */",
            "// NULL is checked",
            "x = 1; // BUG 1",
            "\"http://A\"",
        ] {
            assert_eq!(directives(text), Ok(vec![]), "{text}");
        }
    }

    #[test]
    fn malformed_ones_name_their_line() {
        for (text, what) in [
            ("\n// FAULT@x: abort", "no line number follows `@`"),
            ("\n// FAULT[a: abort", "`]` is missing"),
            ("\n// FAULT[]: abort", "the scope is malformed"),
            ("\n// FAULT[a] abort", "`:` is missing"),
        ] {
            let error = directives(text).unwrap_err();
            assert_eq!(
                error,
                Malformed {
                    line: 2,
                    what: format!("{what} in the comment `FAULT`")
                }
            );
        }
    }
}
