//! Which runs a directive applies to: `FAULT[eager objects, 3]` applies to runs tagged `eager` with model `objects`,
//! and to the third run.

use std::fmt;

/// One run of a program, to be matched with a scope.
#[derive(Copy, Clone, Debug)]
pub struct Setting<'a> {
    /// From 1, in the order of the `RUN` lines.
    pub run: usize,
    pub tags: &'a [String],
    pub model: &'a str,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Word {
    negated: bool,
    name: String,
}

/// Alternatives, separated by commas; each is a list of words that must all match. No alternative: everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    alternatives: Vec<Vec<Word>>,
}

impl Scope {
    /// Parses the text between the brackets.
    pub fn parse(text: &str) -> Option<Scope> {
        let mut alternatives = Vec::new();
        for part in text.split(',') {
            let words: Option<Vec<Word>> = part.split_whitespace().map(Word::parse).collect();
            alternatives.push(words.filter(|words| !words.is_empty())?);
        }
        Some(Scope { alternatives })
    }

    pub fn is_everywhere(&self) -> bool {
        self.alternatives.is_empty()
    }

    pub fn holds(&self, setting: Setting<'_>) -> bool {
        self.is_everywhere()
            || self
                .alternatives
                .iter()
                .any(|words| words.iter().all(|word| word.holds(setting)))
    }

    /// The words that are neither a run, a tag nor a model: misspellings.
    pub fn unknown<'a>(&'a self, runs: usize, tags: &[String], models: &[String]) -> Vec<&'a str> {
        let known = |name: &str| match name.parse::<usize>() {
            Ok(number) => (1..=runs).contains(&number),
            Err(_) => tags.iter().chain(models).any(|other| other == name),
        };
        let words = self.alternatives.iter().flatten();
        words
            .map(|word| word.name.as_str())
            .filter(|name| !known(name))
            .collect()
    }
}

impl Word {
    fn parse(text: &str) -> Option<Word> {
        let (negated, name) = match text.strip_prefix('!') {
            Some(name) => (true, name),
            None => (false, text),
        };
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (!name.is_empty() && name.chars().all(valid)).then(|| Word {
            negated,
            name: name.to_owned(),
        })
    }

    fn holds(&self, setting: Setting<'_>) -> bool {
        let named =
            self.name == setting.model || setting.tags.contains(&self.name) || self.name.parse() == Ok(setting.run);
        named != self.negated
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |word: &Word| format!("{}{}", if word.negated { "!" } else { "" }, word.name);
        let part = |words: &Vec<Word>| words.iter().map(word).collect::<Vec<_>>().join(" ");
        f.write_str(&self.alternatives.iter().map(part).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(scope: &str, run: usize, tags: &[&str], model: &str) -> bool {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Scope::parse(scope).unwrap().holds(Setting {
            run,
            tags: &tags,
            model,
        })
    }

    #[test]
    fn words_are_runs_tags_or_models() {
        assert!(holds("2", 2, &[], "objects"));
        assert!(!holds("2", 1, &[], "objects"));
        assert!(holds("eager", 1, &["eager"], "objects"));
        assert!(!holds("eager", 1, &["fixed"], "objects"));
        assert!(holds("objects", 1, &[], "objects"));
        assert!(holds("!objects", 1, &[], "planes-naive"));
    }

    #[test]
    fn blanks_join_and_commas_separate() {
        assert!(!holds("eager objects", 1, &["eager"], "planes-naive"));
        assert!(holds("eager objects, planes-naive", 1, &[], "planes-naive"));
        assert!(Scope::default().holds(Setting {
            run: 1,
            tags: &[],
            model: "objects"
        }));
    }

    #[test]
    fn malformed_scopes_are_refused() {
        for text in ["", " ", "a,", "!", "a b,,c", "a=b"] {
            assert_eq!(Scope::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn misspelt_words_are_found() {
        let scope = Scope::parse("eagre 3, objects !2").unwrap();
        assert_eq!(scope.unknown(2, &["eager".into()], &["objects".into()]), ["eagre", "3"]);
        assert_eq!(scope.to_string(), "eagre 3, objects !2");
    }
}
