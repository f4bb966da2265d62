//! Coverage in lcov's format (`coverage.info`), which `genhtml` and editors read.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What was reached in one source file. Counts are 1 and 0: how often is not measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileCoverage {
    /// Name, line and whether it was entered.
    pub functions: Vec<(String, u32, bool)>,
    pub lines: BTreeMap<u32, bool>,
}

/// `files`: path and coverage.
pub fn lcov(files: &BTreeMap<String, FileCoverage>) -> String {
    let mut out = String::from("TN:\n");
    for (path, file) in files {
        let _ = writeln!(out, "SF:{path}");
        for (name, line, _) in &file.functions {
            let _ = writeln!(out, "FN:{line},{name}");
        }
        for (name, _, entered) in &file.functions {
            let _ = writeln!(out, "FNDA:{},{name}", u8::from(*entered));
        }
        let entered = file.functions.iter().filter(|(_, _, entered)| *entered).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{entered}", file.functions.len());
        for (line, reached) in &file.lines {
            let _ = writeln!(out, "DA:{line},{}", u8::from(*reached));
        }
        let reached = file.lines.values().filter(|reached| **reached).count();
        let _ = writeln!(out, "LF:{}\nLH:{reached}\nend_of_record", file.lines.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_for_each_file() {
        let file = FileCoverage {
            functions: vec![("main".into(), 3, true)],
            lines: BTreeMap::from([(4, true), (6, false)]),
        };
        let text = lcov(&BTreeMap::from([("a.c".to_string(), file)]));
        let expected = "TN:\nSF:a.c\nFN:3,main\nFNDA:1,main\nFNF:1\nFNH:1\nDA:4,1\nDA:6,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(text, expected);
    }
}
