use super::*;
use mneme_finding::Confirmation;
use mneme_finding::Rule;
use mneme_finding::{Frame, Input, Note};

const SOURCE: &str = "#include <stdlib.h>\nint main(void) {\n\tchar *p = malloc(4);\n\tint v = p[4];\n\treturn v;\n}\n";

fn at(file: &str, line: u32, column: u32, function: &str) -> Location {
    Location {
        file: file.into(),
        line,
        column,
        function: function.into(),
        ..Location::default()
    }
}

fn show(finding: &Finding, style: Style) -> String {
    show_detail(finding, style, Detail::Short)
}

fn show_detail(finding: &Finding, style: Style, detail: Detail) -> String {
    render_with(finding, Path::new("/home/me"), style, detail, &|file| {
        (file == Path::new("/home/me/src/a.c")).then(|| SOURCE.as_bytes().to_vec())
    })
}

#[test]
fn a_full_finding() {
    let mut finding = Finding::new(Rule::OutOfBoundsRead, at("/home/me/src/a.c", 4, 10, "find"));
    finding.message = "read of 1 byte at offset 4 of an object of 4 bytes".into();
    finding.stack = vec![
        Frame {
            function: "find".into(),
            location: at("/home/me/src/a.c", 4, 10, "find"),
        },
        Frame {
            function: "main".into(),
            location: at("/home/me/src/main.c", 117, 3, "main"),
        },
    ];
    finding.notes = vec![
        Note {
            message: "it is allocated here".into(),
            location: Some(at("src/a.c", 3, 12, "find")),
        },
        Note {
            message: "`i` is 4".into(),
            location: None,
        },
    ];
    finding.expression = Some("p[4]".into());
    finding.inputs = vec![
        Input {
            name: "i".into(),
            bytes: vec![4, 0, 0, 0],
            literal: Some("4".into()),
        },
        Input {
            name: "s".into(),
            bytes: b"/x/".to_vec(),
            literal: None,
        },
    ];
    finding.test = Some("test000001.ktest".into());
    finding.confirmation = Some(Confirmation::Confirmed("AddressSanitizer: heap-buffer-overflow".into()));
    let expected = "\
error[out-of-bounds-read]: read of 1 byte at offset 4 of an object of 4 bytes
 --> src/a.c:4:10
  |
4 |     int v = p[4];
  |             ^^^^
  |
  = note: `i` is 4
note: it is allocated here
 --> src/a.c:3:12
  |
3 |     char *p = malloc(4);
  |               ^^^^^^
  = stack: 0: find at src/a.c:4:10
           1: main at src/main.c:117:3
  = input: i = 4 (bytes 04 00 00 00)
           s = \"/x/\"
  = test: test000001.ktest
  = confirmed: AddressSanitizer: heap-buffer-overflow
";
    assert_eq!(show(&finding, Style::Plain), expected);
}

#[test]
fn an_unreadable_file_has_no_excerpt() {
    let finding = Finding::new(Rule::DoubleFree, at("/elsewhere/b.c", 1234, 5, "main"));
    let expected = "error[double-free]: object freed twice\n--> /elsewhere/b.c:1234:5\n";
    assert_eq!(show(&finding, Style::Plain), expected);
}

#[test]
fn a_line_behind_the_end_of_the_file_has_no_excerpt() {
    let finding = Finding::new(Rule::Abort, at("src/a.c", 99, 1, "main"));
    assert_eq!(
        show(&finding, Style::Plain),
        "error[abort]: program aborted\n--> src/a.c:99:1\n"
    );
}

#[test]
fn an_unknown_place_says_so() {
    let finding = Finding::new(Rule::MemoryLeak, Location::default());
    assert_eq!(
        show(&finding, Style::Plain),
        "warning[memory-leak]: memory leaked\n--> <unknown>\n"
    );
}

#[test]
fn without_a_column_there_is_no_caret() {
    let finding = Finding::new(Rule::Abort, at("src/a.c", 5, 0, "main"));
    let expected = "error[abort]: program aborted\n --> src/a.c:5\n  |\n5 |     return v;\n  |\n";
    assert_eq!(show(&finding, Style::Plain), expected);
}

#[test]
fn colours_change_nothing_but_colours() {
    let mut finding = Finding::new(Rule::Abort, at("src/a.c", 5, 2, "main"));
    finding.test = Some("t.ktest".into());
    let colour = show(&finding, Style::Colour);
    assert!(colour.contains('\x1b'), "{colour}");
    let plain = anstream::adapter::strip_str(&colour).to_string();
    assert_eq!(plain, show(&finding, Style::Plain));
}

#[test]
fn a_long_path_is_shortened_unless_all_of_it_is_wanted() {
    let mut finding = Finding::new(Rule::Abort, at("a.c", 40, 1, "main"));
    let step = |line| Step {
        message: format!("`c{line}` is true"),
        location: at("a.c", line, 1, "main"),
        times: 1,
    };
    finding.path = (1..=20).map(step).collect();
    let short = show(&finding, Style::Plain);
    assert!(
        short.contains("`c6` is true\n") && short.contains("`c15` is true\n"),
        "{short}"
    );
    assert!(
        short.contains("… 8 more in findings.sarif and with --verbose\n"),
        "{short}"
    );
    assert!(!short.contains("`c7` is true"), "{short}");
    let whole = show_detail(&finding, Style::Plain, Detail::Whole);
    assert_eq!(whole.matches(" is true").count(), 20, "{whole}");
    assert!(!whole.contains("more"), "{whole}");
}

#[test]
fn a_long_line_is_cut_around_what_is_underlined() {
    let line = format!("{}v = p[4];{}", "x++; ".repeat(100), " y++;".repeat(100));
    let finding = Finding {
        expression: Some("p[4]".into()),
        ..Finding::new(Rule::OutOfBoundsRead, at("a.c", 1, 506, "f"))
    };
    let source = |_: &Path| Some(line.clone().into_bytes());
    let shown = render_with(&finding, Path::new("/"), Style::Plain, Detail::Short, &source);
    let excerpt: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("p[4]") || line.contains("^^^^"))
        .collect();
    assert!(excerpt.iter().all(|line| line.chars().count() <= WIDTH + 10), "{shown}");
    assert_eq!(excerpt[0].find("p[4]"), excerpt[1].find("^^^^"), "{shown}");
}
