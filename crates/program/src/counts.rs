//! How many elements there are where the source says so and neither LLVM nor debug information does: parameters with
//! the attribute `access`, which clang ignores, and flexible array members with `counted_by`.
//!
//! Both are read off the preprocessed text by their place among brackets and semicolons; what looks unusual is left
//! out.

use crate::{CField, Kind, Program, Type};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// By function: parameters that point to arrays, and those that count their elements, from 0.
    parameters: BTreeMap<String, Vec<(usize, usize)>>,
    /// By structure, as C names it: the flexible array, and the member that counts its elements.
    members: BTreeMap<String, (String, String)>,
}

impl Counts {
    pub(crate) fn extend(&mut self, other: Counts) {
        self.parameters.extend(other.parameters);
        self.members.extend(other.members);
    }

    /// The parameters of a function that point to arrays, and those that count their elements.
    pub fn of_function(&self, name: &str) -> &[(usize, usize)] {
        self.parameters.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Program {
    /// The array of unknown length that a structure ends with.
    pub fn flexible_array(&self, ty: Type) -> Option<(&CField, Type)> {
        let Kind::Struct {
            fields, union: false, ..
        } = self.kind(ty)
        else {
            return None;
        };
        let last = fields.last()?;
        match self.kind(last.c_type.into()) {
            Kind::Array {
                of,
                count: None | Some(0),
            } => Some((last, of)),
            _ => None,
        }
    }

    /// The member that counts the elements of the array that a structure ends with.
    pub fn count_of(&self, ty: Type) -> Option<&CField> {
        let (array, _) = self.flexible_array(ty)?;
        let names = [self.plain_name(ty), self.type_name(ty)];
        let (_, count) = names
            .iter()
            .filter_map(|name| self.counts.members.get(name))
            .find(|(flexible, _)| Some(flexible) == array.name.as_ref())?;
        let Kind::Struct { fields, .. } = self.kind(ty) else {
            return None;
        };
        let is_it = |field: &&CField| field.name.as_ref() == Some(count);
        fields
            .iter()
            .find(is_it)
            .filter(|field| field.offset_bits.is_multiple_of(8))
    }
}

/// A structure whose end is not yet read.
#[derive(Default)]
struct Open<'a> {
    tag: Option<String>,
    /// The array and what counts it.
    counted: Option<(String, String)>,
    /// What the structure belongs to.
    outer: Vec<&'a str>,
}

/// Reads preprocessed C.
pub(crate) fn read(text: &str) -> Counts {
    let mut counts = Counts::default();
    let mut open: Vec<Open> = Vec::new();
    // The declaration that is being read; bodies of structures and functions in it are left out.
    let mut declaration: Vec<&str> = Vec::new();
    for word in words(text) {
        match word {
            "{" => {
                let tag = tag(&declaration);
                let outer = std::mem::take(&mut declaration);
                open.push(Open {
                    tag,
                    counted: None,
                    outer,
                });
            }
            "}" => {
                let Some(mut closed) = open.pop() else { continue };
                declaration = std::mem::take(&mut closed.outer);
                if let (Some(tag), Some(counted)) = (&closed.tag, &closed.counted) {
                    counts.members.insert(tag.clone(), counted.clone());
                }
                match closed.counted {
                    // The name of the type may follow.
                    Some((array, count)) if declaration.contains(&"typedef") => {
                        counts.members.insert(String::new(), (array, count));
                    }
                    _ => {}
                }
                // A function ends with its body.
                if open.is_empty() && function(&declaration).is_some() {
                    end(&mut counts, &mut open, &declaration);
                    declaration.clear();
                }
            }
            ";" => {
                end(&mut counts, &mut open, &declaration);
                declaration.clear();
            }
            _ => declaration.push(word),
        }
    }
    counts.members.remove("");
    counts
}

/// A declaration is complete.
fn end(counts: &mut Counts, open: &mut [Open], declaration: &[&str]) {
    if let Some(counted) = counts.members.remove("")
        && let Some(name) = declaration.last()
    {
        counts.members.insert(name.to_string(), counted);
    }
    match open.last_mut() {
        Some(structure) => {
            if let Some([count, ..]) = arguments(declaration, "counted_by").first().map(Vec::as_slice)
                && let Some(at) = declaration.iter().position(|&word| word == "[")
                && at > 0
            {
                structure.counted = Some((declaration[at - 1].into(), count.to_string()));
            }
        }
        None => {
            let Some(name) = function(declaration) else { return };
            let number = |word: &&str| word.parse::<usize>().ok()?.checked_sub(1);
            for access in arguments(declaration, "access") {
                if let [mode, pointer, count] = &access[..]
                    && !mode.contains("none")
                    && let (Some(pointer), Some(count)) = (number(pointer), number(count))
                {
                    let all = counts.parameters.entry(name.to_string()).or_default();
                    if !all.contains(&(pointer, count)) {
                        all.push((pointer, count));
                    }
                }
            }
        }
    }
}

/// `struct node`, if the body of one follows these words.
fn tag(declaration: &[&str]) -> Option<String> {
    let at = declaration
        .iter()
        .rposition(|word| matches!(*word, "struct" | "union"))?;
    let plain = outside(&declaration[at..]);
    match plain[..] {
        [keyword, name] => Some(format!("{keyword} {name}")),
        _ => None,
    }
}

/// The name of the function that is declared.
fn function<'a>(declaration: &[&'a str]) -> Option<&'a str> {
    let mut before: Option<&str> = None;
    let mut depth = 0;
    let mut skipped = false;
    for &word in declaration {
        match word {
            "(" => {
                if depth == 0 && !skipped {
                    return before;
                }
                depth += 1;
            }
            ")" => depth -= 1,
            "=" if depth == 0 => return None,
            _ if depth == 0 => {
                skipped = is_attribute(word);
                before = Some(word);
            }
            _ => {}
        }
    }
    None
}

/// Words that are followed by something in parentheses that is not a list of parameters.
fn is_attribute(word: &str) -> bool {
    matches!(
        plain(word),
        "attribute" | "asm" | "declspec" | "typeof" | "Alignas" | "alignas"
    )
}

/// `__access__` is `access`.
fn plain(word: &str) -> &str {
    word.trim_matches('_')
}

/// The words that are not attributes.
fn outside<'a>(declaration: &[&'a str]) -> Vec<&'a str> {
    let (mut out, mut depth, mut attribute) = (Vec::new(), 0, false);
    for &word in declaration {
        match word {
            _ if is_attribute(word) => attribute = true,
            "(" if attribute => depth += 1,
            ")" if attribute => {
                depth -= 1;
                attribute = depth > 0;
            }
            _ if attribute => {}
            _ => out.push(word),
        }
    }
    out
}

/// The arguments of each attribute of this name.
fn arguments<'a>(declaration: &[&'a str], name: &str) -> Vec<Vec<&'a str>> {
    let mut out = Vec::new();
    let (mut depth, mut attribute) = (0, false);
    for (at, &word) in declaration.iter().enumerate() {
        match word {
            "attribute" | "__attribute__" | "__attribute" => attribute = true,
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                attribute &= depth > 0;
            }
            _ if attribute && plain(word) == name && declaration.get(at + 1) == Some(&"(") => {
                let inside = declaration[at + 2..].iter().take_while(|&&word| word != ")");
                out.push(inside.copied().filter(|&word| word != ",").collect());
            }
            _ => {}
        }
    }
    out
}

/// Names, numbers and signs; no literals, and no lines for the compiler.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut line_start = true;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let length = match first {
                '\n' => {
                    line_start = true;
                    rest = &rest[1..];
                    continue;
                }
                '#' if line_start => {
                    rest = rest.find('\n').map_or("", |end| &rest[end..]);
                    continue;
                }
                '"' | '\'' => {
                    rest = &rest[literal(rest, first)..];
                    continue;
                }
                _ if first.is_whitespace() => {
                    rest = &rest[first.len_utf8()..];
                    continue;
                }
                _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            line_start = false;
            let (word, behind) = rest.split_at(length);
            rest = behind;
            return Some(word);
        }
    })
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// How long a string or character is, with its quotes.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            '\n' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_parameters_are_found() {
        let text = "# 1 \"a.c\"\n__attribute__((nonnull(1), access(read_only, 1, 2))) int f(const int *p, unsigned n);\n\
                    static inline __attribute__((always_inline)) void g(char *a, int b, char *c, int d)\n\
                    __attribute__((__access__(__write_only__, 3, 4), access (read_only, 1))) ;\n\
                    int access(const char *, int); struct s { int a; }; int h(int *p) { access(\"(;\", 1); return 0; }\n\
                    int later(int n, int *p) __attribute__((access(none, 2, 1)));\n";
        let counts = read(text);
        assert_eq!(counts.of_function("f"), [(0, 1)]);
        assert_eq!(counts.of_function("g"), [(2, 3)]);
        for other in ["h", "later", "access"] {
            assert_eq!(counts.of_function(other), [], "{other}");
        }
    }

    #[test]
    fn counts_of_flexible_arrays_are_found() {
        let text = "struct a { unsigned n; struct { int x; } y; int all[] __attribute__((counted_by(n))); } v;\n\
                    typedef struct { char c; short m; long rest[] __attribute__((__counted_by__(m))); } b_t;\n\
                    typedef struct __attribute__((packed)) c { int k; char t[] __attribute__((counted_by(k))); } c_t;\n\
                    struct d { int n; int all[]; };\n";
        let counts = read(text);
        let member = |name: &str| {
            counts
                .members
                .get(name)
                .map(|(array, count)| format!("{array} {count}"))
        };
        assert_eq!(member("struct a").as_deref(), Some("all n"));
        assert_eq!(member("b_t").as_deref(), Some("rest m"));
        assert_eq!(member("struct c").as_deref(), Some("t k"));
        assert_eq!(member("c_t").as_deref(), Some("t k"));
        assert_eq!(member("struct d"), None);
        assert_eq!(counts.members.len(), 4);
    }
}
