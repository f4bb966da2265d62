//! Which part of a source line an error is about.

use std::ops::Range;

/// The part of a line to underline, in bytes: the expression near the column, or else the word there. `column` counts
/// bytes from 1; 0 is unknown.
pub fn underline(line: &str, column: u32, expression: Option<&str>) -> Option<Range<usize>> {
    let at = (column as usize).checked_sub(1);
    expression
        .and_then(|expression| find(line, at, expression).or_else(|| find(line, at, &other_spelling(expression)?)))
        .or_else(|| word(line, at?))
}

/// `*p` is the same as `p[0]`.
fn other_spelling(expression: &str) -> Option<String> {
    Some(format!("{}[0]", expression.strip_prefix('*')?))
}

/// The occurrence of an expression that contains `at`, or else the one nearest to it. Blanks do not matter.
fn find(line: &str, at: Option<usize>, expression: &str) -> Option<Range<usize>> {
    let wanted: Vec<char> = expression.chars().filter(|c| !c.is_whitespace()).collect();
    let starts = line.char_indices().map(|(start, _)| start);
    let found = starts.filter_map(|start| Some(start..end_of(line, start, &wanted)?));
    let distance = |found: &Range<usize>| match at {
        Some(at) if at < found.start => found.start - at,
        Some(at) => (at + 1).saturating_sub(found.end),
        None => found.start,
    };
    found.min_by_key(distance)
}

/// Where `wanted` ends if the line has it at `start`, as whole words.
fn end_of(line: &str, start: usize, wanted: &[char]) -> Option<usize> {
    if line[start..].starts_with(char::is_whitespace)
        || continues_word(line[..start].chars().next_back(), wanted.first())
    {
        return None;
    }
    let mut left = wanted.iter();
    let mut next = left.next();
    let mut end = start;
    for (offset, c) in line[start..].char_indices() {
        match next {
            None => break,
            Some(&w) if w == c => {
                next = left.next();
                end = start + offset + c.len_utf8();
            }
            Some(_) if c.is_whitespace() => {}
            Some(_) => return None,
        }
    }
    (next.is_none() && !continues_word(line[end..].chars().next(), wanted.last())).then_some(end)
}

fn continues_word(a: Option<char>, b: Option<&char>) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    a.is_some_and(of_word) && b.is_some_and(|&c| of_word(c))
}

/// The word, or the one character, at a position.
fn word(line: &str, at: usize) -> Option<Range<usize>> {
    if !line.is_char_boundary(at) {
        return None;
    }
    let rest = &line[at..];
    let letters = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    Some(at..at + letters.max(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, column: u32, expression: Option<&str>, expected: &str) {
        let range = underline(line, column, expression).unwrap();
        let blank = line[..range.start].replace(|c| c != '\t', " ");
        let carets = "^".repeat(line[range].chars().count().max(1));
        assert_eq!(blank + &carets, expected, "under {line}");
    }

    #[test]
    fn the_expression_is_found_around_the_column_whatever_its_blanks() {
        check("  t->name[h+3] = 'a';", 16, Some("t->name[h + 3]"), "  ^^^^^^^^^^^^");
        check("\treturn p->next->key;", 11, Some("p->next"), "\t       ^^^^^^^");
        check("a[i] = a[i] + a[i];", 8, Some("a[i]"), "       ^^^^");
        check("  text[0] = 'x';", 11, Some("*text"), "  ^^^^^^^");
        check("x = a[i];", 0, Some("a[i]"), "    ^^^^");
    }

    #[test]
    fn parts_of_words_are_no_occurrences() {
        check("aa = a;", 4, Some("a"), "     ^");
        check("max(x, ax)", 8, Some("x"), "    ^");
    }

    #[test]
    fn otherwise_the_word_at_the_column() {
        check("  q = malloc(4);", 7, None, "      ^^^^^^");
        check("  if (*(s + i))", 7, Some("s[i]"), "      ^");
        check("  äöü = x;", 3, None, "  ^^^");
        assert_eq!(underline("x", 0, Some("y")), None);
        assert_eq!(underline("äx", 2, None), None);
        check("x", 2, None, " ^");
    }
}
